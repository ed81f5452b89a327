internal import API
internal import Crypto
internal import DevMode
internal import EventLoop
internal import FoundationEssentials
internal import Gateway
internal import Glibc
internal import Identity
internal import Postgres
internal import Storage
internal import Telemetry

extension Command {
    static let dev = Command(
        words: ["dev"],
        help: """
            dev                             try it out: a gateway on loopback with a PostgreSQL of its own

              --port N            9099 unless told; 0 is any free port
              --data DIR          where its database and master key are kept; .sekisho unless told
              --project ID        the project that requests mean which name none; "demo" unless told
              --database-url URL  use this database instead of a private one; it must be empty or made by `dev`
            Reads nothing from the environment. SIGTERM or Ctrl-C ends the gateway and its PostgreSQL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["port", "data", "project", "database-url"])
        try arguments.none()
        let port = try arguments.number("port", in: UInt16(0)...UInt16.max) ?? 9099
        let draft = try ProjectDraft(devProject: arguments.value("project") ?? "demo")
        let data = try DevDirectory(arguments.value("data") ?? ".sekisho")
        let database = try DevDatabase(url: arguments.value("database-url"), in: data)
        defer { database.stop() }
        let config = Config.dev(databaseURL: database.url, masterKeys: try data.masterKeys(), port: port)
        try Administration.run(on: config.database) { administration in
            try await administration.prepareForDev(draft, database, under: config.masterKeys)
        }
        let log = Log(level: .info, descriptor: STDERR_FILENO)
        defer { log.flush(within: .seconds(2)) }
        let clock = DevClock()
        let simulators = try DevSimulators(clock: clock)
        guard let sender = EmailAddress("no-reply@localhost") else { throw Failure(message: "no sender") }
        let gateway = try RunningGateway(
            config, log: log,
            mode: .dev(
                draft.project.id, under: config.masterKeys, clock: clock, simulators: simulators, sender: sender))
        gateway.startEmailDelivery()
        Terminal.writeLine(DevGreeting.text(port: gateway.port, project: draft.project.id, databaseURL: database.url))
        Signals.waitForTermination()
        try gateway.drain(within: config.drain)
        try simulators.stop()
    }
}

extension Config {
    fileprivate static func dev(databaseURL: String, masterKeys: MasterKeys, port: UInt16) -> Config {
        Config(
            database: Pool.Configuration(url: databaseURL, applicationName: "sekisho dev"), masterKeys: masterKeys,
            publicURL: nil, listen: ListenAddress(host: "127.0.0.1", port: port),
            loops: cores, trustedProxies: [],
            server: ServerConfig(connections: 8192, connectionsPerAddress: nil, bodyMemoryMiB: 64),
            passwords: PasswordConfig(threads: cores, waiting: 64, cost: .recommended), logLevel: .info,
            drain: .seconds(10))
    }
}

extension Administration {
    /// Marks a fresh database as one of `dev`'s, migrates it and makes the demo project.
    fileprivate func prepareForDev(
        _ draft: ProjectDraft, _ database: DevDatabase, under masterKeys: MasterKeys
    ) async throws {
        let installations = InstallationStore(pool: pool)
        if try await installations.isReady() {
            // Before anything is written: a database of a pre-release version is rejected.
            _ = try await Schema.status(of: pool)
            // Migrated and not marked: production before its first start, unless nobody else can have been here.
            let isMarked = try await installations.current() != nil
            guard isMarked || database.isPrivate else {
                throw Failure(message: "this database was not made by `sekisho dev`: it is migrated for `serve`")
            }
            try await Canary.claim(pool, for: .dev, under: masterKeys, at: clock.now())
        } else if try await !installations.databaseIsEmpty() {
            throw Failure(message: "this database was not made by `sekisho dev`: it has tables of somebody else's")
        }
        _ = try await Schema.migrate(pool)
        try await Canary.claim(pool, for: .dev, under: masterKeys, at: clock.now())
        _ = try await draft.create(
            in: pool, under: masterKeys, by: .commandLine, at: clock.now(), signsFrom: DevProjects.beginning)
    }
}
