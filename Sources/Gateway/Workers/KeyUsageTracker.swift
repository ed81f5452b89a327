internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization

/// Which service keys were used and when: noted in memory by every request, written by somebody who has the time.
final class KeyUsageTracker: Sendable {
    private struct Key: Hashable {
        let id: String
        let project: ID<Project>
    }

    private struct Use {
        var latest: Instant
        var written: Instant?

        /// An earlier time than before is a clock's that was set back.
        var isNews: Bool {
            written.map { latest < $0 || latest - $0 >= ServiceKeyStore.useResolution } ?? true
        }
    }

    /// Guards what all loops have seen; a key stays in it, and keys are few.
    private let uses = Mutex<[Key: Use]>([:])

    func note(_ id: String, in project: ID<Project>, at now: Instant) {
        uses.withLock { $0[Key(id: id, project: project), default: Use(latest: now)].latest = now }
    }

    func job(on pool: Pool) -> Job {
        let store = ServiceKeyStore(pool: pool)
        // Replicas that were started together do not stay together.
        return Job(name: "key use", pause: { .milliseconds(.random(in: 40_000...80_000)) }) { [self] in
            try await write(to: store)
        }
    }

    /// Writes each use that is not written yet and not too close to one that is.
    func write(to store: ServiceKeyStore) async throws {
        let news = uses.withLock { $0.filter { $0.value.isNews } }
        for (key, use) in news {
            try await store.touch(key.id, in: key.project, at: use.latest)
            uses.withLock { $0[key]?.written = use.latest }
        }
    }
}
