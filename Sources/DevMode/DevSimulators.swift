internal import EventLoop
internal import Gateway
internal import Identity
internal import Providers
internal import Simulators

/// The simulators of the providers, each on a port of 127.0.0.1, with the clock of `dev`. By default, their tokens name
/// the real issuers; only the URLs of the public keys differ. `serve` cannot use this type.
package struct DevSimulators: Sendable {
    /// The types of the simulators besides Apple's.
    static let otherTypes: [any DevSimulator.Type] = [SimulatedGoogle.self]

    /// A simulator other than Apple's, with its server.
    struct Other: Sendable {
        let simulator: any DevSimulator
        let server: SimulatorServer

        var provider: ProviderID { type(of: simulator).provider }
    }

    let apple: SimulatedApple
    let others: [Other]
    let people = SimulatedPeople()
    private let clients = SimulatedClients()
    let notificationDelivery: NotificationDelivery
    let notificationHistory: NotificationHistory
    private let appleServer: SimulatorServer

    /// Starts all servers. Each publishes only one key, because generating RSA keys is slow.
    package init(clock: DevClock, hosts: AllowedHosts) throws {
        apple = try SimulatedApple(clock: { clock.now.seconds }, publishing: 1, people: people)
        apple.quirks = Self.initialQuirks
        apple.redirectURIs = Self.initialRedirectURIs
        notificationDelivery = try NotificationDelivery()
        notificationHistory = NotificationHistory(now: { clock.now })
        appleServer = try SimulatorServer(apple, rejection: hosts.rejectionOfHost)
        others = try Self.otherTypes.map { [people] type in
            let simulator = try type.make(clock: { clock.now.seconds }, people: people)
            simulator.redirectURIs = Self.initialRedirectURIs
            return Other(
                simulator: simulator, server: try SimulatorServer(simulator, rejection: hosts.rejectionOfHost))
        }
    }

    /// The initial quirks of the simulated Apple. Client secrets are not checked, because the simulator does not know
    /// the public keys of the projects.
    static var initialQuirks: AppleQuirks {
        var quirks = AppleQuirks()
        quirks.checksClientSecrets = false
        return quirks
    }

    static var initialRedirectURIs: RedirectURIRule { RedirectURIRule(unregistered: .loopback) }

    /// Registers the client IDs of a project and its apps, so that the providers know them.
    func registerClients(of realm: Realm) {
        clients.register(
            realm.clientIDs(of: .apple), team: realm.settings(of: .apple)?.apple?.teamID, at: apple)
        for other in others {
            for id in realm.clientIDs(of: other.provider) { other.simulator.registerClient(id) }
        }
    }

    /// Registers a client ID that a request names, so that the provider knows it.
    func register(_ id: String, of provider: ProviderSettings) {
        guard provider.provider == .apple else {
            other(provider.provider)?.simulator.registerClient(id)
            return
        }
        clients.register([id], team: provider.apple?.teamID, at: apple)
    }

    func other(_ provider: ProviderID) -> Other? { others.first { $0.provider == provider } }

    var appleURL: String { appleServer.baseURL }

    /// The providers of this release, with the endpoints of their simulators.
    var providers: ProviderList {
        .live.served { $0 == .apple ? appleURL : other($0)?.server.baseURL }
    }

    /// Whether a simulator has ever published a key with this ID.
    func havePublishedKey(_ id: String) -> Bool {
        apple.hasPublishedKey(id) || others.contains { $0.simulator.hasPublishedKey(id) }
    }

    /// Blocks until all servers have stopped.
    package func stop() throws {
        try notificationDelivery.stop()
        let loop = try Loop(name: "simulators")
        defer { loop.stop() }
        try loop.waitFor {
            await appleServer.stop()
            for other in others { await other.server.stop() }
        }
    }
}
