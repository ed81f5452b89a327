internal import Encoding

/// Encodes an `Encodable` to an ``EncodedValue``. All JSON responses use this encoder, because Foundation's is several
/// times slower.
final class ValueEncoder: Encoder {
    private(set) var value: EncodedValue?

    // Errors contain no coding path, because a value that cannot be encoded is a defect of the gateway.
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func encoded(_ value: some Encodable) throws -> EncodedValue {
        let encoder = ValueEncoder()
        try value.encode(to: encoder)
        guard let encoded = encoder.value else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "the value encoded nothing"))
        }
        return encoded
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectContainer(object: object()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { ArrayContainer(array: array()) }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func object() -> EncodedObject {
        if case .object(let existing) = value { return existing }
        let object = EncodedObject()
        value = .object(object)
        return object
    }

    private func array() -> EncodedArray {
        if case .array(let existing) = value { return existing }
        let array = EncodedArray()
        value = .array(array)
        return array
    }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { value = .null }
    func encode(_ new: Bool) { value = .bool(new) }
    func encode(_ new: String) { value = .string(new) }
    func encode(_ new: Double) throws { value = try .number(new) }
    func encode(_ new: Float) throws { value = try .number(new) }
    func encode(_ new: Int) { value = .integer(Int64(new)) }
    func encode(_ new: Int8) { value = .integer(Int64(new)) }
    func encode(_ new: Int16) { value = .integer(Int64(new)) }
    func encode(_ new: Int32) { value = .integer(Int64(new)) }
    func encode(_ new: Int64) { value = .integer(new) }
    func encode(_ new: UInt) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt8) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt16) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt32) { value = .unsigned(UInt64(new)) }
    func encode(_ new: UInt64) { value = .unsigned(new) }
    func encode<Value: Encodable>(_ new: Value) throws { value = try Self.encoded(new) }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let object: EncodedObject
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { object.set(key.stringValue, .null) }
    func encode(_ value: Bool, forKey key: Key) { object.set(key.stringValue, .bool(value)) }
    func encode(_ value: String, forKey key: Key) { object.set(key.stringValue, .string(value)) }
    func encode(_ value: Int, forKey key: Key) { object.set(key.stringValue, .integer(Int64(value))) }
    func encode(_ value: Int64, forKey key: Key) { object.set(key.stringValue, .integer(value)) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        object.set(key.stringValue, try ValueEncoder.encoded(value))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = EncodedObject()
        object.set(key.stringValue, .object(nested))
        return KeyedEncodingContainer(ObjectContainer<Nested>(object: nested))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = EncodedArray()
        object.set(key.stringValue, .array(nested))
        return ArrayContainer(array: nested)
    }

    func superEncoder() -> any Encoder { preconditionFailure("superEncoder is not supported") }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

private struct ArrayContainer: UnkeyedEncodingContainer {
    let array: EncodedArray
    var codingPath: [any CodingKey] { [] }
    var count: Int { array.elements.count }

    func encodeNil() { array.elements.append(.null) }
    func encode(_ value: String) { array.elements.append(.string(value)) }
    func encode<Value: Encodable>(_ value: Value) throws {
        array.elements.append(try ValueEncoder.encoded(value))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let nested = EncodedObject()
        array.elements.append(.object(nested))
        return KeyedEncodingContainer(ObjectContainer<Nested>(object: nested))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = EncodedArray()
        array.elements.append(.array(nested))
        return ArrayContainer(array: nested)
    }

    func superEncoder() -> any Encoder { preconditionFailure("superEncoder is not supported") }
}

/// An encoded value. Values are kept in memory until the end, because members are written in the order of their names.
enum EncodedValue {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    /// A number as JSON text.
    case number(String)
    case string(String)
    case array(EncodedArray)
    case object(EncodedObject)

    /// Formats whole numbers without `.0`, as Foundation does. JSON has neither infinities nor NaN.
    static func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) throws -> EncodedValue {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "JSON has no such number"))
        }
        let text = value.description
        return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
    }

    func append(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .bool(let value): text += (value ? "true" : "false").utf8
        case .integer(let value): text += String(value).utf8
        case .unsigned(let value): text += String(value).utf8
        case .number(let value): text += value.utf8
        case .string(let value): Self.append(quoted: value, to: &text)
        case .array(let array): array.append(to: &text)
        case .object(let object): object.append(to: &text)
        }
    }

    static func append(quoted string: String, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        if string.utf8.contains(where: mustBeEscaped) {
            for byte in string.utf8 { append(escaping: byte, to: &text) }
        } else {
            text += string.utf8
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Whether a string must not contain the byte unescaped (RFC 8259 §7).
    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(escaping byte: UInt8, to text: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): text += #"\""#.utf8
        case UInt8(ascii: "\\"): text += #"\\"#.utf8
        case 0x08: text += #"\b"#.utf8
        case 0x0C: text += #"\f"#.utf8
        case 0x0A: text += #"\n"#.utf8
        case 0x0D: text += #"\r"#.utf8
        case 0x09: text += #"\t"#.utf8
        case 0..<0x20:
            text += #"\u00"#.utf8
            text.append(Hexadecimal.digit(byte >> 4))
            text.append(Hexadecimal.digit(byte & 0xF))
        default: text.append(byte)
        }
    }
}

final class EncodedArray {
    var elements: [EncodedValue] = []

    func append(to text: inout [UInt8]) {
        text.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            element.append(to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }
}

final class EncodedObject {
    private var members: [(name: String, value: EncodedValue)] = []

    init() { members.reserveCapacity(16) }

    /// Adds a member. The caller must not use a name twice.
    func set(_ name: String, _ value: EncodedValue) {
        members.append((name, value))
    }

    func append(to text: inout [UInt8]) {
        text.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            if !isFirst { text.append(UInt8(ascii: ",")) }
            isFirst = false
            EncodedValue.append(quoted: name, to: &text)
            text.append(UInt8(ascii: ":"))
            value.append(to: &text)
        }
        text.append(UInt8(ascii: "}"))
    }
}
