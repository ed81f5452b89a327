extension Pool {
    public struct Configuration: Sendable {
        /// A libpq connection string or URI; several hosts are tried in their order.
        public var url: String
        /// At most this many at a time, and one more for ``Pool/read(_:)``.
        public var connections: Int
        /// For all hosts together.
        public var connectDeadline: Duration
        /// For a free connection.
        public var acquireDeadline: Duration
        /// For one statement. The server is told a tenth less, so that it ends first and the connection survives.
        public var statementDeadline: Duration
        /// `false` for a pooler in transaction mode: statements run unnamed, and the server is told no deadline.
        public var usesPreparedStatements: Bool
        /// How the server's own views and logs call us.
        public var applicationName: String
        /// How many may wait for a free connection.
        public var waitingLimit: Int

        public init(
            url: String, connections: Int = 4, connectDeadline: Duration = .seconds(5),
            acquireDeadline: Duration = .seconds(3), statementDeadline: Duration = .seconds(5),
            usesPreparedStatements: Bool = true, applicationName: String = "sekisho", waitingLimit: Int = 1000
        ) {
            self.url = url
            self.connections = connections
            self.connectDeadline = connectDeadline
            self.acquireDeadline = acquireDeadline
            self.statementDeadline = statementDeadline
            self.usesPreparedStatements = usesPreparedStatements
            self.applicationName = applicationName
            self.waitingLimit = waitingLimit
        }
    }
}

extension Pool.Configuration: CustomStringConvertible, CustomReflectable {
    /// Without the URL, which may hold a password.
    public var description: String { "\(applicationName), \(connections) connections" }
    public var customMirror: Mirror { Mirror(self, children: ["applicationName": applicationName]) }
}
