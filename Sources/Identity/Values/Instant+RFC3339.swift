internal import Encoding

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
