internal import API
internal import Crypto
internal import EventLoop
internal import FoundationEssentials
internal import Glibc
internal import HTTP
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Telemetry
internal import Tokens

/// The composition root: everything that `serve` and `dev` share, put together once for each event loop.
struct Live: Sendable {
    let config: Config
    let clock: WallClock
    let log: Log
    let metrics: GatewayMetrics
    let passwords: Passwords
    let issuer: @Sendable (ID<Project>) -> String

    func gateway(on pool: Pool, access: (Directory) -> Access) -> Gateway {
        let directory = Directory(pool: pool, masterKeys: config.masterKeys, clock: clock)
        let store = PostgresAccountStore(pool: pool)
        let tokens = GatewayTokens(keys: directory.keys.value(for:), issuer: issuer, clock: clock)
        let services = Services(
            authenticator: Authenticator(
                store: store, tokens: tokens, passwords: passwords, clock: clock, entropy: .live),
            editor: AccountEditor(store: store, tokens: tokens, passwords: passwords, clock: clock, entropy: .live),
            identifiers: IdentifierLookup(store: store),
            wellKnown: WellKnown { [issuer, clock] id in
                try await directory.documents(of: id, issuer: issuer, at: clock.now())
            },
            readiness: { await Readiness(of: pool) })
        return Gateway(services: services, access: access(directory), log: log, metrics: metrics)
    }
}

extension WallClock {
    /// The machine's clock.
    static let live = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

extension Entropy {
    static let live = Entropy(
        accountID: { ID(Random.text(length: 28)) },
        sessionID: { ID(UUID().uuidString.lowercased()) })
}
