internal import Encoding

/// A point in time with the precision of PostgreSQL: microseconds.
public struct Instant: Hashable, Comparable, Codable, Sendable {
    /// Since 1970-01-01T00:00:00Z.
    public let microseconds: Int64

    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    public init(seconds: Int64) {
        self.init(microseconds: seconds * 1_000_000)
    }

    /// Whole seconds since the epoch, rounded down (the unit of JWT's NumericDate and of `validSince`).
    public var seconds: Int64 { microseconds.floored(by: 1_000_000) }
    /// Whole milliseconds since the epoch, rounded down (the unit of `createdAt` and `lastLoginAt`).
    public var milliseconds: Int64 { microseconds.floored(by: 1000) }

    public static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    public static func + (instant: Instant, duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        return Instant(
            microseconds: instant.microseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }

    public static func - (instant: Instant, duration: Duration) -> Instant { instant + (.zero - duration) }

    public static func - (later: Instant, earlier: Instant) -> Duration {
        .microseconds(later.microseconds - earlier.microseconds)
    }
}

extension Int64 {
    fileprivate func floored(by unit: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Instant {
    /// UTC to the millisecond with `Z` (RFC 3339 §5.6).
    public var iso8601: String { RFC3339.text(millisecondsSince1970: milliseconds) }

    /// - Parameter text: see ``RFC3339/microsecondsSince1970(_:)``.
    /// - Returns: `nil` unless `text` is a time in UTC or a date, and in the calendar.
    public init?(iso8601 text: String) {
        guard let microseconds = RFC3339.microsecondsSince1970(text) else { return nil }
        self.init(microseconds: microseconds)
    }
}
