import Encoding
import HTTP
import JOSE
import JSON
import Simulators
import Testing

@Suite("Servers of simulators")
struct ServerTests {
    let apple: SimulatedApple

    init() throws {
        apple = try SimulatedApple(clock: { 1_800_000_000 }, keys: Keys.apple)
    }

    @Test("The keys are served, and the requests are counted")
    func keys() async throws {
        try await SimulatorServer.run(apple) { server in
            let reply = try LoopbackClient.get(SimulatedApple.keysPath, port: server.port)
            #expect(reply.status == 200)
            #expect(try StrictJSON.decode(JWKSet.self, from: Array(reply.body.utf8)) == apple.jwks)
            _ = try LoopbackClient.get(SimulatedApple.keysPath, port: server.port)
            #expect(apple.keyFetches == 2)
            #expect(apple.faultInjection.requests.map(\.path) == [SimulatedApple.keysPath, SimulatedApple.keysPath])
            #expect(try LoopbackClient.get("/nowhere", port: server.port).status == 404)
        }
    }

    @Test("The discovery document has the host of the request and the provider's issuer")
    func configuration() async throws {
        try await SimulatorServer.run(apple) { server in
            let reply = try LoopbackClient.get("/.well-known/openid-configuration", port: server.port)
            let json = try StrictJSON.decode(Claims.self, from: Array(reply.body.utf8))
            #expect(json["issuer"] == .string("https://appleid.apple.com"))
            #expect(json["jwks_uri"] == .string("http://127.0.0.1/auth/keys"))
        }
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let fault: InjectedFault
        let status: Int
        /// A part of the expected head.
        let head: String
        /// The beginning of the expected body.
        let body: String
        var testDescription: String { "\(fault)" }
    }

    @Test(
        "A response has the injected fault until the fault is reset",
        arguments: [
            Row(fault: .none, status: 200, head: "application/json", body: #"{"keys":[{"#),
            Row(fault: .unavailable, status: 503, head: "text/html", body: "<!DOCTYPE html>"),
            Row(fault: .html(status: 200), status: 200, head: "text/html", body: "<!DOCTYPE html>"),
            Row(fault: .tooManyRequests(retryAfterSeconds: 7), status: 429, head: "Retry-After: 7", body: "<"),
            Row(fault: .brokenJSON, status: 200, head: "application/json", body: #"{"keys":[{"kty":"#),
            Row(fault: .wrongJSON, status: 200, head: "application/json", body: #"{"message""#),
            Row(fault: .empty, status: 200, head: "Content-Length: 0", body: ""),
            Row(fault: .oversized(bytes: 3_000_000), status: 200, head: "Content-Length: 3000000", body: " "),
            Row(
                fault: .redirect(to: "http://127.0.0.1:1/"), status: 302, head: "Location: http://127.0.0.1:1/",
                body: ""),
        ])
    func fault(row: Row) async throws {
        apple.faultInjection.injectFault(row.fault)
        try await SimulatorServer.run(apple) { server in
            let reply = try LoopbackClient.get(SimulatedApple.keysPath, port: server.port)
            #expect(reply.status == row.status)
            #expect(reply.head.contains(row.head))
            #expect(reply.body.hasPrefix(row.body))
            apple.faultInjection.reset()
            #expect(try LoopbackClient.get(SimulatedApple.keysPath, port: server.port).body.hasPrefix(#"{"keys":[{"#))
        }
    }

    @Test("A fault can be limited to one path and to a number of requests")
    func plans() async throws {
        apple.faultInjection.injectFault(.unavailable, at: SimulatedApple.keysPath, times: 2)
        try await SimulatorServer.run(apple) { server in
            func statuses(_ paths: String...) throws -> [Int] {
                try paths.map { try LoopbackClient.get($0, port: server.port).status }
            }
            let (keys, other) = (SimulatedApple.keysPath, "/.well-known/openid-configuration")
            let withLimitedFault = try statuses(other, keys, keys, keys)
            #expect(withLimitedFault == [200, 503, 503, 200])
            apple.faultInjection.injectFault(.html(status: 502))
            apple.faultInjection.injectFault(.none, at: keys)
            let withFaultElsewhere = try statuses(other, keys)
            #expect(withFaultElsewhere == [502, 200])
        }
    }

    @Test("The fault slow delays the response")
    func slow() async throws {
        apple.faultInjection.injectFault(.slow(.milliseconds(150)))
        try await SimulatorServer.run(apple) { server in
            let start = ContinuousClock.now
            let reply = try LoopbackClient.get(SimulatedApple.keysPath, port: server.port)
            #expect(reply.status == 200)
            #expect(.now - start >= .milliseconds(150))
        }
    }

    @Test("A stopped server closes its connections, and can resume on its port")
    func outage() async throws {
        apple.faultInjection.injectFault(.silent)
        try await SimulatorServer.run(apple) { server in
            let port = server.port
            async let waiting = Self.failure(port: port)
            while apple.keyFetches == 0 { try await Task.sleep(for: .milliseconds(1)) }
            await server.stop()
            #expect(await waiting == .noAnswer)
            #expect(await Self.failure(port: port) == .notConnected)
            await server.stop()
            apple.faultInjection.reset()
            try server.resume()
            try server.resume()
            #expect(await Self.failure(port: port) == nil)
        }
    }

    @Test("A stopped server frees its port")
    func stop() async throws {
        let server = try SimulatorServer(apple)
        await server.stop()
        #expect(await Self.failure(port: server.port) == .notConnected)
        let second = try SimulatorServer(apple, port: server.port)
        #expect(second.port == server.port)
        #expect(second.baseURL == "http://127.0.0.1:\(server.port)")
        await second.stop()
    }

    /// Returns the failure of a request to `port`; `nil` if there is a response.
    @concurrent
    private static func failure(port: UInt16) async -> LoopbackClient.Failure? {
        do {
            _ = try LoopbackClient.get(SimulatedApple.keysPath, port: port)
            return nil
        } catch {
            return error as? LoopbackClient.Failure
        }
    }
}
