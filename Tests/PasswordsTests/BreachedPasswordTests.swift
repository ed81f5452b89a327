import EventLoop
import HTTP
import Identity
import Passwords
import Simulators
import Synchronization
import Testing

/// Real requests to a simulator of Pwned Passwords, with and without faults.
@Suite("Lists of breached passwords", .timeLimit(.minutes(5)))
struct BreachedPasswordTests {
    /// The path of the list for the password "password". Its SHA-1 digest is 5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8.
    static let rangePath = "/range/5BAA6"
    /// The SHA-1 digest of "password" without its first five digits.
    static let suffix = "1E4C9B93F3F0682250B6CF8331B7EE68FD8"
    /// Lines of the list for other passwords.
    static let otherLines = ["003D68EB55068C33ACE09247EE4C639306B:3", "012C192B2F16F82EA0EB9EF18D9D539B0DD:1"]

    /// A client of the list, and the failures that the client reported.
    struct BreachCheck: Sendable {
        let breaches: BreachedPasswords
        let failures: Failures

        func isBreached(_ password: String) async -> Bool { await breaches.contain(Secret(password)) }
    }

    /// Runs `body` with a simulated list of `lines`, the server of the list, and a client of the list.
    private static func withList(
        _ lines: [String], separator: String = "\r\n",
        _ body: (SimulatedList, SimulatorServer, BreachCheck) async throws -> Void
    ) async throws {
        let list = SimulatedList(lines.joined(separator: separator))
        let loop = try Loop(name: "client")
        let client = try HTTP.Client(loop: loop)
        let failures = Failures()
        let result: Result<Void, any Error>
        do {
            try await SimulatorServer.run(list) { server in
                let breaches = BreachedPasswords.live(
                    BreachedPasswordList(url: server.baseURL + "/range/"), client: client, onFailure: failures.note)
                try await body(list, server, BreachCheck(breaches: breaches, failures: failures))
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await client.close()
        loop.stop()
        try result.get()
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let lines: [String]
        var separator = "\r\n"
        let isBreached: Bool
    }

    @Test(
        "A password is breached if the list has the remaining digits of its SHA-1 digest with a count above zero",
        arguments: [
            Row(testDescription: "in the last line", lines: otherLines + ["\(suffix):9545824"], isBreached: true),
            Row(testDescription: "in the first line", lines: ["\(suffix):1"] + otherLines, isBreached: true),
            Row(
                testDescription: "bare line feeds", lines: otherLines + ["\(suffix):7", ""], separator: "\n",
                isBreached: true),
            Row(testDescription: "in lower case", lines: ["\(suffix.lowercased()):7"], isBreached: true),
            Row(testDescription: "not listed", lines: otherLines, isBreached: false),
            Row(
                testDescription: "as padding, with the count zero", lines: otherLines + ["\(suffix):0"],
                isBreached: false),
            Row(testDescription: "as padding, with the count 000", lines: ["\(suffix):000"], isBreached: false),
            Row(
                testDescription: "shifted by one digit",
                lines: ["0\(suffix.dropLast()):7", "\(suffix.dropFirst())0:7"],
                isBreached: false),
            Row(testDescription: "an empty list", lines: [], isBreached: false),
        ])
    func found(row: Row) async throws {
        try await Self.withList(row.lines, separator: row.separator) { _, _, check in
            #expect(await check.isBreached("password") == row.isBreached)
            #expect(check.failures.all.isEmpty)
        }
    }

    @Test("A query contains only the first five digits of the password's digest, and asks for padding")
    func fiveDigits() async throws {
        try await Self.withList(Self.otherLines) { list, _, check in
            _ = await check.isBreached("password")
            let request = try #require(list.faultInjection.requests.first)
            #expect(request.method == .get)
            #expect(request.path == Self.rangePath)
            #expect(request.query.isEmpty && request.body.isEmpty)
            #expect(request.headers["Add-Padding"] == "true")
            let names = Set(request.headers.map { $0.name.lowercased() })
            #expect(names.subtracting(["host", "user-agent", "accept", "add-padding"]).isEmpty)
        }
    }

    @Test("A result is kept for later checks of the same five digits, but a failure is not")
    func remembered() async throws {
        try await Self.withList(["\(Self.suffix):1"]) { list, _, check in
            list.faultInjection.injectFault(.unavailable, times: 1)
            #expect(await !check.isBreached("password"))
            for _ in 1...3 { #expect(await check.isBreached("password")) }
            #expect(list.faultInjection.requestCount(at: Self.rangePath) == 2)
        }
    }

    struct FaultRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let fault: InjectedFault
        let failure: String
    }

    @Test(
        "A password counts as not breached if the list fails",
        arguments: [
            FaultRow(testDescription: "silent", fault: .silent, failure: "timedOut"),
            FaultRow(testDescription: "slow", fault: .slow(.seconds(3)), failure: "timedOut"),
            FaultRow(testDescription: "unavailable", fault: .unavailable, failure: "status(503)"),
            FaultRow(testDescription: "an HTML page", fault: .html(status: 200), failure: "unreadable"),
            FaultRow(testDescription: "JSON", fault: .wrongJSON, failure: "unreadable"),
            FaultRow(
                testDescription: "cut off within a line", fault: .json("\(suffix):1\r\n003D68EB5"),
                failure: "unreadable"),
            FaultRow(
                testDescription: "no count", fault: .json("\(suffix):\r\n"), failure: "unreadable"),
            FaultRow(testDescription: "huge", fault: .oversized(bytes: 2_000_000), failure: "tooLarge"),
            FaultRow(
                testDescription: "a redirect", fault: .redirect(to: "/range/00000"), failure: "status(302)"),
            FaultRow(
                testDescription: "too many requests", fault: .tooManyRequests(retryAfterSeconds: 2),
                failure: "status(429)"),
        ])
    func faults(row: FaultRow) async throws {
        try await Self.withList(["\(Self.suffix):1"]) { list, _, check in
            list.faultInjection.injectFault(row.fault)
            #expect(await !check.isBreached("password"))
            #expect(check.failures.all == [row.failure])
            #expect(list.faultInjection.requests.map(\.path) == [Self.rangePath])
        }
    }

    @Test("A password counts as not breached if the list is unreachable")
    func down() async throws {
        try await Self.withList(["\(Self.suffix):1"]) { _, server, check in
            await server.stop()
            #expect(await !check.isBreached("password"))
            #expect(check.failures.all == ["unreachable"])
        }
    }

    @Test("Of a hundred concurrent queries, 36 fail as busy, because at most 64 are in flight")
    func bounded() async throws {
        try await Self.withList([]) { list, _, check in
            list.faultInjection.injectFault(.silent)
            await withTaskGroup(of: Void.self) { group in
                for number in 1...100 { group.addTask { _ = await check.isBreached("password \(number)") } }
            }
            #expect(check.failures.all.filter { $0 == "busy" }.count == 36)
        }
    }
}

/// A simulated list that answers every request with the same lines.
struct SimulatedList: SimulatedProvider {
    let faultInjection = FaultInjection()
    let lines: String

    init(_ lines: String) { self.lines = lines }

    func response(to request: Request) -> Response? {
        Response(status: 200, headers: ["Content-Type": "text/plain"], body: Array(lines.utf8))
    }
}

/// Records the reported failures as text.
final class Failures: Sendable {
    private let record = Mutex<[String]>([])

    var all: [String] { record.withLock { $0 } }
    var note: @Sendable (any Error) -> Void { { [self] error in record.withLock { $0.append("\(error)") } } }
}
