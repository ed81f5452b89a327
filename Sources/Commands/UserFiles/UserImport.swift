internal import API
internal import Gateway
internal import Identity
internal import Storage

/// Imports the users of a file into a realm.
struct UserImport {
    let source: UserSource
    let store: PostgresAccountStore
    let realm: ID<Realm>
    /// Whether accounts with existing IDs are skipped, because a previous run has imported them.
    let resumes: Bool
    let now: Instant

    /// - Throws: ``Failure`` if the file is truncated; the rows before that are stored.
    func run(_ report: ImportReport) async throws {
        await gatherStatistics()
        var gathered = 0
        var next = try await source.next()
        while let batch = next {
            async let following = source.next()
            try await store(batch, report)
            if report.stored > gathered * Self.growth {
                await gatherStatistics()
                gathered = report.stored
            }
            next = try await following
        }
        await gatherStatistics()
    }

    /// The growth factor of the project after which statistics are gathered again.
    private static let growth = 4

    /// Updates the planner statistics, without which the lookups of a batch may not use an index. Errors are ignored,
    /// because PostgreSQL updates the statistics itself some minutes later.
    private func gatherStatistics() async { try? await store.gatherStatistics() }

    private func store(_ batch: UserSource.Batch, _ report: ImportReport) async throws {
        for fault in batch.faults { try report.reject(fault) }
        var ids: Set<ID<Account>> = []
        let fresh = batch.rows.filter { ids.insert($0.entry.account.id).inserted }
        let conflicts = try await store.add(
            fresh.map { row in
                var account = row.entry.account
                account.passwordUpdatedAt = row.entry.passwordHash == nil ? nil : now
                return StoredAccount(account: account, passwordHash: row.entry.passwordHash)
            }, by: .commandLine, now: now, in: realm)
        var existing = 0
        var seen: Set<ID<Account>> = []
        for (line, entry) in batch.rows {
            let id = entry.account.id
            let isAgain = !seen.insert(id).inserted
            guard let member = isAgain ? UniqueMember.id : conflicts[id] else { continue }
            if resumes, member == .id {
                existing += 1
            } else {
                try report.reject(
                    UserFault(line: line, localId: id.rawValue, error: ImportedUser.Fault(member).message))
            }
        }
        report.count(
            stored: fresh.count - conflicts.count, existing: existing, skippedIdentities: batch.skippedIdentities,
            bytes: batch.bytes)
    }
}
