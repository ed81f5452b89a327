import Crypto
import Encoding
import HTTP
import Identity
import JSON
import Postgres
import Providers
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("The stream of Google's security event tokens")
struct GoogleSignalStreamTests {
    static let url = "https://auth.example.com/v1/google/securityEvents"
    private static let key = Result { try PrivateKey.generate(.rs256) }

    /// The key file of a service account, as Google issues it.
    static func keyFile(type: String = "service_account", pem: String? = nil) throws -> [UInt8] {
        let pem = try pem ?? key.get().pem
        return try StrictJSON.encode([
            "type": type, "project_id": "demo", "private_key_id": "1f2e3d", "private_key": pem,
            "client_email": "sekisho@demo.iam.gserviceaccount.com",
        ])
    }

    private static func streams(_ gateway: TestGateway) -> GoogleSignalStreams {
        let google = gateway.simulators.google
        return GoogleSignalStreams(
            on: gateway.database.pool, under: gateway.masterKeys, clock: gateway.clock.wallClock
        ) { request in
            let base = "https://risc.googleapis.com"
            guard request.url.hasPrefix(base) else { throw ClientFault.unreachable }
            let response = await google.respond(
                to: Request(
                    id: "0", method: request.method, path: String(request.url.dropFirst(base.count)),
                    query: [], headers: request.headers, body: request.body, peer: "127.0.0.1"))
            return ClientResponse(status: response.status, headers: response.headers, body: response.body)
        }
    }

    @Test("A stream is registered with an encrypted key, verified, and unregistered")
    func lifecycle() async throws {
        let gateway = try await TestGateway()
        let (streams, google, project) = (Self.streams(gateway), gateway.simulators.google, ID<Project>("demo"))
        try await streams.register(Self.url, withKey: Self.keyFile(), by: .commandLine, of: project)
        #expect(google.stream.url == Self.url)
        #expect(
            Set(google.stream.events)
                == Set(SimulatedGoogleEvent.allCases.map { "https://schemas.openid.net/secevent/\($0.rawValue)" }))
        let rows = try await gateway.database.pool.query("SELECT service_account FROM google_signal_stream")
        let stored: [UInt8] = try rows[0].decode("service_account")
        #expect(!String(decoding: stored, as: UTF8.self).contains("PRIVATE KEY"))
        try await streams.test(project)
        let state = try #require(google.stream.requestedStates.first)
        #expect(try await streams.status(of: project).verifiedAt == nil)
        let other = try google.securityEvent(
            .verification, about: .mary, audience: SimulatedProviders.googleClientID, state: "other")
        #expect(try await gateway.postSignal(other).status == 202)
        #expect(try await streams.status(of: project).verifiedAt == nil)
        let event = try google.securityEvent(
            .verification, about: .mary, audience: SimulatedProviders.googleClientID, state: state)
        #expect(try await gateway.postSignal(event).status == 202)
        let status = try await streams.status(of: project)
        #expect(status.verifiedAt == gateway.clock.now)
        #expect(status.status == "enabled")
        #expect(status.urlAtGoogle == Self.url)
        try await streams.unregister(by: .commandLine, of: project)
        #expect(!google.stream.isEnabled)
        #expect(try await gateway.database.pool.query("SELECT FROM google_signal_stream").isEmpty)
        await #expect(throws: Failure.self) { try await streams.status(of: project) }
        let actions = try await gateway.database.pool.query(
            "SELECT action FROM audit_event WHERE action LIKE 'googleSignals.%' ORDER BY action")
        #expect(
            try actions.map { try $0.decode("action", as: String.self) } == [
                "googleSignals.registered", "googleSignals.unregistered",
            ])
    }

    @Test("A stream is tested once a day, and the tests that do not arrive are counted until one arrives")
    func daily() async throws {
        let gateway = try await TestGateway()
        let (streams, google, project) = (Self.streams(gateway), gateway.simulators.google, ID<Project>("demo"))
        try await streams.register(Self.url, withKey: Self.keyFile(), by: .commandLine, of: project)
        var misses: [Int?] = []
        for _ in 0..<4 {
            gateway.clock.advance(by: .seconds(86_400))
            misses.append(try await streams.testDue({ _, _ in })[project])
            misses.append(try await streams.testDue({ _, _ in })[project])
        }
        #expect(misses == [0, 0, 1, 1, 2, 2, 3, 3])
        #expect(google.stream.requestedStates.count == 4, "one a day")
        let event = try google.securityEvent(
            .verification, about: .mary, audience: SimulatedProviders.googleClientID,
            state: google.stream.requestedStates.last)
        #expect(try await gateway.postSignal(event).status == 202)
        #expect(try await streams.testDue({ _, _ in })[project] == 0)
    }

    @Test("The stored key is encrypted again under a new master key")
    func rewrap() async throws {
        let gateway = try await TestGateway()
        try await Self.streams(gateway).register(Self.url, withKey: Self.keyFile(), by: .commandLine, of: ID("demo"))
        let column = Reencryption.googleServiceAccounts(in: GoogleSignalStreamStore(pool: gateway.database.pool))
        let new = try MasterKeys(current: [UInt8](repeating: 9, count: 32), previous: TestGateway.masterKey)
        #expect(try await column.reencrypt(with: SealedBox(keys: new)) == 1)
        #expect(try await column.reencrypt(with: SealedBox(keys: new)) == 0)
    }

    @Test("A file that is not the key of a service account is refused", arguments: 0..<3)
    func invalidKey(row: Int) async throws {
        let gateway = try await TestGateway()
        let file =
            switch row {
            case 0: Array("{".utf8)
            case 1: try Self.keyFile(type: "authorized_user")
            default: try Self.keyFile(pem: PrivateKey.generate(.es256).pem)
            }
        await #expect(throws: GoogleServiceAccount.Invalid.self) {
            try await Self.streams(gateway).register(Self.url, withKey: file, by: .commandLine, of: ID("demo"))
        }
        #expect(gateway.simulators.google.stream.url == nil)
    }
}
