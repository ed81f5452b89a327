/// Shadows the standard library's function, so that the synthesized decoding of every optional text in this module
/// follows the rules of the wire.
extension KeyedDecodingContainer {
    func decodeIfPresent(_: String.Type, forKey key: Key) throws -> String? {
        guard let text = try wireText(forKey: key) else { return nil }
        try TextBounds(of: key.stringValue).check(text, at: (codingPath + [key]).pointer)
        return text
    }

    private func wireText(forKey key: Key) throws -> String? {
        do {
            return try unboundedText(forKey: key)
        } catch is DecodingError {
            return try decodeIfPresent(WireText.self, forKey: key)?.text
        }
    }
}

extension KeyedDecodingContainerProtocol {
    /// Calls the standard library's function, which is shadowed in ``KeyedDecodingContainer``.
    fileprivate func unboundedText(forKey key: Key) throws -> String? { try decodeIfPresent(String.self, forKey: key) }
}

/// A text, or a number as text.
private struct WireText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            text = try container.decode(String.self)
        } catch let mismatch as DecodingError {
            guard let number = Self.number(container) else { throw mismatch }
            text = number
        }
    }

    /// - Returns: `nil` for a value that is not a number or is out of range.
    private static func number(_ container: any SingleValueDecodingContainer) -> String? {
        (try? container.decode(Int64.self)).map(String.init) ?? (try? container.decode(Double.self)).map { "\($0)" }
    }
}

/// The length limit of a text member, by its name on the wire.
struct TextBounds {
    private let limit: Int
    private let unit: Unit
    private let isShown: Bool

    private enum Unit: String {
        /// Unicode scalars.
        case characters
        /// Of UTF-8.
        case bytes
    }

    init(of member: String) {
        (limit, unit, isShown) =
            switch member {
            case "displayName": (256, .characters, true)
            case "photoUrl": (2048, .characters, true)
            case "continueUri": (2048, .characters, true)
            case "email", "identifier", "sessionId": (1024, .characters, false)
            case "password", "rawPassword", "newPassword", "oldPassword": (4096, .bytes, false)
            // Fits a token of 16 KiB in percent-encoding with its parameters, and a pending token made from it.
            case "postBody", "pendingToken": (48 * 1024, .bytes, false)
            default: (16 * 1024, .bytes, false)
            }
    }

    /// Text that is shown to users must not contain control characters either.
    func check(_ text: String, at pointer: @autoclosure () -> String) throws(RequestRefusal) {
        // A text has at least as many bytes as characters.
        guard text.utf8.count <= limit || unit == .characters && text.unicodeScalars.count <= limit else {
            throw .invalidField(pointer(), "must not be longer than \(limit) \(unit.rawValue)")
        }
        guard !isShown || !text.unicodeScalars.contains(where: \.isControl) else {
            throw .invalidField(pointer(), "must not contain control characters")
        }
    }
}

extension Unicode.Scalar {
    /// Whether its general category is Cc.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}
