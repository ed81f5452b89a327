internal import Identity
internal import JSON

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

/// An enumeration of the wire: the name of a value, or its index.
protocol WireEnum: RawRepresentable<String>, CaseIterable, Decodable {}

extension WireEnum {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let value: Self? =
            // Anything that is not a number has to be a name.
            if let index = try? container.decode(Int.self) {
                index < 0 ? nil : Self.allCases.dropFirst(index).first
            } else {
                Self(rawValue: try container.decode(String.self))
            }
        guard let value else {
            throw RequestRefusal.invalidField(
                container.codingPath.pointer, "must be equal to one of the allowed values")
        }
        self = value
    }
}

/// A member of which only the presence matters.
struct PresenceOnly: Decodable {
    init(from decoder: any Decoder) throws {}
}

extension String? {
    /// `nil` for an empty text, for fields where both mean the same.
    var nonEmpty: String? { flatMap { $0.isEmpty ? nil : $0 } }

    /// - Throws: `code` for an absent or empty text.
    func required(_ code: ErrorCode) throws(RequestRefusal) -> String {
        guard let self, !self.isEmpty else { throw .rejected(code) }
        return self
    }
}

extension ID where Subject == Account {
    /// - Throws: `MISSING_LOCAL_ID` for an absent or empty text.
    init(named text: String?) throws(RequestRefusal) {
        let text = try text.required(.missingLocalID)
        self.init(text)
    }

    /// - Returns: `nil` for an absent or empty text.
    static func chosen(_ text: String?) throws(RequestRefusal) -> ID? {
        guard let text = text.nonEmpty else { return nil }
        guard let id = ID(chosen: text) else {
            throw .invalidField("/localId", "must be 1 to 128 printable ASCII characters without spaces and slashes")
        }
        return id
    }
}

extension Instant {
    /// Parses a 64-bit integer, which is text on the wire. Times end with the year 9999.
    ///
    /// - Returns: `nil` for an absent or empty text.
    static func parsing(seconds text: String?, at pointer: String) throws(RequestRefusal) -> Instant? {
        try parsing(text, unit: 1_000_000, at: pointer)
    }

    static func parsing(milliseconds text: String?, at pointer: String) throws(RequestRefusal) -> Instant? {
        try parsing(text, unit: 1000, at: pointer)
    }

    private static let last: Int64 = 253_402_300_799_000_000

    private static func parsing(_ text: String?, unit: Int64, at pointer: String) throws(RequestRefusal) -> Instant? {
        guard let text = text.nonEmpty else { return nil }
        guard let number = Int64(text), (0...last / unit).contains(number) else {
            throw .invalidField(pointer, "must be an integer for a time before the year 10000")
        }
        return Instant(microseconds: number * unit)
    }
}

extension Claims {
    /// Why a text is not accepted as claims of an account.
    enum Fault: Refusal {
        case tooLarge
        case notAnObject
        case reserved(String)

        var code: ErrorCode {
            switch self {
            case .tooLarge: .claimsTooLarge
            case .notAnObject: .invalidClaims
            case .reserved: .forbiddenClaim
            }
        }

        var detail: String? {
            if case .reserved(let name) = self { name } else { nil }
        }
    }

    /// - Throws: ``Fault``.
    init(checking json: String) throws {
        guard json.unicodeScalars.count <= Self.lengthLimit else { throw Fault.tooLarge }
        let members: [String: JSONValue]
        do {
            members = try StrictJSON.decode([String: JSONValue].self, from: Array(json.utf8))
        } catch {
            throw Fault.notAnObject
        }
        guard !Self.hasEndlessExponent(json.utf8) else { throw Fault.notAnObject }
        if let name = Self.firstReserved(among: members.keys) { throw Fault.reserved(name) }
        self.init(json: json)
    }

    /// Whether a number has an exponent of more than three digits. Most parsers read it as zero, and PostgreSQL rejects
    /// it.
    private static func hasEndlessExponent(_ json: String.UTF8View) -> Bool {
        var (isText, isEscaped) = (false, false)
        var digits: Int?
        for byte in json {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): isText.toggle()
            case _ where isText: break
            case UInt8(ascii: "e"), UInt8(ascii: "E"): digits = 0
            case UInt8(ascii: "+"), UInt8(ascii: "-"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits.map { $0 + 1 }
                if digits == 4 { return true }
            default: digits = nil
            }
        }
        return false
    }
}
