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
        summary: "Run a gateway for development on loopback, with a private PostgreSQL",
        options: [
            .number("port", "N", in: 0...65_535, "port of the gateway; 0 picks a free port", default: "9099"),
            .text("data", "DIR", "directory of the database and the master key", default: ".sekisho"),
            .text("project", "ID", "project of requests that name no project", default: "demo"),
            .text(
                "database-url", "URL", "URL of a PostgreSQL database, which must be empty or created by `dev`",
                defaultNote: "a private PostgreSQL in the directory of --data"),
            .flag(
                "signed-tokens",
                "sign ID tokens and session cookies, and accept only signed ones, for backends that verify them with the public keys"
            ),
            .text(
                "listen", "ADDRESS", "numeric address to listen on besides loopback; 0.0.0.0 or :: for all",
                defaultNote: "127.0.0.1 and ::1 alone"),
            .text(
                "allow-host", "NAME", "host name to allow besides addresses and the names of this machine",
                isRepeatable: true),
        ],
        details: [
            "The gateway responds with status 421 unless the host of the request is an address, localhost, a name that ends with .localhost, a name without dots, host.docker.internal, or a name of --allow-host. A page whose origin has another host gets status 403 if its request has the header Authorization or a path below /emulator/, /dev/ or /console/. So no other web site can use the gateway through your browser.",
            "With --listen, other machines and containers can reach the gateway, for example a phone on the same network. The gateway accepts every caller, so everyone who can reach the address can read and change all data. The simulated sign-in pages of the providers remain on 127.0.0.1.",
            "Ctrl-C or SIGTERM stops the gateway and its private PostgreSQL. The command does not read the environment variables of `serve`.",
        ]
    ) { arguments in
        guard let hosts = AllowedHosts(adding: arguments.texts("allow-host")) else {
            throw UsageError(message: "--allow-host: expected host names without port")
        }
        guard
            let listen = Config.ListenAddress(
                besidesLoopback: arguments.optionalText("listen"), port: UInt16(clamping: try arguments.number("port")))
        else { throw UsageError(message: "--listen: expected a numeric address without port") }
        let signsTokens = arguments.has("signed-tokens")
        let draft = try ProjectDraft(devProject: try arguments.text("project"))
        // Fails before the directory and the database are created, if the port is in use.
        try RunningGateway.requireFree(listen)
        let data = try DevDirectory(try arguments.text("data"))
        let database = try DevDatabase(url: arguments.optionalText("database-url"), in: data)
        defer { database.stop() }
        // A private PostgreSQL has locked the directory, so no other process writes the key at the same time.
        let masterKeys = try data.masterKeys()
        let config = try Config.dev(databaseURL: database.url, masterKeys: masterKeys, listen: listen)
        try Administration.run(on: config.database) { administration in
            try await administration.prepareForDev(draft, database, under: config.masterKeys)
        }
        let log = Log(
            level: .info, descriptor: STDERR_FILENO, format: isatty(STDERR_FILENO) == 1 ? DevLog.line : nil)
        defer { log.flush(within: .seconds(2)) }
        let clock = DevClock()
        let simulators = try DevSimulators(clock: clock, hosts: hosts)
        guard let sender = EmailAddress("no-reply@localhost") else { throw Failure(message: "invalid sender address") }
        let gateway = try RunningGateway(
            config, log: log,
            mode: .dev(
                draft.realm.project.id, signsTokens: signsTokens, under: config.masterKeys, clock: clock,
                simulators: simulators, hosts: hosts, sender: sender, log: log))
        simulators.sendNotifications(toPort: gateway.port)
        gateway.startEmailDelivery()
        if !listen.isLoopback {
            Terminal.writeError(
                "warning: other machines can reach \(listen). The gateway accepts every caller, so they can read and change all data."
            )
        }
        Terminal.writeLine(
            DevGreeting.text(
                program: CommandLine.arguments.first ?? "sekisho", port: gateway.port, project: draft.realm.project.id,
                databaseURL: database.url, signsTokens: signsTokens))
        Signals.waitForTermination()
        try gateway.drain(within: config.drainTimeout)
        try simulators.stop()
    }
}

extension Config {
    fileprivate static func dev(databaseURL: String, masterKeys: MasterKeys, listen: ListenAddress) throws -> Config {
        // The lowest cost that libsodium accepts, because a database of `dev` contains no real passwords.
        let cost = try PasswordHash.Cost(memoryKiB: 8, iterations: 1)
        return Config(
            database: Pool.Configuration(url: databaseURL, applicationName: "sekisho dev"), masterKeys: masterKeys,
            listen: listen, loops: coreCount, trustedProxies: [],
            server: ServerConfig(connections: 8192, connectionsPerAddress: nil, bodyMemoryMiB: 64),
            passwords: PasswordConfig(threads: coreCount, waiting: 64, cost: cost, replacesHashes: false),
            logLevel: .info, drainDelay: .zero, drainTimeout: .seconds(10))
    }
}

extension Administration {
    /// Migrates the database, marks it as a database of `dev` (see ``Canary``), and creates the default project unless
    /// the project exists.
    ///
    /// - Throws: ``Failure`` if the database is neither empty nor created by `dev`.
    fileprivate func prepareForDev(
        _ draft: ProjectDraft, _ database: DevDatabase, under masterKeys: MasterKeys
    ) async throws {
        let installations = InstallationStore(pool: pool)
        if try await installations.tableExists() {
            // Rejects a database of a pre-release version before anything is written.
            _ = try await Schema.status(of: pool)
            // A migrated database that neither `dev` nor `serve` has marked yet may be meant for production.
            let isMarked = try await installations.current() != nil
            guard isMarked || database.isPrivate else {
                throw Failure(
                    message:
                        "the database was not created by `sekisho dev`: it is migrated for `serve`. Use an empty database."
                )
            }
            // Checks the mark before the migrations too, so that a database of `serve` is rejected unchanged.
            try await Canary.markOrCheckDatabase(pool, for: .dev, under: masterKeys, at: clock.now())
        } else if try await !installations.databaseIsEmpty() {
            throw Failure(
                message: "the database was not created by `sekisho dev`: it has other tables. Use an empty database.")
        }
        _ = try await Schema.migrate(pool)
        try await Canary.markOrCheckDatabase(pool, for: .dev, under: masterKeys, at: clock.now())
        _ = try await draft.create(
            in: pool, under: masterKeys, by: .commandLine, at: clock.now(), signsFrom: DevProjects.earliestClockTime)
    }
}
