/// One window of one rate limit key. All replicas agree on the beginning and the end of each window.
public struct RateWindow: Hashable, Sendable {
    /// A keyed hash of the limit key: 32 bytes.
    public let key: [UInt8]
    public let start: Instant
    public let end: Instant

    /// - Parameter length: whole seconds, at least one.
    public init(of key: [UInt8], lasting length: Duration, at now: Instant) {
        let length = length.components.seconds
        self.key = key
        start = Instant(seconds: now.seconds - now.seconds % length)
        end = Instant(seconds: start.seconds + length)
    }
}

/// What a process reports to the other replicas about one window.
public struct RateDelta: Hashable, Sendable {
    public let window: RateWindow
    /// Events counted here since the last report, less those subtracted; 0 only requests the global total.
    public let count: Int64

    public init(window: RateWindow, count: Int64) {
        self.window = window
        self.count = count
    }
}

/// The rate limit counters of one process, one for each ``RateWindow``. If there are too many windows, those that were
/// not used recently are dropped. The reported counts of a dropped window are received again with the next report about
/// it. Its other counts are lost.
public struct RateCounts: Sendable {
    private struct Entry {
        /// The total of all replicas in the latest response.
        var global: Int64 = 0
        /// Sent to the other replicas, but not confirmed yet.
        var inFlight: Int64 = 0
        /// Counted here since the last report.
        var local: Int64 = 0
        /// Whether a caller in this process needs the global total.
        var needsTotal = false

        var total: Int64 { global + inFlight + local }
        var isPending: Bool { local != 0 || needsTotal }
    }

    /// The windows used since `older` was filled.
    private var recent: [RateWindow: Entry] = [:]
    /// The earlier contents of `recent`: when `recent` is full, they replace this dictionary, and `recent` starts
    /// empty.
    private var older: [RateWindow: Entry] = [:]
    private let halfCapacity: Int

    /// - Parameter capacity: the maximum number of windows.
    public init(capacity: Int) {
        halfCapacity = max(1, capacity / 2)
    }

    /// The number of windows.
    public var size: Int { recent.count + older.count }

    /// Whether fewer than `limit` events are known. If fewer are known, the next report requests the global total.
    public mutating func admits(_ window: RateWindow, below limit: Int) -> Bool {
        touch(window) { entry in
            guard entry.total < limit else { return false }
            entry.needsTotal = true
            return true
        }
    }

    public mutating func add(to window: RateWindow) {
        touch(window) { $0.local += 1 }
    }

    /// Subtracts one event. Does nothing if the window has no events, for example because a new window has begun.
    public mutating func subtract(from window: RateWindow) {
        touch(window) { entry in
            if entry.total > 0 { entry.local -= 1 }
        }
    }

    /// Returns the deltas to report now, and drops windows that have ended. The caller has to call ``apply(_:of:)`` or
    /// ``restore(_:)`` with the result.
    public mutating func drainDeltas(atMost limit: Int, at now: Instant) -> [RateDelta] {
        for window in recent.keys where window.end <= now { recent[window] = nil }
        for window in older.keys where window.end <= now { older[window] = nil }
        let windows = [recent, older].flatMap { $0.lazy.filter(\.value.isPending).map(\.key).prefix(limit) }
        return windows.prefix(limit).map { window in
            var count: Int64 = 0
            change(window) { entry in
                count = entry.local
                entry.inFlight += entry.local
                entry.local = 0
                entry.needsTotal = false
            }
            return RateDelta(window: window, count: count)
        }
    }

    /// - Parameter totals: the counts of all replicas, including `deltas`; a missing window has the count 0.
    public mutating func apply(_ totals: [RateWindow: Int64], of deltas: [RateDelta]) {
        for delta in deltas {
            let total = totals[delta.window] ?? 0
            // Adds the window again if it was dropped since the report.
            if total > 0 { touch(delta.window) { _ in } }
            change(delta.window) { entry in
                entry.global = total
                entry.inFlight = 0
            }
        }
    }

    /// Restores counts whose report failed, so that the next report contains them. If the report was received
    /// nevertheless, its counts apply twice, and the limit is usually reached too early.
    public mutating func restore(_ deltas: [RateDelta]) {
        for delta in deltas {
            change(delta.window) { entry in
                entry.local += delta.count
                entry.inFlight = 0
            }
        }
    }

    private mutating func touch<Result>(_ window: RateWindow, _ body: (inout Entry) -> Result) -> Result {
        if recent[window] == nil {
            let known = older.removeValue(forKey: window)
            if recent.count >= halfCapacity {
                older = recent
                recent.removeAll(keepingCapacity: false)
            }
            recent[window] = known ?? Entry()
        }
        return body(&recent[window, default: Entry()])
    }

    /// Changes a window unless it was dropped in the meantime. Drops the window if it is empty afterwards.
    private mutating func change(_ window: RateWindow, _ body: (inout Entry) -> Void) {
        Self.change(window, in: &recent, body)
        Self.change(window, in: &older, body)
    }

    private static func change(
        _ window: RateWindow, in entries: inout [RateWindow: Entry], _ body: (inout Entry) -> Void
    ) {
        guard var entry = entries[window] else { return }
        body(&entry)
        let isEmpty = entry.global == 0 && entry.inFlight == 0 && !entry.isPending
        entries[window] = isEmpty ? nil : entry
    }
}
