import Crypto
import EventLoop
import HTTP
import Identity
import Providers
import Simulators

@testable import Gateway

/// The simulated Apple behind a real server. It knows the client IDs of ``SimulatedProviders`` with ``privateKey``.
final class AppleServer: Sendable {
    static let team = "TEAM123456"
    static let keyID = "KEY1234567"
    static let client = Result { try HTTP.Client(loop: TestCluster.shared.loop) }

    let privateKey: PrivateKey
    private let server: SimulatorServer

    init(_ apple: SimulatedApple) throws {
        privateKey = try PrivateKey.generate(.es256)
        server = try SimulatorServer(apple)
        register(in: apple)
    }

    deinit {
        Task(executorPreference: TestCluster.shared.loop) { [server] in await server.stop() }
    }

    var baseURL: String { server.baseURL }

    /// Registers the client IDs with `key` (default: the public key of ``privateKey``).
    func register(in apple: SimulatedApple, key: PublicKey? = nil) {
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
        return .http(try AppleServer.client.get(), at: AppleEndpoints(base: server.baseURL), clock: clock)
    }
}
