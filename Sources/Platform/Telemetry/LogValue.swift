/// What a field of a log line may hold.
public enum LogValue: Sendable, Equatable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)

    /// Writes JSON, which has no infinities: they become text.
    func append(to line: inout [UInt8]) {
        switch self {
        case .string(let text): Self.append(quoted: text, to: &line)
        case .int(let number): line += String(number).utf8
        case .double(let number) where number.isFinite: line += String(number).utf8
        case .double(let number): Self.append(quoted: String(number), to: &line)
        case .bool(let flag): line += (flag ? "true" : "false").utf8
        }
    }

    /// Escapes what JSON demands, and also what would end a line or steer a terminal.
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
            let digits = String(scalar.value, radix: 16)
            line += "\\u".utf8
            line += String(repeating: "0", count: 4 - digits.count).utf8
            line += digits.utf8
        default: line += Array(String(scalar).utf8)
        }
    }
}

/// What a log line holds beside its message. Each name is given once.
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
