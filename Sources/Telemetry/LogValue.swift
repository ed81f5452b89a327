/// What a field of a log line may hold.
public enum LogValue: Sendable, Equatable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)

    /// As JSON, which has no infinities: they become text.
    var json: String {
        switch self {
        case .string(let text): Self.quoted(text)
        case .int(let number): String(number)
        case .double(let number): number.isFinite ? String(number) : Self.quoted(String(number))
        case .bool(let flag): String(flag)
        }
    }

    /// Escapes what JSON demands, and also what would end a line or steer a terminal.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: quoted += "\\\""
            case 0x5C: quoted += "\\\\"
            case 0x0A: quoted += "\\n"
            case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
