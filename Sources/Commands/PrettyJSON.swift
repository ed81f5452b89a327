internal import Encoding
internal import Gateway
internal import JSON

extension JSONValue {
    /// Returns indented JSON with sorted members.
    ///
    /// - Parameter depth: the number of arrays and objects that contain the value.
    func pretty(at depth: Int = 0) throws -> String {
        switch self {
        case .array(let values) where !values.isEmpty:
            try Self.block("[", values.map { try $0.pretty(at: depth + 1) }, "]", at: depth)
        case .object(let members) where !members.isEmpty:
            try Self.block(
                "{",
                members.sorted { $0.key < $1.key }.map { name, value in
                    try "\(JSONValue.string(name.rawValue).pretty()): \(value.pretty(at: depth + 1))"
                }, "}", at: depth)
        default: String(decoding: try StrictJSON.encode(self), as: UTF8.self)
        }
    }

    private static func block(_ begin: String, _ lines: [String], _ end: String, at depth: Int) -> String {
        let outer = String(repeating: "  ", count: depth)
        return "\(begin)\n" + lines.map { "\(outer)  \($0)" }.joined(separator: ",\n") + "\n\(outer)\(end)"
    }
}
