internal import Encoding

/// A position in a list that is sorted by a time that does not change, and then by a UUID. Items that are added later
/// do not move it.
public struct TimePosition: Hashable, Sendable {
    public let time: Instant
    /// A UUID in lower-case or upper-case text.
    public let id: String

    /// The position after the item with these values.
    public init(time: Instant, id: String) {
        self.time = time
        self.id = id
    }

    /// - Parameter text: ``text`` of a position.
    /// - Returns: `nil` unless the text has a time from 1970 to the end of the year 9999, and a UUID.
    public init?(parsing text: String) {
        let parts = text.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]), (0...253_402_300_799_999_999).contains(time),
            UUIDText.bytes(String(parts[1])) != nil
        else { return nil }
        self.init(time: Instant(microseconds: time), id: String(parts[1]))
    }

    public var text: String { "\(time.microseconds)_\(id)" }
}
