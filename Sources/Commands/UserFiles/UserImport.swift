internal import API
internal import Gateway
internal import Identity
internal import Storage

/// Brings the users of a file into a project.
struct UserImport {
    let source: UserSource
    let store: PostgresAdministrationStore
    let realm: ID<Realm>
    /// Accounts whose ids are there already are passed over, for they came with a run before.
    let resumes: Bool
    let now: Instant

    /// - Throws: ``Failure`` if the file breaks off; what came before is stored.
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

    /// How much larger a project may get before it is looked at again.
    private static let growth = 4

    /// What is looked up for a batch goes by the names in it only while the server knows how many accounts there are. It
    /// finds out by itself some minutes later: nothing that an import should fail for.
    private func gatherStatistics() async { try? await store.gatherStatistics() }

    private func store(_ batch: UserSource.Batch, _ report: ImportReport) async throws {
        for fault in batch.faults { try report.refuse(fault) }
        var ids: Set<ID<Account>> = []
        let fresh = batch.rows.filter { ids.insert($0.entry.account.id).inserted }
        let inTheWay = try await store.add(
            fresh.map { row in
                var account = row.entry.account
                account.passwordUpdatedAt = row.entry.passwordHash == nil ? nil : now
                return StoredAccount(account: account, passwordHash: row.entry.passwordHash)
            }, by: .commandLine, now: now, in: realm)
        var alreadyThere = 0
        var seen: Set<ID<Account>> = []
        for (line, entry) in batch.rows {
            let id = entry.account.id
            let isAgain = !seen.insert(id).inserted
            guard let member = isAgain ? UniqueMember.id : inTheWay[id] else { continue }
            if resumes, member == .id {
                alreadyThere += 1
            } else {
                try report.refuse(
                    UserFault(line: line, localId: id.rawValue, error: ImportedUser.Fault(member).message))
            }
        }
        report.count(
            stored: fresh.count - inTheWay.count, alreadyThere: alreadyThere, leftOut: batch.leftOut,
            bytes: batch.bytes)
    }
}
