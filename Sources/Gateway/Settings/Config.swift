package import Crypto
internal import FoundationEssentials
package import IPAddresses
internal import Passwords
package import Postgres
package import Telemetry

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
