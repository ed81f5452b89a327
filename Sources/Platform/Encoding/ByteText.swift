/// A value whose text another party chose: a client, a provider, a file or a row of the database. Its values are
/// compared, ordered and hashed by the bytes of their UTF-8.
///
/// The operators of `String` use canonical equivalence (Unicode). It treats different texts as equal, such as U+212A
/// (KELVIN SIGN) and `K`, where other programs read two texts. It also takes quadratic time for combining characters in
/// an unusual order.
public protocol BytewiseComparable: Hashable, Comparable {
    var rawValue: String { get }
}

extension BytewiseComparable {
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isExactly(right.rawValue) }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }

    @inlinable
    public func hash(into hasher: inout Hasher) { rawValue.hashBytes(into: &hasher) }
}

/// A text from another party that has no type of its own: the name of a JSON member, a form field, a query parameter or
/// a cookie, and a key of a set or dictionary.
///
/// The type is not a `String`, so that a comparison with the operators of `String` does not compile.
public struct ByteText: BytewiseComparable, Sendable {
    public let rawValue: String

    @inlinable
    public init(_ text: some StringProtocol) {
        rawValue = String(text)
    }

    /// The maximum length of a name that has a meaning, in bytes.
    @usableFromInline static let nameLimit = 256

    /// Whether the text is too long for a name that has a meaning. A name of a map, such as custom claims, may be
    /// longer.
    @inlinable
    public var isUnknownName: Bool { rawValue.utf8.count > Self.nameLimit }
}

extension ByteText: ExpressibleByStringLiteral {
    @inlinable
    public init(stringLiteral value: String) {
        rawValue = value
    }
}

extension ByteText: CustomStringConvertible {
    public var description: String { rawValue }
}

extension ByteText: Codable {
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A dictionary with these keys is encoded and decoded as an object.
extension ByteText: CodingKeyRepresentable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    public var codingKey: any CodingKey { Name(stringValue: rawValue) }

    public init?(codingKey: some CodingKey) {
        self.init(codingKey.stringValue)
    }
}

extension StringProtocol {
    /// Whether both texts have the same bytes; see ``BytewiseComparable``.
    @inlinable
    public func isExactly(_ other: some StringProtocol) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let result = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) }
        }
        return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether the text begins with the bytes of `prefix`.
    @inlinable
    public func beginsExactly(with prefix: some StringProtocol) -> Bool {
        guard utf8.count >= prefix.utf8.count else { return false }
        let result = utf8.withContiguousStorageIfAvailable { bytes in
            prefix.utf8.withContiguousStorageIfAvailable { bytes.starts(with: $0) }
        }
        return (result ?? nil) ?? utf8.starts(with: prefix.utf8)
    }

    /// Whether the text ends with the bytes of `suffix`.
    @inlinable
    public func endsExactly(with suffix: some StringProtocol) -> Bool {
        utf8.count >= suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The text after the bytes of `prefix`; `nil` if the text does not begin with them.
    @inlinable
    public func removingExactly(prefix: String) -> String? {
        beginsExactly(with: prefix) ? String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }

    /// Whether the bytes of `part` occur in the text.
    @inlinable
    public func containsBytes(of part: String) -> Bool {
        let (bytes, part) = (Array(utf8), Array(part.utf8))
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }

    @inlinable
    func hashBytes(into hasher: inout Hasher) {
        if utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in utf8 { hasher.combine(byte) }
        }
        // Separates the text from a text that is hashed next. UTF-8 never contains the byte.
        hasher.combine(0xFF as UInt8)
    }
}

extension Sequence where Element: StringProtocol {
    /// Whether an element has the same bytes as `text`.
    @inlinable
    public func containsExactly(_ text: some StringProtocol) -> Bool { contains { $0.isExactly(text) } }
}
