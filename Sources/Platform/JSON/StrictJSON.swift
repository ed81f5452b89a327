public import Encoding

/// JSON that different parsers read in the same way (RFC 8259, with restrictions similar to I-JSON, RFC 7493).
public enum StrictJSON {
    /// Checks that a text is strict JSON. Takes time in proportion to the length of the text, which the caller must
    /// limit. Uses no recursion.
    ///
    /// - Parameter maximumDepth: the maximum nesting of arrays and objects; a scalar has depth 0.
    public static func check(_ bytes: [UInt8], maximumDepth: Int = 32) throws(JSONFault) {
        _ = try parse(bytes, maximumDepth: maximumDepth)
    }

    /// Decodes a value from a text.
    ///
    /// - Parameter camelCasesNames: whether the names in the text are converted to camel case before they are compared
    ///   with the members of `Value`: `photo_url` and `photoURL` then match the member `photoUrl`. A member of `Value`
    ///   with two capitals in a row never matches. Names inside a ``JSONValue`` stay unchanged.
    /// - Throws: ``JSONFault`` if the text is not strict JSON, `DecodingError` if it is not a `Value`.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], camelCasesNames: Bool = false
    ) throws -> Value {
        try ParsedJSON(bytes).decode(type, camelCasesNames: camelCasesNames)
    }

    /// Encodes a value. Members are sorted by name, so that equal values produce equal bytes.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(1024)
        try ValueEncoder.encoded(value).append(to: &text)
        return text
    }

    /// The maximum number of elements of an array that is decoded as other types than ``JSONValue``. Decoding an
    /// element takes up to a hundred times as long as scanning it.
    public static let elementLimit = 4096

    static func parse(_ bytes: [UInt8], maximumDepth: Int = 32) throws(JSONFault) -> ParsedValue {
        var scanner = Scanner(bytes, maximumDepth: maximumDepth)
        return try scanner.scanText()
    }
}

/// A parsed strict JSON text, from which several values can be decoded without parsing it again.
public struct ParsedJSON: Sendable {
    private let value: ParsedValue

    /// Parses as ``StrictJSON/check(_:maximumDepth:)`` does.
    public init(_ bytes: [UInt8]) throws(JSONFault) {
        value = try StrictJSON.parse(bytes)
    }

    /// - Parameters:
    ///   - camelCasesNames: as in ``StrictJSON/decode(_:from:camelCasesNames:)``.
    ///   - convertsScalars: whether `Bool` is also decoded from the texts `true` and `false`, integers from decimal
    ///     text, and `String` from a number without a remainder. Values inside a ``JSONObject`` stay unchanged.
    /// - Throws: `DecodingError`, or what the initializers of `Value` throw.
    public func decode<Value: Decodable>(
        _ type: Value.Type, camelCasesNames: Bool = false, convertsScalars: Bool = false
    ) throws -> Value {
        try ValueDecoder(
            value: value, codingPath: [], camelCasesNames: camelCasesNames, convertsScalars: convertsScalars
        ).decode(type)
    }

    /// The whole text as a ``JSONValue``, with every name in camel case, and `Bool` for the texts `true` and `false`.
    ///
    /// - Throws: ``JSONFault/duplicateMember``, or `DecodingError` for a number that is out of range.
    public func camelCasedValue() throws -> JSONValue {
        try ValueDecoder(value: value, codingPath: [], camelCasesNames: true, convertsScalars: true).jsonValue()
    }
}

/// Why a text is rejected as JSON. Does not contain any part of the text, so it may be logged.
public enum JSONFault: Error, Equatable {
    case notUTF8
    /// Violates the grammar of RFC 8259 at the byte `offset`. A byte order mark and text after the value are errors
    /// too.
    case malformed(offset: Int)
    case tooDeep
    /// Two members of one object have the same name once escapes are resolved (RFC 8259 §4, RFC 7515 §4), or, where
    /// names are converted, once they are in camel case.
    case duplicateMember
    /// U+0000 in a string, escaped or not. C libraries would truncate the string, and PostgreSQL would reject it.
    case nul
    /// An escape of a UTF-16 surrogate, for example `\uD800`, without the other half of its pair.
    case loneSurrogate
    /// Too many combining characters in a row; see ``Encoding/CombiningRun``.
    case combiningRun
}

extension JSONFault {
    /// Returns a description with the line and column of a syntax error, both from 1. Columns count bytes.
    ///
    /// - Parameter text: the text that was rejected.
    public func description(in text: [UInt8]) -> String {
        switch self {
        case .notUTF8: return "not valid UTF-8"
        case .malformed(let offset):
            let before = text.prefix(offset)
            let column = offset - (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1)
            let lines = before.count { $0 == UInt8(ascii: "\n") }
            return "syntax error at line \(lines + 1), column \(column)"
        case .tooDeep: return "nested too deeply"
        case .duplicateMember: return "an object has two members with the same name"
        case .nul: return "a string contains U+0000"
        case .loneSurrogate: return "a string contains half of a surrogate pair"
        case .combiningRun: return "a string contains more than 128 combining characters in a row"
        }
    }
}

/// Any JSON value, for JSON that is passed on without interpretation.
public enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// Strings are compared and hashed by their bytes; see ``Encoding/BytewiseComparable``.
extension JSONValue {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

/// The members of a JSON object, by name.
public typealias JSONObject = [ByteText: JSONValue]

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            self = try decoder.unconverted.jsonValue()
            return
        }
        let container = try decoder.singleValueContainer()
        // Tries one type after another; only the last attempt throws.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode(JSONObject.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}
