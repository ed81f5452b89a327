internal import EventLoop
internal import Gateway
internal import Identity
internal import Providers
internal import Simulators

/// Apple and Google of `dev`, each on a port of 127.0.0.1: real signatures over real HTTP, by the clock of `dev`. Their
/// tokens name the issuers that they have in real life; only their keys are elsewhere. `serve` has no way to reach this.
package struct DevSimulators: Sendable {
    let apple: SimulatedApple
    let google: SimulatedGoogle
    private let appleServer: SimulatorServer
    private let googleServer: SimulatorServer

    /// Both answer when this returns. One key each, for every key takes a moment to make.
    package init(clock: DevClock) throws {
        apple = try SimulatedApple(clock: { clock.now.seconds }, publishing: 1)
        google = try SimulatedGoogle(clock: { clock.now.seconds }, publishing: 1)
        appleServer = try SimulatorServer(apple)
        googleServer = try SimulatorServer(google)
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

    /// Blocks until nothing is left of them.
    package func stop() throws {
        let loop = try Loop(name: "simulators")
        defer { loop.stop() }
        try loop.waitFor {
            await appleServer.stop()
            await googleServer.stop()
        }
    }
}
