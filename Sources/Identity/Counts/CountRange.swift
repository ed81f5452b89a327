/// The length of the periods that counts are added up for. All periods are in UTC.
public enum CountStep: String, Sendable {
    case hour
    case day

    public var seconds: Int64 {
        switch self {
        case .hour: 3600
        case .day: 86_400
        }
    }

    /// Returns the start of the period that contains `time`.
    public func start(of time: Instant) -> Instant {
        let second = time.seconds
        let offset = second % seconds
        return Instant(seconds: second - (offset < 0 ? offset + seconds : offset))
    }
}

/// The periods that a chart shows: the current one, which is not over, and those before it.
public enum CountRange: String, Sendable, CaseIterable {
    case last24Hours = "LAST_24_HOURS"
    case last30Days = "LAST_30_DAYS"
    case last365Days = "LAST_365_DAYS"

    public var step: CountStep { self == .last24Hours ? .hour : .day }

    /// The number of periods.
    public var length: Int {
        switch self {
        case .last24Hours: 24
        case .last30Days: 30
        case .last365Days: 365
        }
    }

    /// Returns the start of the first period.
    public func start(at now: Instant) -> Instant {
        Instant(seconds: step.start(of: now).seconds - Int64(length - 1) * step.seconds)
    }
}

/// The counts of one kind and label in all periods of a range.
public struct CountSeries: Hashable, Sendable {
    public let kind: CountKind
    public let label: String
    /// One for each period, the earliest first.
    public let counts: [Int64]

    public var total: Int64 { counts.reduce(0, +) }
}

/// A stored count of one period.
public struct StoredCount: Hashable, Sendable {
    public let kind: CountKind
    public let label: String
    /// The start of the period.
    public let start: Instant
    public let count: Int64

    public init(kind: CountKind, label: String, start: Instant, count: Int64) {
        self.kind = kind
        self.label = label
        self.start = start
        self.count = count
    }
}

extension [CountSeries] {
    /// Arranges stored counts by kind and label, with zeros for periods without a row. Kinds have the order of
    /// ``CountKind``, and the labels of a kind that of their totals, the largest first; durations have their own order.
    public init(_ stored: [StoredCount], in range: CountRange, at now: Instant) {
        let start = range.start(at: now).seconds
        var counts: [CountKind: [String: [Int64]]] = [:]
        for row in stored {
            let period = Int((row.start.seconds - start) / range.step.seconds)
            guard row.start.seconds >= start, period < range.length else { continue }
            counts[row.kind, default: [:]][
                row.label, default: Array<Int64>(repeating: 0, count: range.length)][period] += row.count
        }
        self = CountKind.allCases.flatMap { kind in
            (counts[kind] ?? [:]).map { CountSeries(kind: kind, label: $0.key, counts: $0.value) }
                .sorted { $0.precedes($1) }
        }
    }
}

extension CountSeries {
    fileprivate func precedes(_ other: CountSeries) -> Bool {
        if kind == .latency {
            let labels = LatencyBucket.labels
            return (labels.firstIndex(of: label) ?? labels.count) < (labels.firstIndex(of: other.label) ?? labels.count)
        }
        return total == other.total ? label < other.label : total > other.total
    }
}

/// The counts of a realm in a range.
public struct CountReport: Hashable, Sendable {
    public let range: CountRange
    /// The start of the first period.
    public let start: Instant
    public let series: [CountSeries]

    public init(_ stored: [StoredCount], in range: CountRange, at now: Instant) {
        self.range = range
        start = range.start(at: now)
        series = [CountSeries](stored, in: range, at: now)
    }
}

/// Counts events, and reads what all gateways have counted.
public struct Counts: Sendable {
    /// Adds one event of a realm, in memory.
    public var add: @Sendable (CountedEvent, ID<Realm>) -> Void
    /// Returns the counts of a range that ends now.
    public var read: @Sendable (Set<CountKind>, CountRange, ID<Realm>) async throws -> CountReport

    public init(
        add: @escaping @Sendable (CountedEvent, ID<Realm>) -> Void,
        read: @escaping @Sendable (Set<CountKind>, CountRange, ID<Realm>) async throws -> CountReport
    ) {
        self.add = add
        self.read = read
    }
}
