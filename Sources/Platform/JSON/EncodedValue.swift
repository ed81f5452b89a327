internal import Encoding

/// An encoded value, kept in memory because members are written in the order of their names.
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

    /// Formats as Foundation does. JSON has no infinities.
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

    /// RFC 8259 §7.
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

    /// Each name is set once.
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
