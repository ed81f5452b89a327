internal import CSystem

extension PrivatePostgres {
    /// Creates a database, optionally as a copy of `template`, which must have no connections.
    ///
    /// - Throws: ``PrivatePostgresError/statementRejected(_:)``, for example if the database exists;
    ///   ``PrivatePostgresError/connectionFailed(_:)``.
    public func createDatabase(named name: String, template: String? = nil) throws(PrivatePostgresError) {
        try administer { connection throws(PrivatePostgresError) in
            let copy = try template.map { template throws(PrivatePostgresError) in
                " TEMPLATE \(try connection.quotedIdentifier(template))"
            }
            try connection.execute("CREATE DATABASE \(try connection.quotedIdentifier(name))\(copy ?? "")")
        }
    }

    /// Drops a database, and closes its connections. Does nothing if the database does not exist.
    public func dropDatabase(named name: String) throws(PrivatePostgresError) {
        _ = try administer { connection throws(PrivatePostgresError) in
            try connection.execute("DROP DATABASE IF EXISTS \(try connection.quotedIdentifier(name)) WITH (FORCE)")
        }
    }

    public func hasDatabase(named name: String) throws(PrivatePostgresError) -> Bool {
        try administer { connection throws(PrivatePostgresError) in
            let literal = try connection.quotedLiteral(name)
            return try connection.execute("SELECT FROM pg_database WHERE datname = \(literal)") == 1
        }
    }

    private func administer<Value>(
        _ body: (AdministrativeConnection) throws(PrivatePostgresError) -> Value
    ) throws(PrivatePostgresError) -> Value {
        let connection = try AdministrativeConnection(url: url() + "&connect_timeout=10")
        defer { connection.close() }
        return try body(connection)
    }
}

/// A blocking connection for administrative statements.
private struct AdministrativeConnection {
    private let handle: OpaquePointer?

    init(url: String) throws(PrivatePostgresError) {
        handle = PQconnectdb(url)
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        guard PQstatus(handle) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(handle))
            PQfinish(handle)
            throw .connectionFailed(message)
        }
    }

    func close() { PQfinish(handle) }

    func quotedIdentifier(_ name: String) throws(PrivatePostgresError) -> String {
        try string(freeing: PQescapeIdentifier(handle, name, name.utf8.count))
    }

    func quotedLiteral(_ text: String) throws(PrivatePostgresError) -> String {
        try string(freeing: PQescapeLiteral(handle, text, text.utf8.count))
    }

    /// - Returns: the number of returned rows.
    @discardableResult
    func execute(_ statement: String) throws(PrivatePostgresError) -> Int {
        let result = PQexec(handle, statement)
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return Int(PQntuples(result))
        default: throw .statementRejected(String(cString: PQerrorMessage(handle)))
        }
    }

    private func string(freeing escaped: UnsafeMutablePointer<CChar>?) throws(PrivatePostgresError) -> String {
        guard let escaped else { throw .statementRejected(String(cString: PQerrorMessage(handle))) }
        defer { PQfreemem(escaped) }
        return String(cString: escaped)
    }
}
