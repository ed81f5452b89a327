/// The counts of a process that are not stored yet.
public struct CountTable: Sendable {
    /// What one count is about.
    public struct Key: Hashable, Sendable {
        public let realm: ID<Realm>
        /// The start of the UTC hour.
        public let hour: Instant
        public let event: CountedEvent

        public init(realm: ID<Realm>, at time: Instant, _ event: CountedEvent) {
            self.realm = realm
            hour = CountStep.hour.start(of: time)
            self.event = event
        }
    }

    /// How often something happened, for a row of the database.
    public struct Delta: Hashable, Sendable {
        public let key: Key
        public let count: Int64

        public init(_ key: Key, count: Int64) {
            self.key = key
            self.count = count
        }
    }

    private var counts: [Key: Int64] = [:]
    private let capacity: Int
    /// The number of events that were not counted, because the table was full.
    public private(set) var dropped: Int64 = 0

    /// - Parameter capacity: the maximum number of keys.
    public init(capacity: Int) {
        self.capacity = capacity
    }

    public mutating func add(_ count: Int64 = 1, to key: Key) {
        if counts.count < capacity || counts[key] != nil {
            counts[key, default: 0] += count
        } else {
            dropped += count
        }
    }

    /// Removes all counts, and returns them. The memory of the table is kept, so that events allocate none.
    public mutating func drain() -> [Delta] {
        let deltas = counts.map { Delta($0.key, count: $0.value) }
        counts.removeAll(keepingCapacity: true)
        return deltas
    }
}
