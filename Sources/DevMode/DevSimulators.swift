internal import EventLoop
internal import Gateway
internal import Identity
internal import Providers
internal import Simulators

/// The simulators of Apple and Google, each on a port of 127.0.0.1, with the clock of `dev`. By default, their tokens
/// name the real issuers; only the URLs of the public keys differ. `serve` cannot use this type.
package struct DevSimulators: Sendable {
    let apple: SimulatedApple
    let google: SimulatedGoogle
    let people = SimulatedPeople()
    private let clients = SimulatedClients()
    let notificationDelivery: NotificationDelivery
    private let appleServer: SimulatorServer
    private let googleServer: SimulatorServer

    /// Starts both servers. Each publishes only one key, because generating RSA keys is slow.
    package init(clock: DevClock, hosts: AllowedHosts) throws {
        apple = try SimulatedApple(clock: { clock.now.seconds }, publishing: 1, people: people)
        apple.quirks = Self.initialQuirks
        apple.redirectURIs = Self.initialRedirectURIs
        google = try SimulatedGoogle(clock: { clock.now.seconds }, publishing: 1, people: people)
        google.redirectURIs = Self.initialRedirectURIs
        google.checksClientSecrets = false
        notificationDelivery = try NotificationDelivery()
        appleServer = try SimulatorServer(apple, rejection: hosts.rejectionOfHost)
        googleServer = try SimulatorServer(google, rejection: hosts.rejectionOfHost)
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
    func registerClients(of project: Project) {
        clients.register(
            project.clientIDs(of: .apple), team: project.settings(of: .apple)?.apple?.teamID, at: apple)
        for id in project.clientIDs(of: .google) { google.register(GoogleClient(id: id)) }
    }

    /// Registers a client ID that a request names, so that the provider knows it.
    func register(_ id: String, of provider: ProviderSettings) {
        guard provider.provider == .apple else { return google.register(GoogleClient(id: id)) }
        clients.register([id], team: provider.apple?.teamID, at: apple)
    }

    var appleURL: String { appleServer.baseURL }
    var googleURL: String { googleServer.baseURL }

    var endpoints: ProviderEndpoints {
        ProviderEndpoints(
            apple: .init(
                issuers: ProviderEndpoints.live.apple.issuers, keysURL: appleURL + SimulatedApple.keysPath),
            google: .init(
                issuers: ProviderEndpoints.live.google.issuers, keysURL: googleURL + SimulatedGoogle.keysPath))
    }

    /// Whether a simulator has ever published a key with this ID.
    func havePublishedKey(_ id: String) -> Bool { apple.hasPublishedKey(id) || google.hasPublishedKey(id) }

    /// Blocks until both servers have stopped.
    package func stop() throws {
        try notificationDelivery.stop()
        let loop = try Loop(name: "simulators")
        defer { loop.stop() }
        try loop.waitFor {
            await appleServer.stop()
            await googleServer.stop()
        }
    }
}
