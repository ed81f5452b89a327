internal import Gateway
internal import Identity
internal import Storage

/// Imports the users of a file into a realm (a project or a tenant). Stores up to two batches while the next one is
/// read.
struct UserImport {
    let source: UserSource
    let store: PostgresAccountStore
    let realm: ID<Realm>
    /// Whether accounts with existing IDs are skipped, because a previous run has imported them.
    let resumes: Bool
    let now: Instant

    private enum Event: Sendable {
        case finished(number: Int, Result<PendingBatches.Conflicts, any Error>)
        case gatheredStatistics
    }

    /// - Throws: ``Failure`` if the file is invalid or truncated; the error of the database if a batch could not be
    ///   stored. Before it throws, the batches that were stored are reported.
    func run(_ report: ImportReport) async throws {
        await gatherStatistics()
        let failure = await withTaskGroup(of: Event.self, returning: (any Error)?.self) { tasks in
            var pending = PendingBatches(resumes: resumes)
            var statisticsSchedule = StatisticsSchedule()
            var failure: (any Error)?

            func handle(_ event: Event?) throws {
                switch event {
                case .finished(let number, let result)?: try pending.finish(number, result, report)
                case .gatheredStatistics?: statisticsSchedule.isRunning = false
                case nil: break
                }
            }

            do {
                while let batch = try await nextBatch() {
                    while pending.mustPrecede(batch) { try handle(await tasks.next()) }
                    let (number, expectsConflicts) = (pending.add(batch), pending.expectsConflicts)
                    tasks.addTask {
                        do {
                            let conflicts = try await store.add(
                                batch.encoded, expectsConflicts: expectsConflicts, by: .commandLine)
                            return .finished(number: number, .success(conflicts))
                        } catch {
                            return .finished(number: number, .failure(error))
                        }
                    }
                    guard statisticsSchedule.beginIfDue(at: report.stored) else { continue }
                    tasks.addTask {
                        await gatherStatistics()
                        return .gatheredStatistics
                    }
                }
            } catch {
                failure = error
            }
            // Batches that are still being stored are counted even if the file is truncated or another batch failed.
            while let event = await tasks.next() {
                do { try handle(event) } catch { failure = failure ?? error }
            }
            return failure
        }
        if let failure { throw failure }
        await gatherStatistics()
    }

    private func nextBatch() async throws -> EncodedBatch? {
        try await source.next().map { EncodedBatch($0, now: now, in: realm) }
    }

    /// Updates the planner statistics, without which the look-ups of a batch may not use an index. Errors are ignored,
    /// because PostgreSQL updates the statistics itself some minutes later.
    private func gatherStatistics() async { try? await store.gatherStatistics() }
}

/// Decides when an import gathers the planner statistics again: when the number of stored accounts is more than
/// ``growth`` times that of the previous time.
private struct StatisticsSchedule {
    private static let growth = 4

    var isRunning = false
    /// The number of stored accounts when the statistics were last gathered.
    private var storedBefore = 0

    /// Returns whether to gather the statistics now, and records the start.
    mutating func beginIfDue(at stored: Int) -> Bool {
        guard !isRunning, stored > storedBefore * Self.growth else { return false }
        isRunning = true
        storedBefore = stored
        return true
    }
}
