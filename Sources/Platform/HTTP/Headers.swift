/// Header fields in the order they came or are to be sent; names are compared without case (RFC 9110 §5.1).
///
/// In a response, a value must not be empty or contain a line break, and `Content-Length` and
/// `Transfer-Encoding` belong to the server: a response that breaks this is answered as 500 instead.
public struct Headers: Sendable {
    private var fields: [(name: String, value: String)]

    public init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields
    }

    /// The value of the first field with that name.
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
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// US-ASCII control characters: 0x00 to 0x1F, and 0x7F.
    var isControl: Bool { self < 0x20 || self == 0x7F }
}
