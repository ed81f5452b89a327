internal import Encoding
internal import JSON

extension JSONValue {
    /// The value as JSON with one member a line. Members are sorted by name.
    var pretty: String { pretty(indent: "") }

    private func pretty(indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }.map {
                "\(inner)\(JSONValue.string($0.key.rawValue).compact): \($0.value.pretty(indent: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + $0.pretty(indent: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        default: return compact
        }
    }

    /// The value as JSON on one line.
    var compact: String {
        // Every JSON value can be encoded.
        (try? StrictJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
