internal import API
internal import Identity
internal import Storage

/// A batch of an import with its accounts encoded for the database.
struct EncodedBatch: Sendable {
    fileprivate let source: UserSource.Batch
    /// Contains only the first of several accounts with the same ID.
    let encoded: ImportBatch
    /// The number of accounts in ``encoded``.
    fileprivate let count: Int

    init(_ source: UserSource.Batch, now: Instant, in realm: ID<Realm>) {
        self.source = source
        var ids: Set<ID<Account>> = []
        let accounts = source.rows.map(\.account).filter { ids.insert($0.account.id).inserted }
        encoded = ImportBatch(accounts, now: now, in: realm)
        count = accounts.count
    }
}

/// The batches of an import that are being stored, or that wait for the report of an earlier batch. Batches are
/// reported in the order of the file. Of rows that conflict with each other, the first is stored.
struct PendingBatches {
    /// For each account that was not stored, the member whose value another account has.
    typealias Conflicts = [ID<Account>: UniqueMember]

    /// The maximum number of pending batches.
    private static let limit = 2

    /// Whether rows with an existing ID are skipped instead of rejected.
    let resumes: Bool
    /// Whether the latest stored batch had conflicts, so that the next batch may have some too.
    private(set) var expectsConflicts = false
    private var batches: [(batch: EncodedBatch, result: Result<Conflicts, any Error>?)] = []
    /// The number of the first pending batch.
    private var firstNumber = 0

    init(resumes: Bool) {
        self.resumes = resumes
    }

    /// Whether one of the pending batches must be finished before `batch` is stored.
    func mustPrecede(_ batch: EncodedBatch) -> Bool {
        batches.count >= Self.limit || batches.contains { $0.batch.encoded.mayConflict(with: batch.encoded) }
    }

    /// - Returns: the number by which ``finish(_:_:_:)`` identifies the batch.
    mutating func add(_ batch: EncodedBatch) -> Int {
        batches.append((batch, nil))
        return firstNumber + batches.count - 1
    }

    /// Records the result of a batch. Unless an earlier batch is unfinished, reports this batch and those directly
    /// after it that are finished.
    ///
    /// - Throws: the first error of the batches to report, after the other batches were reported.
    mutating func finish(_ number: Int, _ result: Result<Conflicts, any Error>, _ report: ImportReport) throws {
        if case .success(let conflicts) = result { expectsConflicts = !conflicts.isEmpty }
        batches[number - firstNumber].result = result
        var failure: (any Error)?
        while let head = batches.first, let result = head.result {
            batches.removeFirst()
            firstNumber += 1
            do { try reportBatch(head.batch, try result.get(), to: report) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Reports the rejected users of a batch, and adds the numbers of the batch to the totals.
    private func reportBatch(_ batch: EncodedBatch, _ conflicts: Conflicts, to report: ImportReport) throws {
        for fault in batch.source.faults { try report.reject(fault) }
        var existing = 0
        var seen: Set<ID<Account>> = []
        let hasRepeatedIDs = batch.count < batch.source.rows.count
        for (line, stored, changes) in batch.source.rows
        where hasRepeatedIDs || !conflicts.isEmpty || !changes.isEmpty {
            let id = stored.account.id
            let isRepeated = !seen.insert(id).inserted
            guard let member = isRepeated ? UniqueMember.id : conflicts[id] else {
                try report.note(changes, of: id, line: line)
                continue
            }
            if resumes, member == .id {
                existing += 1
            } else {
                try report.reject(
                    UserFault(line: line, localId: id.rawValue, error: ImportedUser.Fault(taken: member).message),
                    existed: member == .id && !isRepeated)
            }
        }
        report.add(
            stored: batch.count - conflicts.count, existing: existing,
            skippedIdentities: batch.source.skippedIdentities, bytesRead: batch.source.bytesRead)
    }
}
