public import Identity
public import Postgres

/// Stores the transfer of Apple identities to another developer team. The old team exports them: Apple returns a
/// transfer subject (Apple's `transfer_sub`) for each user. The new team imports them: Apple returns the user's new
/// subject.
public struct AppleTransferStore: Sendable {
    /// An identity that waits to be exported or imported.
    public struct Waiting: Hashable, Sendable {
        public let account: ID<Account>
        public let subject: String
        /// `nil` if the identity waits to be exported.
        public let transferSubject: String?
        /// The client ID of the latest sign-in.
        public let clientID: String?
    }

    /// One page of identities. Identities are read in pages, so that no statement reads a whole realm.
    public struct Page: Hashable, Sendable {
        /// The identities of the page that wait to be exported or imported.
        public let waiting: [Waiting]
        /// The last subject (of a page for the export) or transfer subject (of a page for the import) that was read.
        /// The next page begins after it. `nil` if no identity was read.
        public let end: String?
    }

    /// An exported identity whose import Apple has rejected.
    public struct RejectedImport: Hashable, Sendable {
        public let account: ID<Account>
        /// Apple's error code.
        public let error: String

        public init(account: ID<Account>, error: String) {
            self.account = account
            self.error = error
        }
    }

    /// How many of a realm's Apple identities are exported and imported.
    public struct Counts: Hashable, Sendable {
        public fileprivate(set) var all = 0
        /// The identities with a transfer subject for the new team, including those that have moved to it.
        public fileprivate(set) var exported = 0
        /// The identities that have moved to the new team.
        public fileprivate(set) var imported = 0
    }

    /// The maximum number of rows that one statement reads, except where the caller sets a limit.
    private static let pageSize = 10_000

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Counts the Apple identities of a realm.
    ///
    /// - Parameter team: the new team.
    public func counts(to team: String, in realm: ID<Realm>) async throws -> Counts {
        var counts = Counts()
        var last: String? = ""
        while let start = last {
            let statement = SQL.transferCounts(to: team, after: start, limit: Self.pageSize, in: realm)
            guard let row = try await withStoreErrors({ try await pool.query(statement) }).first else { break }
            counts.all += try row.decode("all_count", as: Int.self)
            counts.exported += try row.decode("exported", as: Int.self)
            counts.imported += try row.decode("imported", as: Int.self)
            last = try row.decode("page_end")
        }
        return counts
    }

    /// Returns a page of the identities that wait to be exported, in the order of subjects.
    ///
    /// - Parameters:
    ///   - last: the end of the previous page; empty for the first page.
    ///   - limit: the maximum number of identities to read, including those that do not wait.
    public func waitingForExport(
        to team: String, after last: String, limit: Int, in realm: ID<Realm>
    ) async throws -> Page {
        try await page(.waitingForExport(to: team, after: last, limit: limit, in: realm))
    }

    /// Returns a page of the identities that wait to be imported, in the order of transfer subjects.
    ///
    /// - Parameters:
    ///   - retryingRejected: whether to include identities whose import Apple has rejected.
    ///   - last: the end of the previous page; empty for the first page.
    public func waitingForImport(
        to team: String, retryingRejected: Bool = false, after last: String, limit: Int, in realm: ID<Realm>
    ) async throws -> Page {
        try await page(
            .waitingForImport(to: team, retryingRejected: retryingRejected, after: last, limit: limit, in: realm))
    }

    /// Returns the identities whose import Apple has rejected.
    public func rejectedImports(to team: String, in realm: ID<Realm>) async throws -> [RejectedImport] {
        var rejected: [RejectedImport] = []
        var last: String? = ""
        while let start = last {
            let statement = SQL.rejectedImports(to: team, after: start, limit: Self.pageSize, in: realm)
            let rows = try await withStoreErrors { try await pool.query(statement) }
            rejected += try rows.compactMap { row in
                try row.decode("account_id", as: String?.self).map {
                    RejectedImport(account: ID($0), error: try row.decode("transfer_error"))
                }
            }
            last = try rows.first?.decode("page_end")
        }
        return rejected
    }

    /// Records whether Apple has rejected imports.
    ///
    /// - Parameter errors: Apple's error code for each transfer subject; `nil` for an identity that Apple has accepted.
    public func storeErrors(_ errors: [String: String?], to team: String, in realm: ID<Realm>) async throws {
        guard !errors.isEmpty else { return }
        _ = try await withStoreErrors { try await pool.execute(.storeTransferErrors(errors, to: team, in: realm)) }
    }

    /// Counts the identities that wait to be imported, by the team that they move to. Identities whose import Apple has
    /// rejected do not wait.
    public func countsOfWaitingImports(in realm: ID<Realm>) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        var last: String? = ""
        while let start = last {
            let statement = SQL.waitingByTeam(after: start, limit: Self.pageSize, in: realm)
            let rows = try await withStoreErrors { try await pool.query(statement) }
            for row in rows {
                counts[try row.decode("transfer_team"), default: 0] += try row.decode("count", as: Int.self)
            }
            last = try rows.first?.decode("page_end")
        }
        // If Apple has rejected all imports of a team, the team has the count 0.
        return counts.filter { $0.value > 0 }
    }

    /// Stores transfer subjects.
    ///
    /// - Parameter transferSubjects: the transfer subject of each identity, by the identity's current subject.
    /// - Returns: the number of these identities that still exist.
    public func storeTransferSubjects(
        _ transferSubjects: [String: String], to team: String, in realm: ID<Realm>
    ) async throws -> Int {
        guard !transferSubjects.isEmpty else { return 0 }
        return try await withStoreErrors {
            try await pool.execute(.storeTransferSubjects(transferSubjects, to: team, in: realm))
        }
    }

    /// Stores the new subject and address of a transferred identity. Changes the identity, the rows that refer to its
    /// subject, and the account's address in one transaction.
    ///
    /// - Returns: `false` if the identity has changed in the meantime, for example because a sign-in has transferred
    ///   it.
    /// - Throws: ``StoreConflict/taken(_:)`` if another account has the new subject; ``StoreConflict/stale`` if another
    ///   account has received the new address in the meantime.
    public func apply(
        _ transfer: IdentityTransfer, of id: ID<Account>, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Bool {
        do {
            return try await withStoreErrors {
                try await applyInTransaction(transfer, of: id, recording: recording, at: now, in: realm)
            }
        } catch StoreConflict.taken(.email) {
            throw StoreConflict.stale
        }
    }

    private func applyInTransaction(
        _ transfer: IdentityTransfer, of id: ID<Account>, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Bool {
        try await pool.transaction { transaction in
            _ = try await transaction.execute(.lockSubject(transfer.subject, of: .apple, in: realm))
            _ = try await transaction.execute(.lock([id], in: realm))
            guard
                let account = try await transaction.query(.find([.id(id)], in: realm)).first.map({
                    try AccountRow.account($0)
                }),
                try await transaction.transfer(transfer, of: account, recording: recording, at: now, in: realm) != nil
            else { return false }
            _ = try await transaction.execute(.markStateUnknown(of: transfer, in: realm))
            return true
        }
    }

    /// - Parameter statement: returns a row for each waiting identity. If none waits, it returns one row that has only
    ///   the end of the page.
    private func page(_ statement: SQL) async throws -> Page {
        let rows = try await withStoreErrors { try await pool.query(statement) }
        let waiting = try rows.compactMap { row -> Waiting? in
            guard let account = try row.decode("account_id", as: String?.self) else { return nil }
            return Waiting(
                account: ID(account), subject: try row.decode("subject"),
                transferSubject: try row.decode("transfer_sub"), clientID: try row.decode("audience"))
        }
        return Page(waiting: waiting, end: try rows.first?.decode("page_end"))
    }
}

extension Transaction {
    /// Stores the new subject in the identity and in the rows that refer to it, and changes the account's address. Then
    /// applies an event about the new subject that was received earlier. The caller must have locked the subject first,
    /// and then the account's row.
    ///
    /// - Returns: the account after the transfer; `nil` if the identity is no longer as `transfer` describes it.
    func transfer(
        _ transfer: IdentityTransfer, of account: Account, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Account? {
        guard try await execute(.rewriteIdentity(by: transfer, of: account.id, at: now, in: realm)) == 1 else {
            return nil
        }
        for statement: SQL in [
            .replaceSubjectInGrants(by: transfer, in: realm),
            .replaceSubjectInCodes(by: transfer, of: account.id, in: realm),
            .replaceSubjectInMergeRecords(by: transfer, of: account.id, in: realm),
        ] { _ = try await execute(statement) }
        try await changeEmail(of: account, to: account.applying(transfer).email, at: now, in: realm)
        try await record(transfer.events(of: account.id), by: recording, at: now, in: realm)
        try await applyEarlierEvent(
            about: transfer.subject, to: account.id, recording: recording, at: now, in: realm)
        return try await query(.find([.id(account.id)], in: realm)).first.map { try AccountRow.account($0) }
    }

    /// Changes the account's address. If another account has the new address, the account keeps its former address:
    /// otherwise a user who registers the new address first could make the account lose its address.
    private func changeEmail(
        of account: Account, to email: EmailAddress?, at now: Instant, in realm: ID<Realm>
    ) async throws {
        guard let email, email != account.email,
            try await query(.account(withPrimaryEmail: email, in: realm)).isEmpty
        else { return }
        var update = AccountUpdate()
        update.email = .set(email)
        update.emailIsVerified = account.emailIsVerified
        _ = try await execute(.update(account.id, by: update, at: now, in: realm))
    }
}
