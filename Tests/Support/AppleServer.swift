import Crypto
import EventLoop
import HTTP
import Identity
import Providers
import Simulators

@testable import Gateway

/// The simulated Apple behind a real server. It accepts client secrets that ``privateKey`` signs, for the client IDs of
/// the tests: an app and a Services ID.
final class AppleServer: Sendable {
    static let team = "TEAM123456"
    static let keyID = "KEY1234567"
    static let httpClient = Result { try HTTP.Client(loop: TestCluster.shared.loop) }

    let privateKey: PrivateKey
    private let server: SimulatorServer

    init(_ apple: SimulatedApple) throws {
        privateKey = try PrivateKey.generate(.es256)
        server = try SimulatorServer(apple)
        registerClients(in: apple)
    }

    deinit {
        Task(executorPreference: TestCluster.shared.loop) { [server] in await server.stop() }
    }

    var baseURL: String { server.baseURL }

    /// Registers both client IDs in `apple`, with the key that verifies their client secrets (default: that of
    /// ``privateKey``).
    func registerClients(in apple: SimulatedApple, key: PublicKey? = nil) {
        for (id, kind) in [(SimulatedProviders.appleClientID, AppleClient.Kind.native), (TestGateway.servicesID, .web)]
        {
            apple.register(
                AppleClient(
                    id: id, team: Self.team, kind: kind, keys: [Self.keyID: key ?? privateKey.publicKey]))
        }
    }
}

extension AppleTokenEndpoint {
    /// - Parameter server: `nil` if Apple cannot be reached.
    static func simulated(by server: AppleServer?, clock: WallClock) throws -> AppleTokenEndpoint {
        guard let server else {
            return AppleTokenEndpoint(
                exchange: { _, _ in .unavailable(reason: "not served") },
                check: { _, _ in .unavailable(reason: "not served") },
                revoke: { _, _, _ in .unavailable(reason: "not served") })
        }
        return .http(try AppleServer.httpClient.get(), at: AppleEndpoints(base: server.baseURL), clock: clock)
    }
}
