internal import API
internal import EventLoop
internal import Glibc
internal import HTTP
internal import Identity
internal import Postgres
internal import Providers
internal import Telemetry

/// The running gateway: loops, pools, threads for passwords, and the server in front of them.
struct RunningGateway {
    private let group: LoopGroup
    private let pools: [Pool]
    private let hashing: FairPool
    private let server: Server
    private let live: Live

    /// Binds the port and answers from then on.
    ///
    /// - Parameter access: who may call; for each loop.
    init(
        _ config: Config, clock: WallClock, log: Log, issuer: @escaping @Sendable (ID<Project>) -> String,
        access: (Directory) -> Access
    ) throws {
        group = try LoopGroup(count: config.loops)
        hashing = try FairPool(
            name: "passwords", threads: config.passwords.threads, capacity: config.passwords.waiting, niceness: 5)
        let pools = group.loops.map { Pool(loop: $0, configuration: config.database) }
        self.pools = pools
        let metrics = GatewayMetrics()
        let live = Live(
            config: config, clock: clock, log: log, metrics: metrics,
            passwords: try .argon2id(config.passwords.cost, on: hashing), issuer: issuer)
        self.live = live
        let gateways = pools.map { live.gateway(on: $0, access: access) }
        server = try Server(
            loops: group.loops, address: config.listen.host, port: config.listen.port, limits: Limits(),
            bodyLimit: { Gateway.bodyLimit($0, $1) },
            handlers: gateways.map { gateway in { await gateway.respond(to: $0) } })
        server.start()
    }

    var port: UInt16 { server.port }
    var loop: Loop { group.loops[0] }
    var pool: Pool { pools[0] }

    /// Takes no more requests, lets the running ones end, and closes everything.
    func drain(within deadline: Duration) {
        try? group.loops[0].waitFor {  // nothing in here throws
            await server.drain(within: deadline)
            for pool in pools { await pool.close() }
        }
        hashing.stop()
        group.stop()
    }
}
