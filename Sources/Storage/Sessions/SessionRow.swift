internal import Encoding
internal import FoundationEssentials
internal import Identity
internal import Postgres

/// The columns of a ``Session`` in a table with the alias `s`, and their decoding.
enum SessionRow {
    /// For a query that also selects the session's account, whose generation is that of the session.
    static let columnsBesideAccount: SQL =
        "s.id AS session_id, s.method, s.authenticated_at, s.claims AS session_claims, s.second_factor, s.second_factor_id, s.passkey_id, s.device, s.support_actor, s.support_ends_at"
    static let columns: SQL = "s.account_id, s.generation AS session_generation, \(columnsBesideAccount)"

    /// Decodes ``columns``.
    static func session(_ row: Row) throws -> Session {
        try session(row, of: ID(try row.decode("account_id")), try row.decode("session_generation"))
    }

    /// Decodes ``columnsBesideAccount``.
    static func session(_ row: Row, of account: Account) throws -> Session {
        try session(row, of: account.id, account.generation)
    }

    private static func session(_ row: Row, of account: ID<Account>, _ generation: Int64) throws -> Session {
        var session = Session(
            id: ID(uuid: try row.decode("session_id")), account: account, generation: generation,
            method: ProviderID(try row.decode("method")),
            authenticatedAt: Instant(try row.decode("authenticated_at")),
            claims: try row.decode("session_claims", as: String?.self).map(Claims.init),
            secondFactor: try row.decode("second_factor", as: String?.self).flatMap(SessionFactor.Method.init)
                .map { SessionFactor($0, try row.decode("second_factor_id", as: String?.self).map { ID($0) }) },
            passkey: try row.decode("passkey_id", as: String?.self).map { ID($0) },
            device: try row.decode("device"))
        if let actor = try row.decode("support_actor", as: String?.self) {
            session.support = SupportAccess(actor: actor, endsAt: Instant(try row.decode("support_ends_at")))
        }
        return session
    }
}

/// SQL expressions for the values of a session to open: parameters, or columns of a batch.
struct SessionColumns {
    let id: SQL
    let account: SQL
    let generation: SQL
    let method: SQL
    let authenticatedAt: SQL
    let openedAt: SQL
    let claims: SQL
    var secondFactor: SQL
    var secondFactorID: SQL
    var passkey: SQL
    let device: SQL
    var app: SQL
    let credentialIssuedAt: SQL
    /// Only for a session that is opened alone, not in a batch.
    var supportActor: SQL = "NULL"
    var supportEndsAt: SQL = "NULL::timestamptz"
    /// The session whose app this one gets; `nil` if it gets ``app``. Only for a session that is opened alone.
    var formerSession: SQL?
}

extension SessionColumns {
    /// - Throws: ``NotAUUID``.
    init(_ session: NewSession) throws {
        var values = RowValues(session)
        try self.init(of: &values, \.self)
        // Most sessions have neither, and PostgreSQL handles a constant faster than a parameter.
        if session.session.secondFactor == nil { (secondFactor, secondFactorID) = ("NULL", "NULL") }
        if session.session.passkey == nil { passkey = "NULL" }
        if case .sameAs(let former) = session.app { formerSession = "\(try UUID(former))" }
        if let support = session.session.support {
            (supportActor, supportEndsAt) = ("\(support.actor)", "\(Timestamp(support.endsAt))")
        }
    }

    init<Row>(of rows: inout RowValues<Row>, _ session: (Row) -> NewSession) throws {
        self.init(
            id: try rows.column("session_id") { try UUID(session($0).id) },
            account: rows.column("session_account_id") { session($0).account.rawValue },
            generation: rows.column("generation") { session($0).session.generation },
            method: rows.column("method") { session($0).session.method.rawValue },
            authenticatedAt: rows.time("authenticated_at") { session($0).session.authenticatedAt },
            openedAt: rows.time("opened_at") { session($0).openedAt },
            claims: rows.column("claims") { session($0).session.claims?.json },
            secondFactor: rows.column("second_factor") { session($0).session.secondFactor?.method.rawValue },
            secondFactorID: rows.column("second_factor_id") { session($0).session.secondFactor?.factor?.rawValue },
            passkey: rows.column("passkey_id") { session($0).session.passkey?.rawValue },
            device: rows.column("device") { session($0).session.device },
            app: rows.columnUnlessAllNull("app_id") { session($0).knownApp },
            credentialIssuedAt: rows.time("credential_issued_at") { session($0).credentialIssuedAt })
    }
}

extension SessionColumns {
    func app(in realm: ID<Realm>) -> SQL {
        guard let formerSession else { return app }
        return "(SELECT f.app_id FROM session f WHERE f.realm_id = \(realm.rawValue) AND f.id = \(formerSession))"
    }
}

extension NewSession {
    /// The ID of the app to store; `nil` if it is unknown, or that of another session.
    var knownApp: String? {
        if case .known(let id) = app { id.rawValue } else { nil }
    }
}

/// An ID that must be a UUID is not a UUID. The IDs of sessions to open come from ``Entropy``, and those of other
/// sessions from verified tokens, so this error indicates a defect.
struct NotAUUID: Error, CustomStringConvertible {
    let id: String

    var description: String { "expected a UUID, got the ID \"\(id)\"" }
}

extension ID {
    init(uuid: UUID) {
        self.init(UUIDText.text(uuid))
    }
}

extension UUID {
    init<Subject>(_ id: ID<Subject>) throws {
        guard let bytes = UUIDText.bytes(id.rawValue) else { throw NotAUUID(id: id.rawValue) }
        self = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
