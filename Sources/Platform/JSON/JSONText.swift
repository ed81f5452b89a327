internal import Encoding

extension StrictJSON {
    /// Encodes a value as text; see ``encode(_:)``.
    public static func text(_ value: some Encodable) throws -> String {
        String(decoding: try encode(value), as: UTF8.self)
    }
}

extension JSONValue {
    /// The value as JSON in one line. Members are sorted by name.
    public var encodedText: String {
        // Every JSON value can be encoded.
        (try? StrictJSON.text(self)) ?? "null"
    }

    /// The value as indented JSON, with one member or element a line. Members are sorted by name.
    public var indentedText: String { indentedText(after: "") }

    /// - Parameter indent: of the line in which the value begins.
    private func indentedText(after indent: String) -> String {
        let inner = indent + "  "
        switch self {
        case .object(let members) where !members.isEmpty:
            let lines = members.sorted { $0.key < $1.key }.map {
                "\(inner)\(JSONValue.string($0.key.rawValue).encodedText): \($0.value.indentedText(after: inner))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        case .array(let elements) where !elements.isEmpty:
            let lines = elements.map { inner + $0.indentedText(after: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        default: return encodedText
        }
    }
}
