/// Header fields in order; names are case-insensitive (RFC 9110 §5.1).
///
/// In a response, names must be tokens, values must be non-empty and without control characters, and the server sets
/// `Connection`, `Content-Length`, `Date` and `Transfer-Encoding`. A response that violates this is replaced with 500.
public struct Headers: Sendable {
    private var fields: [(name: String, value: String)]

    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// The value of the first field with this name.
    public subscript(name: String) -> String? {
        fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }

    public mutating func add(_ name: String, _ value: String) {
        fields.append((name, value))
    }
}

extension Headers: RandomAccessCollection {
    public var startIndex: Int { fields.startIndex }
    public var endIndex: Int { fields.endIndex }
    public subscript(position: Int) -> (name: String, value: String) { fields[position] }
}

extension Headers: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0, value: $1) })
    }
}
