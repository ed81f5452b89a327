/// Header fields in order; names are case-insensitive (RFC 9110 §5.1).
///
/// In a response, values must be non-empty and without line breaks, and the server sets `Content-Length` and
/// `Transfer-Encoding`. A response that violates this is replaced with 500.
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

extension String {
    /// A field name or method (RFC 9110 §5.6.2).
    var isToken: Bool {
        !isEmpty && utf8.allSatisfy { $0.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// ASCII control characters: 0x00 to 0x1F, and 0x7F.
    var isControl: Bool { self < 0x20 || self == 0x7F }

    var isAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
