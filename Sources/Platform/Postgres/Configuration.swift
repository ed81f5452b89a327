extension Pool {
    /// The server and the limits of a pool.
    public struct Configuration: Sendable {
        /// A libpq connection string or URI; several hosts are tried in order.
        public var url: String
        /// The maximum number of connections, not counting the one for ``Pool/read(_:)``.
        public var connections: Int
        /// Bounds the connections of this pool and others together, those for reads included; `nil`: no such bound.
        public var budget: ConnectionBudget?
        /// A connection that is not used for this time ends, unless it is the only one.
        public var idleLimit: Duration
        /// The time limit for connecting, for all hosts together.
        public var connectDeadline: Duration
        /// The time limit for waiting for a free connection.
        public var acquireDeadline: Duration
        /// The time limit of one statement. The server's own limit is 10% lower, so that the server ends the statement
        /// first and the connection remains usable.
        public var statementDeadline: Duration
        /// Whether sessions start with settings of the planner and with `statement_timeout`. Must be `false` for a
        /// connection pooler that rejects or shares such settings. If it is `false`, only the pool enforces
        /// ``statementDeadline``.
        public var setsStartupOptions: Bool
        /// How statements are prepared.
        public var preparation: StatementPreparation
        /// The name of the gateway in the server's views and logs.
        public var applicationName: String
        /// The maximum number of callers that wait for a free connection; further callers are rejected. Also the
        /// maximum number of messages without a response on the connection for ``Pool/read(_:)``; further reads use
        /// another connection.
        public var waitingLimit: Int

        public init(
            url: String, connections: Int = 4, budget: ConnectionBudget? = nil, idleLimit: Duration = .seconds(60),
            connectDeadline: Duration = .seconds(5), acquireDeadline: Duration = .seconds(3),
            statementDeadline: Duration = .seconds(5), setsStartupOptions: Bool = true,
            preparation: StatementPreparation = .own, applicationName: String = "sekisho", waitingLimit: Int = 1000
        ) {
            self.url = url
            self.connections = connections
            self.budget = budget
            self.idleLimit = idleLimit
            self.connectDeadline = connectDeadline
            self.acquireDeadline = acquireDeadline
            self.statementDeadline = statementDeadline
            self.setsStartupOptions = setsStartupOptions
            self.preparation = preparation
            self.applicationName = applicationName
            self.waitingLimit = waitingLimit
        }
    }
}

extension Pool.Configuration {
    /// Whether a text is a connection string or URI that libpq accepts, with valid hosts and ports.
    public static func isConnectionString(_ text: String) -> Bool { !text.isEmpty && ConnectionString(text) != nil }
}

extension Pool.Configuration: CustomStringConvertible, CustomReflectable {
    /// Excludes the URL, which may contain a password.
    public var description: String { "\(applicationName), \(connections) connections" }
    public var customMirror: Mirror { Mirror(self, children: ["applicationName": applicationName]) }
}
