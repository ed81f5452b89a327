internal import Encoding
internal import FoundationEssentials
internal import Identity
internal import Postgres

/// Inserts the events of a change into the audit trail, and those that the project's listeners want into the table
/// `outbox`. Both belong to the transaction of the change.
extension Transaction {
    /// - Parameter notes: further audit events of the change.
    func record(
        _ events: [AccountEvent], besides notes: [AuditNote] = [], by recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws {
        try await audit(notes + events.flatMap(\.auditNotes), by: recording.actor, at: now, in: realm)
        if let insertion = try SQL.insertOutboxEvents(events, by: recording, at: now, in: realm) {
            _ = try await execute(insertion)
        }
    }

    /// Requires that the account is as the blocking functions saw it. Locks the account.
    ///
    /// - Throws: ``ChangedDuringHooks``.
    func requireUnchangedForHooks(_ session: NewSession, in realm: ID<Realm>) async throws {
        guard let judged = session.hookDecision?.account else { return }
        _ = try await execute(.lock([judged.id], in: realm))
        guard let row = try await query(.find([.id(judged.id)], in: realm)).first,
            try AccountRow.account(row).isUnchangedForHooks(since: judged)
        else { throw ChangedDuringHooks() }
    }

    /// Marks the exchanged code as used, applies the changes of blocking functions, and records the events of a sign-in
    /// if the project's listeners want them. If a function has disabled the account, the account is stored, but the
    /// session is not.
    func recordOpening(of session: NewSession, isNewAccount: Bool = false, in realm: ID<Realm>) async throws {
        try await consumeCode(exchangedFor: session, in: realm)
        if let change = session.hookDecision?.change {
            let update = SQL.update(session.account, by: change.update, at: session.openedAt, in: realm)
            guard try await execute(update) == 1 else { throw StoreConflict.stale }
            try await record(change.events, by: change.recording, at: session.openedAt, in: realm)
            if change.disables { _ = try await execute(.deleteSession(session.id, in: realm)) }
        }
        guard let recording = session.recording else { return }
        try await record(
            session.events(isNewAccount: isNewAccount), by: recording, at: session.openedAt, in: realm)
    }
}

extension SQL {
    /// Completes a statement that makes a change: inserts the events once for each row of `source`, a common table
    /// expression that returns at most one row. The number of affected rows is that of the audit events.
    ///
    /// - Parameter source: the name of a common table expression.
    static func record(
        _ events: [AccountEvent], by recording: EventRecording, at now: Instant, in realm: ID<Realm>,
        with change: SQL, forEachRowOf source: SQL
    ) throws -> SQL {
        let insertion = try insertOutboxEvents(events, by: recording, at: now, in: realm, forEachRowOf: source)
        let outboxRows: SQL = insertion.map { ", outbox_rows AS (\($0))" } ?? ""
        let audit = try audit(
            events.flatMap(\.auditNotes), by: recording.actor, at: now, in: realm, forEachRowOf: source)
        return "WITH \(source) AS (\(change))\(outboxRows) \(audit)"
    }

    /// Inserts the wanted ones of `events`, once for each row of `source`.
    ///
    /// - Returns: `nil` if none is wanted.
    static func insertOutboxEvents(
        _ events: [AccountEvent], by recording: EventRecording, at now: Instant, in realm: ID<Realm>,
        forEachRowOf source: SQL = .singleRow
    ) throws -> SQL? {
        let wanted = events.filter { recording.wantedKinds.contains($0.change.kind) }
        guard !wanted.isEmpty else { return nil }
        return insertOutboxRows(
            by: recording.actor, at: now,
            """
            \(realm.rawValue), e.kind, e.account_id, e.data::jsonb FROM \(source),
            unnest(\(wanted.map(\.change.kind.rawValue)), \(wanted.map(\.account.rawValue)),
                \(try wanted.map { try json($0.change.data) })) AS e (kind, account_id, data)
            """)
    }

    /// Common table expressions, each followed by a comma, that insert the event of each account in `source`, the
    /// deleted accounts, and the audit events of their roles in the console.
    static func record(_ deletion: AccountDeletion, of source: SQL) throws -> SQL {
        let (event, actor, now) = (deletion.event, deletion.recording.actor, deletion.deletedAt)
        let removedRoles: SQL = "removed_roles AS (\(try auditRemovedRoles(of: source, by: actor, at: now))),"
        let audited: SQL =
            deletion.isAudited
            ? "\(removedRoles) audited AS (\(try auditDeletions(of: source, as: event.kind, by: actor, at: now))),"
            : removedRoles
        guard deletion.recording.wantedKinds.contains(event.kind) else { return audited }
        let insertion = insertOutboxRows(
            by: actor, at: now, "realm_id, \(event.kind.rawValue), id, \(try json(event.data))::jsonb FROM \(source)")
        return "\(audited) outbox_rows AS (\(insertion)),"
    }

    /// - Parameter selection: the end of the `SELECT`: realm, kind, account and data of each event, and the `FROM`
    ///   clause.
    private static func insertOutboxRows(by actor: AuditActor, at now: Instant, _ selection: SQL) -> SQL {
        """
        INSERT INTO outbox (id, actor, created_at, realm_id, kind, account_id, data)
        SELECT gen_random_uuid(), \(actor.name), \(Timestamp(now)), \(selection)
        """
    }

    private static func json(_ data: [String: AccountEvent.Change.Value]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(data), as: UTF8.self)
    }
}
