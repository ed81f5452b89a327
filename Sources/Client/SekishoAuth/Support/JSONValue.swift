internal import Foundation

/// Any JSON value, for members whose types the library does not know: claims and provider profiles.
enum JSONValue: Decodable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A `try?` that returns `nil` means that the value has another type.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// - Returns: `nil` if the text is not a JSON object.
    static func object(parsing text: String) -> [String: JSONValue]? {
        // The caller handles a text that is not an object.
        try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
    }

    /// The value as `Bool`, `Int`, `Double`, `String`, array, dictionary or `NSNull`.
    var foundationValue: any Sendable {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): value
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.foundationValue)
        case .object(let members): members.mapValues(\.foundationValue)
        }
    }

    var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// A number, for claims that are times in seconds.
    var seconds: TimeInterval? {
        switch self {
        case .integer(let value): TimeInterval(value)
        case .number(let value): value
        default: nil
        }
    }

    var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}
