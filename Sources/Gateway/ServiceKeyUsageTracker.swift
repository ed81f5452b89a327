internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization

/// Identifies a service key: its ID is unique only in its project.
struct ServiceKeyName: Hashable {
    let id: String
    let project: ID<Project>
}

/// Records the last use of each service key (a backend's credential) in memory, and writes it to the database in the
/// background.
final class ServiceKeyUsageTracker: Sendable {
    private struct Use {
        var latest: Instant
        /// The latest use that this process has written to the database; `nil` if there is none.
        var written: Instant?

        /// Whether ``latest`` must be written. It is earlier than ``written`` if the clock was set back.
        var needsWrite: Bool {
            written.map { latest < $0 || latest - $0 >= ServiceKeyStore.minimumUseInterval } ?? true
        }
    }

    /// Guards the uses that all loops record. Entries are never removed, because keys are few.
    private let uses = Mutex<[ServiceKeyName: Use]>([:])

    func recordUse(of id: String, in project: ID<Project>, at now: Instant) {
        uses.withLock { $0[ServiceKeyName(id: id, project: project), default: Use(latest: now)].latest = now }
    }

    func worker(on pool: Pool) -> Worker {
        let store = ServiceKeyStore(pool: pool)
        // The random pause spreads the load of replicas that were started together.
        return Worker(name: "key use", pause: { .milliseconds(.random(in: 40_000...80_000)) }) { [self] in
            try await write(to: store)
        }
    }

    /// Writes the latest use of each key, unless the last written use is less than
    /// ``ServiceKeyStore/minimumUseInterval`` earlier.
    func write(to store: ServiceKeyStore) async throws {
        let pending = uses.withLock { $0.filter { $0.value.needsWrite } }
        for (key, use) in pending {
            try await store.recordUse(key.id, in: key.project, at: use.latest)
            uses.withLock { $0[key]?.written = use.latest }
        }
    }
}
