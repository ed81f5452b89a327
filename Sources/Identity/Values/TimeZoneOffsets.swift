internal import Synchronization

/// The distances of a time zone from UTC.
public struct TimeZoneOffsets: Hashable, Sendable {
    public struct Change: Hashable, Sendable {
        public let instant: Instant
        /// Positive to the east of Greenwich.
        public let seconds: Int64

        public init(at instant: Instant, seconds: Int64) {
            self.instant = instant
            self.seconds = seconds
        }
    }

    public let name: TimeZoneName
    /// In the order of time. The first distance also applies before its time.
    private let changes: [Change]

    public init(_ name: TimeZoneName, changes: [Change]) {
        self.name = name
        self.changes = changes
    }

    public static let utc = TimeZoneOffsets(.utc, changes: [])

    /// What a clock in the time zone shows at `instant`, as an instant of UTC.
    public func local(_ instant: Instant) -> Instant {
        let change = changes.last { $0.instant <= instant } ?? changes.first
        return instant + .seconds(change?.seconds ?? 0)
    }
}

/// The time zones that users have chosen. Each is read from the database once.
public final class TimeZones: Sendable {
    private let load: @Sendable (TimeZoneName) async throws -> TimeZoneOffsets
    /// At most one for each name of the IANA database.
    private let loaded = Mutex<[TimeZoneName: TimeZoneOffsets]>([:])

    public init(load: @escaping @Sendable (TimeZoneName) async throws -> TimeZoneOffsets) {
        self.load = load
    }

    /// - Returns: UTC without a name, and if the database does not know the time zone or fails: a page with times in
    ///   UTC is better than none.
    public func offsets(of name: TimeZoneName?) async -> TimeZoneOffsets {
        guard let name, name != .utc else { return .utc }
        if let known = loaded.withLock({ $0[name] }) { return known }
        guard let offsets = try? await load(name) else { return .utc }
        loaded.withLock { $0[name] = offsets }
        return offsets
    }
}
