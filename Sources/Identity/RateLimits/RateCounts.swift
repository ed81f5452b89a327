/// One window of one thing that is counted. All replicas agree on where windows begin and end.
public struct RateWindow: Hashable, Sendable {
    /// A keyed hash of what is counted: 32 bytes.
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

/// What a process has to tell the others of one window.
public struct RateDelta: Hashable, Sendable {
    public let window: RateWindow
    /// Counted here since they were told last; 0 only asks for their total.
    public let count: Int64

    public init(window: RateWindow, count: Int64) {
        self.window = window
        self.count = count
    }
}

/// How often things have happened, as far as one process knows. Of many windows, those that nobody has asked about for
/// longest are forgotten first; what others have been told of them comes back with the next question.
public struct RateCounts: Sendable {
    private struct Entry {
        /// The total of all replicas when they were asked last.
        var told: Int64 = 0
        /// On its way to them.
        var underWay: Int64 = 0
        var untold: Int64 = 0
        /// Somebody here wants to know what the others have counted.
        var isWanted = false

        var total: Int64 { told + underWay + untold }
        var isNews: Bool { untold != 0 || isWanted }
    }

    /// Windows asked about since `older` was filled.
    private var recent: [RateWindow: Entry] = [:]
    private var older: [RateWindow: Entry] = [:]
    private let halfCapacity: Int

    /// - Parameter capacity: windows to be kept at most.
    public init(capacity: Int) {
        halfCapacity = max(1, capacity / 2)
    }

    public var size: Int { recent.count + older.count }

    /// Whether fewer than `limit` are known of. Where they are, the others' total is asked for with the next news.
    public mutating func admits(_ window: RateWindow, below limit: Int) -> Bool {
        touch(window) { entry in
            guard entry.total < limit else { return false }
            entry.isWanted = true
            return true
        }
    }

    public mutating func add(to window: RateWindow) {
        touch(window) { $0.untold += 1 }
    }

    /// Does nothing once the window is another than the one it was added to.
    public mutating func takeOne(from window: RateWindow) {
        touch(window) { entry in
            if entry.total > 0 { entry.untold -= 1 }
        }
    }

    /// What is to be told now: ``learn(_:of:)`` or ``keep(_:)`` has to follow. Forgets windows that are over.
    public mutating func takeNews(atMost limit: Int, at now: Instant) -> [RateDelta] {
        for window in recent.keys where window.end <= now { recent[window] = nil }
        for window in older.keys where window.end <= now { older[window] = nil }
        let windows = [recent, older].flatMap { $0.lazy.filter(\.value.isNews).map(\.key).prefix(limit) }
        return windows.prefix(limit).map { window in
            var count: Int64 = 0
            change(window) { entry in
                count = entry.untold
                entry.underWay += entry.untold
                entry.untold = 0
                entry.isWanted = false
            }
            return RateDelta(window: window, count: count)
        }
    }

    /// - Parameter totals: of all replicas, `news` included; a window that is missing has none.
    public mutating func learn(_ totals: [RateWindow: Int64], of news: [RateDelta]) {
        for item in news {
            let total = totals[item.window] ?? 0
            if total > 0 { touch(item.window) { _ in } }
            change(item.window) { entry in
                entry.told = total
                entry.underWay = 0
            }
        }
    }

    /// The others could not be told; they will be with the next news. If they were all the same, a little is counted
    /// twice: the limit errs on the strict side.
    public mutating func keep(_ news: [RateDelta]) {
        for item in news {
            change(item.window) { entry in
                entry.untold += item.count
                entry.underWay = 0
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

    /// Leaves alone what has been forgotten meanwhile, and forgets what says nothing.
    private mutating func change(_ window: RateWindow, _ body: (inout Entry) -> Void) {
        Self.change(window, in: &recent, body)
        Self.change(window, in: &older, body)
    }

    private static func change(
        _ window: RateWindow, in entries: inout [RateWindow: Entry], _ body: (inout Entry) -> Void
    ) {
        guard var entry = entries[window] else { return }
        body(&entry)
        let saysNothing = entry.told == 0 && entry.underWay == 0 && !entry.isNews
        entries[window] = saysNothing ? nil : entry
    }
}
