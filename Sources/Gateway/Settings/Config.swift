package import Crypto
internal import FoundationEssentials
internal import Glibc
package import IPAddresses
internal import Passwords
package import Postgres
internal import Providers
package import Telemetry

/// The settings of the program, which are environment variables. They are read once, at start.
package enum Settings {
    static let databaseURL = Setting(
        name: "DATABASE_URL", fallback: nil,
        meaning: "the PostgreSQL database, such as postgresql://user:password@host/name", isSecret: true)
    static let databaseConnections = Setting(
        name: "SEKISHO_DATABASE_CONNECTIONS", fallback: nil,
        meaning:
            "the maximum number of database connections of this process, at least one per event loop, at most 1000 (default: 5 per event loop, but at most 40, and at most half of the connections that PostgreSQL allows)"
    )
    static let outage = Setting(
        name: "SEKISHO_OUTAGE_SECONDS", fallback: "600",
        meaning:
            "how long, in seconds, public keys, discovery documents, login methods and pages are served from the last loaded configuration while PostgreSQL is unavailable, 0 to 600"
    )
    static let databasePrepared = Setting(
        name: "SEKISHO_DATABASE_PREPARED", fallback: "on",
        meaning:
            "whether statements are prepared: on, shared or off. Must be shared behind a connection pooler in transaction mode, or off if the pooler does not accept named statements"
    )
    static let databaseStartupOptions = Setting(
        name: "SEKISHO_DATABASE_STARTUP_OPTIONS", fallback: "on",
        meaning:
            "whether database sessions start with settings of the planner and with statement_timeout: on or off. Must be off behind a connection pooler in transaction mode, which then sets them itself"
    )
    static let masterKey = Setting(
        name: "SEKISHO_MASTER_KEY", fallback: nil,
        meaning:
            "32 bytes in base64, the key that encrypts every secret in the database (sekisho keys generate-master-key prints one)",
        isSecret: true)
    static let previousMasterKey = Setting(
        name: "SEKISHO_MASTER_KEY_PREVIOUS", fallback: nil,
        meaning: "the previous master key, until sekisho keys rewrap has run", isSecret: true)
    package static let publicURL = Setting(
        name: "SEKISHO_PUBLIC_URL", fallback: nil,
        meaning:
            "the URL of the gateway for clients, such as https://auth.example.com; the issuer of tokens begins with it")
    static let listen = Setting(
        name: "SEKISHO_LISTEN", fallback: "0.0.0.0:8080", meaning: "numeric address and port to listen on")
    static let operationsListen = Setting(
        name: "SEKISHO_OPERATIONS_LISTEN", fallback: nil,
        meaning:
            "numeric address and port that serve /healthz, /readyz and /metrics, such as 127.0.0.1:9090; if it is set, SEKISHO_LISTEN does not serve them"
    )
    static let loops = Setting(
        name: "SEKISHO_LOOPS", fallback: nil, meaning: "event loops, 1 to 256 (default: one per core)")
    static let trustedProxies = Setting(
        name: "SEKISHO_TRUSTED_PROXIES", fallback: "",
        meaning:
            "comma-separated networks of proxies, such as 10.0.0.0/8,fd00::/8; the proxies must overwrite X-Forwarded-Host and X-Forwarded-Proto, and append to X-Forwarded-For or overwrite it"
    )
    static let passwordThreads = Setting(
        name: "SEKISHO_PASSWORD_THREADS", fallback: nil,
        meaning: "threads that hash passwords, 1 to 256 (default: one per core)")
    static let passwordMemory = Setting(
        name: "SEKISHO_PASSWORD_MEMORY_KIB", fallback: "19456",
        meaning: "memory of one Argon2id hash in KiB, 7168 to 1048576")
    static let passwordIterations = Setting(
        name: "SEKISHO_PASSWORD_ITERATIONS", fallback: "2", meaning: "Argon2id passes over the memory, 1 to 16")
    static let passwordWaiting = Setting(
        name: "SEKISHO_PASSWORD_WAITING", fallback: "64",
        meaning: "maximum number of passwords that wait for a thread, 2 to 10000; requests beyond it get status 503")
    static let breachedPasswords = Setting(
        name: "SEKISHO_BREACHED_PASSWORDS_URL", fallback: BreachedPasswordList.publicURL,
        meaning:
            "the URL of the list of breached passwords, to which the gateway appends the first five hex digits of a password's SHA-1; an empty value disables the check",
        acceptsEmpty: true, isSecret: true)
    static let appleDomainAssociation = Setting(
        name: "SEKISHO_APPLE_DOMAIN_ASSOCIATION", fallback: nil,
        meaning:
            "the content of apple-developer-domain-association.txt, by which Apple verifies this host; or set SEKISHO_APPLE_DOMAIN_ASSOCIATION_FILE to the path of that file"
    )
    static let logLevel = Setting(name: "SEKISHO_LOG_LEVEL", fallback: "info", meaning: "debug, info, warning or error")
    static let drainDelay = Setting(
        name: "SEKISHO_DRAIN_DELAY_SECONDS", fallback: "5",
        meaning:
            "time in seconds after SIGTERM in which the gateway still accepts requests but tells load balancers and clients to leave, 0 to 300"
    )
    static let drain = Setting(
        name: "SEKISHO_DRAIN_SECONDS", fallback: "10",
        meaning:
            "maximum time in seconds, after SEKISHO_DRAIN_DELAY_SECONDS, for running requests and email deliveries to finish, 0 to 300"
    )

    package static let hashKey = Setting(
        name: "SEKISHO_HASH_KEY", fallback: nil,
        meaning: "the base64 key of imported password hashes, only for sekisho users import", isSecret: true)

    static let all =
        [
            databaseURL, databaseConnections, databaseStartupOptions, databasePrepared, outage, masterKey,
            previousMasterKey, publicURL, listen, operationsListen, loops, trustedProxies, passwordThreads,
            passwordMemory, passwordIterations, passwordWaiting, breachedPasswords, appleDomainAssociation, logLevel,
            drainDelay, drain,
        ] + server + email + console + [hashKey]
}

/// The configuration of a gateway, as read from the environment or chosen by dev mode.
package struct Config: Sendable {
    package var database: Pool.Configuration
    /// The maximum age of a configuration that is used while the database is unavailable.
    package var outageLimit: Duration = .zero
    package var masterKeys: MasterKeys
    package var listen: ListenAddress
    /// The listener for monitoring; `nil`: ``listen`` serves the operations for monitoring.
    package var operationsListen: ListenAddress?
    var loops: Int
    var trustedProxies: [IPNetwork]
    var server: ServerConfig
    var passwords: PasswordConfig
    /// `nil`: passwords are not checked for breaches.
    var breachedPasswordsURL: String?
    /// The content of the file by which Apple verifies the host; `nil` if it is not set.
    package var appleDomainAssociation: String?
    package var logLevel: Log.Level
    /// The time after the signal to stop in which requests are still accepted.
    package var drainDelay: Duration
    /// The maximum time, after ``drainDelay``, for running requests and email deliveries to finish.
    package var drainTimeout: Duration
    /// `nil`: no email is sent.
    package var email: EmailConfig?
    /// `nil`: there is no console.
    package var console: ConsoleSettings?

    package init(
        database: Pool.Configuration, masterKeys: MasterKeys, listen: ListenAddress,
        operationsListen: ListenAddress? = nil, loops: Int, trustedProxies: [IPNetwork],
        server: ServerConfig, passwords: PasswordConfig,
        breachedPasswordsURL: String? = nil, appleDomainAssociation: String? = nil, logLevel: Log.Level,
        drainDelay: Duration, drainTimeout: Duration, email: EmailConfig? = nil
    ) {
        self.database = database
        self.masterKeys = masterKeys
        self.listen = listen
        self.operationsListen = operationsListen
        self.loops = loops
        self.trustedProxies = trustedProxies
        self.server = server
        self.passwords = passwords
        self.breachedPasswordsURL = breachedPasswordsURL
        self.appleDomainAssociation = appleDomainAssociation
        self.logLevel = logLevel
        self.drainDelay = drainDelay
        self.drainTimeout = drainTimeout
        self.email = email
    }

    package struct PasswordConfig: Sendable {
        var threads: Int
        /// The maximum number of passwords that wait for a thread.
        var waiting: Int
        var cost: PasswordHash.Cost
        /// Whether a hash of another system or cost is replaced after a correct password.
        var replacesHashes: Bool

        package init(threads: Int, waiting: Int, cost: PasswordHash.Cost, replacesHashes: Bool = true) {
            self.threads = threads
            self.waiting = waiting
            self.cost = cost
            self.replacesHashes = replacesHashes
        }
    }
}

extension Config {
    /// Reads the settings of `serve`.
    ///
    /// - Returns: the configuration, and the URL of the gateway without a slash at the end.
    /// - Throws: ``ConfigurationError`` with every problem.
    package static func read(
        from reader: inout SettingsReader
    ) throws(ConfigurationError) -> (config: Config, publicURL: String) {
        reader.rejectUnknownVariables()
        let database = reader.database()
        let masterKeys = reader.masterKeys()
        let publicURL = reader.required(
            Settings.publicURL, "an https URL without path (http for loopback only)", Self.parse(publicURL:))
        let listen = reader.required(Settings.listen, "ADDRESS:PORT with a numeric address", ListenAddress.init)
        let operationsListen = reader.optional(
            Settings.operationsListen, "ADDRESS:PORT with a numeric address", ListenAddress.init)
        let loops = reader.optional(Settings.loops, "an integer from 1 to 256", Self.parse(count:))
        let connections = reader.connections(ofLoops: loops)
        let outageSeconds = reader.number(Settings.outage, in: 0...600)
        let trustedProxies = reader.required(
            Settings.trustedProxies, "comma-separated networks such as 10.0.0.0/8", Self.parse(networks:))
        let server = reader.server()
        let passwords = reader.passwords()
        let breachedPasswordsURL = reader.breachedPasswordsURL()
        let appleDomainAssociation = reader.optional(
            Settings.appleDomainAssociation, "printable ASCII of at most 65536 bytes", Self.parse(domainAssociation:))
        let logLevel = reader.required(Settings.logLevel, "debug, info, warning or error", Self.parse(level:))
        let drainDelaySeconds = reader.number(Settings.drainDelay, in: 0...300)
        let drainSeconds = reader.number(Settings.drain, in: 0...300)
        let email = reader.email()
        let console = reader.console()
        try reader.requireNoProblems()
        guard var database, let masterKeys, let publicURL, let listen, let trustedProxies, let server,
            let passwords, let breachedPasswordsURL, let logLevel, let drainDelaySeconds,
            let drainSeconds, let outageSeconds
        else { throw ConfigurationError(problems: ["a setting is missing"]) }
        let loopCount = loops ?? min(coreCount, connections ?? coreCount)
        database.bound(to: connections, sharedBy: loopCount)
        var config = Config(
            database: database, masterKeys: masterKeys, listen: listen,
            operationsListen: operationsListen, loops: loopCount, trustedProxies: trustedProxies,
            server: server, passwords: passwords,
            breachedPasswordsURL: breachedPasswordsURL.isEmpty ? nil : breachedPasswordsURL,
            appleDomainAssociation: appleDomainAssociation, logLevel: logLevel,
            drainDelay: .seconds(drainDelaySeconds), drainTimeout: .seconds(drainSeconds), email: email)
        config.outageLimit = .seconds(outageSeconds)
        config.console = console
        return (config, publicURL)
    }
}

extension Config {
    /// The number of processor cores that are online.
    package static var coreCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    private static func parse(level name: String) -> Log.Level? {
        Log.Level.allCases.first { "\($0)" == name }
    }

    /// - Returns: a number of event loops or threads; `nil` unless the text is an integer from 1 to 256.
    fileprivate static func parse(count text: String) -> Int? {
        Int(text).flatMap { (1...256).contains($0) ? $0 : nil }
    }

    private static func parse(networks text: String) -> [IPNetwork]? {
        let parts = text.split(separator: ",").map { $0.trimmingPrefix(while: { $0 == " " }) }
        let networks = parts.compactMap { IPNetwork(String($0)) }
        return networks.count == parts.count ? networks : nil
    }

    /// - Returns: the URL without a slash at the end; `nil` unless it has HTTPS (or HTTP and a loopback host) and no
    ///   path, query, fragment or user.
    package static func parse(publicURL text: String) -> String? {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let url = URL(string: trimmed), let host = url.host, !host.isEmpty, url.path.isEmpty,
            url.query == nil, url.fragment == nil, url.user == nil
        else { return nil }
        return isSafe(url) ? trimmed : nil
    }

    private static func parse(domainAssociation text: String) -> String? {
        let isPrintable = text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D }
        return isPrintable && (1...65_536).contains(text.utf8.count) ? text : nil
    }

    fileprivate static func parse(breachedPasswordsURL text: String) -> String? {
        guard !text.isEmpty else { return text }
        guard text.utf8.count <= 1024, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text), url.host?.isEmpty == false, url.query == nil, url.fragment == nil,
            url.user == nil, isSafe(url)
        else { return nil }
        return text.hasSuffix("/") ? text : text + "/"
    }

    /// Whether the URL has HTTPS, or HTTP and a loopback host.
    private static func isSafe(_ url: URL) -> Bool {
        url.scheme == "https"
            || url.scheme == "http" && ["127.0.0.1", "localhost", "::1", "[::1]"].contains(url.host ?? "")
    }
}

extension SettingsReader {
    mutating func database() -> Pool.Configuration? {
        let url = required(
            Settings.databaseURL,
            "postgresql://USER:PASSWORD@HOST/DATABASE; a password with other characters than letters and digits must be percent-encoded, such as %40 for @"
        ) { Pool.Configuration.isConnectionString($0) ? $0 : nil }
        let options = required(Settings.databaseStartupOptions, "on or off") { ["on": true, "off": false][$0] }
        let preparation = required(Settings.databasePrepared, "on, shared or off") { text -> StatementPreparation? in
            ["on": .own, "shared": .shared, "off": StatementPreparation.none][text]
        }
        guard let url, let options, let preparation else { return nil }
        return Pool.Configuration(
            url: url, setsStartupOptions: options, preparation: preparation, applicationName: "sekisho")
    }

    /// - Parameter loops: `nil` if the number of event loops is not set.
    mutating func connections(ofLoops loops: Int?) -> Int? {
        let minimum = loops ?? 1
        return optional(
            Settings.databaseConnections,
            "an integer from \(minimum)\(minimum > 1 ? " (SEKISHO_LOOPS)" : "") to 1000"
        ) { Int($0).flatMap { (minimum...1000).contains($0) ? $0 : nil } }
    }

    mutating func passwords() -> Config.PasswordConfig? {
        let threads = optional(Settings.passwordThreads, "an integer from 1 to 256", Config.parse(count:))
        let memory = number(Settings.passwordMemory, in: 7168...1_048_576)
        let iterations = number(Settings.passwordIterations, in: 1...16)
        let waiting = number(Settings.passwordWaiting, in: 2...10_000)
        guard let memory, let iterations, let waiting,
            let cost = try? PasswordHash.Cost(memoryKiB: memory, iterations: iterations)  // Both are in range.
        else { return nil }
        return Config.PasswordConfig(threads: threads ?? Config.coreCount, waiting: waiting, cost: cost)
    }

    /// Returns an empty text if passwords are not checked for breaches.
    mutating func breachedPasswordsURL() -> String? {
        required(
            Settings.breachedPasswords, "an https URL without query (http for loopback only), or empty",
            Config.parse(breachedPasswordsURL:))
    }

    mutating func masterKeys() -> MasterKeys? {
        let current = required(Settings.masterKey, "32 bytes in base64", Self.parse(masterKey:))
        let previous = optional(Settings.previousMasterKey, "32 bytes in base64", Self.parse(masterKey:))
        // `parse(masterKey:)` has checked both lengths.
        return current.flatMap { try? MasterKeys(current: $0, previous: previous) }
    }

    private static func parse(masterKey text: String) -> [UInt8]? {
        Data(base64Encoded: text).flatMap { $0.count == 32 ? Array($0) : nil }
    }
}

extension SettingsReader {
    /// Reads the environment of the process, and the files that the environment names.
    package static func live() -> SettingsReader {
        SettingsReader(environment: ProcessInfo.processInfo.environment, contents: InputFile.text(of:))
    }
}

extension Pool.Configuration {
    /// The default number of connections of an event loop, with the one for reads, and of a process.
    private static let (connectionsPerLoop, connectionsPerProcess) = (5, 40)

    /// Bounds the connections of all pools with this configuration together.
    ///
    /// - Parameter connections: `nil` for the default.
    fileprivate mutating func bound(to connections: Int?, sharedBy loops: Int) {
        let bound = connections ?? max(loops, min(loops * Self.connectionsPerLoop, Self.connectionsPerProcess))
        budget = ConnectionBudget(connections: bound, pools: loops, isDefault: connections == nil)
        self.connections = max(self.connections, bound / loops - 1)
    }
}
