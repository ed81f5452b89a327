internal import Encoding

/// The value of a log field.
public enum LogValue: Sendable, Equatable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)

    /// Appends JSON. JSON has no infinities: they are written as text.
    func append(to line: inout [UInt8]) {
        switch self {
        case .string(let text): Self.append(quoted: text, to: &line)
        case .int(let number): line += String(number).utf8
        case .double(let number) where number.isFinite: line += String(number).utf8
        case .double(let number): Self.append(quoted: String(number), to: &line)
        case .bool(let flag): line += (flag ? "true" : "false").utf8
        }
    }

    /// Escapes as JSON requires, and also characters that end a line or control a terminal.
    static func append(quoted text: String, to line: inout [UInt8]) {
        line.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
            line += text.utf8
        } else {
            for scalar in text.unicodeScalars { append(escaping: scalar, to: &line) }
        }
        line.append(UInt8(ascii: "\""))
    }

    private static func append(escaping scalar: Unicode.Scalar, to line: inout [UInt8]) {
        switch scalar.value {
        case 0x22: line += "\\\"".utf8
        case 0x5C: line += "\\\\".utf8
        case 0x0A: line += "\\n".utf8
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
            line += "\\u".utf8
            line += Hexadecimal.encode([UInt8(scalar.value >> 8), UInt8(scalar.value & 0xFF)]).utf8
        default: line += Array(String(scalar).utf8)
        }
    }
}

/// The fields of a log line. Names must be unique.
public struct LogFields: Sendable, ExpressibleByDictionaryLiteral {
    private var pairs: [(name: String, value: LogValue)]

    public init(dictionaryLiteral elements: (String, LogValue)...) {
        pairs = elements.map { (name: $0, value: $1) }
    }

    public mutating func add(_ name: String, _ value: LogValue) {
        pairs.append((name, value))
    }

    var byName: [(name: String, value: LogValue)] { pairs.sorted { $0.name < $1.name } }
}
