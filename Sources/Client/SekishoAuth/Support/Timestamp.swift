internal import Foundation

/// A point in time that the protocol sends as text (RFC 3339), with or without a fraction of a second.
struct Timestamp: Decodable, Sendable {
    let date: Date

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions =
            text.contains(".") ? [.withInternetDateTime, .withFractionalSeconds] : .withInternetDateTime
        guard let date = formatter.date(from: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a time")
        }
        self.date = date
    }
}
