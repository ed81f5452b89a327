internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization

/// Counts what happens in each realm in memory for all loops of a process, so that no request waits for the database.
/// About once a minute, and when the process stops, a worker adds the counts to those of the other gateways.
final class CountRecorder: Sendable {
    /// The maximum number of counts in memory, which use about 20 MiB.
    private static let capacity = 100_000

    /// Guards the counts of all loops.
    private let table: Mutex<CountTable>

    init(capacity: Int = capacity) {
        table = Mutex(CountTable(capacity: capacity))
    }

    /// The number of events that were not counted, because the table was full.
    var dropped: Int64 { table.withLock { $0.dropped } }

    /// Returns the function that counts an event at the time of `clock`.
    func counting(by clock: WallClock) -> @Sendable (CountedEvent, ID<Realm>) -> Void {
        { [self] event, realm in
            let key = CountTable.Key(realm: realm, at: clock.now(), event)
            table.withLock { $0.add(to: key) }
        }
    }

    /// The counts for the services of one loop. A reader also sees what this process has counted until now.
    func service(on pool: Pool, clock: WallClock) -> Counts {
        let store = CountStore(pool: pool)
        return Counts(add: counting(by: clock)) { [self] kinds, range, realm in
            try await flush(to: store)
            let now = clock.now()
            return CountReport(
                try await store.counts(of: kinds, in: range, at: now, of: realm), in: range, at: now)
        }
    }

    func worker(on pool: Pool) -> Worker {
        let store = CountStore(pool: pool)
        // The random pause spreads the load of replicas that were started together.
        return Worker(name: "counts", pause: { .milliseconds(.random(in: 50_000...70_000)) }) { [self] in
            try await flush(to: store)
        }
    }

    /// Stores the counts. Those that cannot be stored stay in memory.
    func flush(to store: CountStore) async throws {
        let deltas = table.withLock { $0.drain() }
        guard !deltas.isEmpty else { return }
        let (rest, error) = await store.add(deltas)
        guard let error else { return }
        table.withLock { table in
            for delta in rest { table.add(delta.count, to: delta.key) }
        }
        throw error
    }
}
