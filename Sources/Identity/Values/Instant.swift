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
