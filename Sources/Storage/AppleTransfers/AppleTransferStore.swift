public import Identity
public import Postgres

/// The identities of Apple that move to another team.
public struct AppleTransferStore: Sendable {
    /// An identity that waits to be exported or imported.
    public struct Waiting: Hashable, Sendable {
        public let account: ID<Account>
        public let subject: String
        /// `nil` if it is not exported.
        public let transferSubject: String?
        /// The client ID of the latest sign-in.
        public let clientID: String?
    }

    public struct Counts: Hashable, Sendable {
        public let all: Int
        public let exported: Int
        public let imported: Int
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// The identities of a realm, how many of them have a transfer subject for `team`, and how many have moved to it.
    public func counts(to team: String, in realm: ID<Realm>) async throws -> Counts {
        let rows = try await withStoreErrors { try await pool.query(.transferCounts(to: team, in: realm)) }
        guard let row = rows.first else { return Counts(all: 0, exported: 0, imported: 0) }
        return Counts(
            all: try row.decode("all_count"), exported: try row.decode("exported"),
            imported: try row.decode("imported"))
    }

    /// In the order of subjects.
    public func waitingForExport(
        to team: String, after last: String, limit: Int, in realm: ID<Realm>
    ) async throws -> [Waiting] {
        try await waiting(.waitingForExport(to: team, after: last, limit: limit, in: realm))
    }

    /// In the order of transfer subjects.
    public func waitingForImport(
        to team: String, after last: String, limit: Int, in realm: ID<Realm>
    ) async throws -> [Waiting] {
        try await waiting(.waitingForImport(to: team, after: last, limit: limit, in: realm))
    }

    /// The identities that wait for their import, by the team that they move to.
    public func waiting(in realm: ID<Realm>) async throws -> [String: Int] {
        try await withStoreErrors { try await pool.query(.waitingByTeam(in: realm)) }.reduce(into: [:]) { counts, row in
            counts[try row.decode("transfer_team")] = try row.decode("count", as: Int.self)
        }
    }

    /// Stores transfer subjects by subject.
    public func keep(_ transferSubjects: [String: String], to team: String, in realm: ID<Realm>) async throws {
        guard !transferSubjects.isEmpty else { return }
        _ = try await withStoreErrors {
            try await pool.execute(.keepTransferSubjects(transferSubjects, to: team, in: realm))
        }
    }

    /// Rewrites the identity, its grants and the account's address in one transaction.
    ///
    /// - Returns: `false` if the identity has changed since, perhaps by a sign-in that has rewritten it.
    /// - Throws: ``StoreConflict/taken(_:)`` if another account has the new subject.
    public func apply(
        _ transfer: IdentityTransfer, of id: ID<Account>, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.execute(.lock([id], in: realm))
                guard
                    let account = try await transaction.query(.find([.id(id)], in: realm)).first.map({
                        try AccountRow.account($0)
                    }), try await transaction.transfer(transfer, of: account, by: actor, at: now, in: realm) != nil
                else { return false }
                _ = try await transaction.execute(.forgetCredentialState(of: transfer, in: realm))
                return true
            }
        }
    }

    private func waiting(_ statement: SQL) async throws -> [Waiting] {
        try await withStoreErrors { try await pool.query(statement) }.map {
            Waiting(
                account: ID(try $0.decode("account_id")), subject: try $0.decode("subject"),
                transferSubject: try $0.decode("transfer_sub"), clientID: try $0.decode("audience"))
        }
    }
}

extension Transaction {
    /// Rewrites one identity. The account's row must be locked.
    ///
    /// - Returns: the account after the transfer; `nil` if the identity is no longer as `transfer` describes it.
    func transfer(
        _ transfer: IdentityTransfer, of account: Account, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Account? {
        guard try await execute(.rewrite(transfer, of: account.id, at: now, in: realm)) == 1 else { return nil }
        for statement: SQL in [
            .moveGrants(of: transfer, in: realm), .moveCodes(of: transfer, account.id, in: realm),
            .moveMergeRecords(of: transfer, account.id, in: realm),
        ] { _ = try await execute(statement) }
        let updated = try await storePrimaryEmail(
            of: account.transferring(transfer), was: account, at: now, in: realm)
        try await audit([AuditNote(.identityTransferred, account.id, .apple)], by: actor, at: now, in: realm)
        return updated
    }
}
