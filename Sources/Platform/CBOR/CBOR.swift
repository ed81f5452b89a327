public import Encoding

/// A value in the Concise Binary Object Representation (RFC 8949), restricted to what WebAuthn needs.
public enum CBORValue: Hashable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(ByteText)
    case array([CBORValue])
    case map([CBORKey: CBORValue])
    case bool(Bool)
    case null
}

/// The key of an entry of a map.
public enum CBORKey: Hashable, Sendable {
    case integer(Int64)
    case text(ByteText)
}

extension CBORKey: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(stringLiteral value: String) { self = .text(ByteText(value)) }
}

extension CBORValue {
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    public var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    public var text: ByteText? { if case .text(let value) = self { value } else { nil } }
    public var map: [CBORKey: CBORValue]? { if case .map(let value) = self { value } else { nil } }
}

/// Decodes CBOR that different decoders read in the same way. libcbor reads the data items.
///
/// An input has at most ``maximumLength`` bytes, and a value at most ``maximumItems`` data items (keys count too) and
/// ``maximumDepth`` nested arrays and maps. Strings, arrays and maps declare their length. Tags, floating-point
/// numbers, `undefined`, duplicate keys and integers outside of `Int64` are rejected.
///
/// No memory is reserved for a length that the input declares.
public enum CBOR {
    /// In bytes.
    public static let maximumLength = 16 * 1024
    public static let maximumItems = 256
    /// A scalar has depth 0.
    public static let maximumDepth = 6

    /// Decodes a value that takes up the whole input.
    public static func decode(_ bytes: [UInt8]) throws(CBORFault) -> CBORValue {
        let (value, count) = try decodePrefix(of: bytes[...])
        guard count == bytes.count else { throw .trailingBytes }
        return value
    }

    /// Decodes the value at the start of the input, which may be followed by other bytes.
    ///
    /// - Returns: the value and the number of bytes that it occupies.
    public static func decodePrefix(of bytes: ArraySlice<UInt8>) throws(CBORFault) -> (value: CBORValue, count: Int) {
        guard bytes.count <= maximumLength else { throw .tooLong }
        return try bytes.withUnsafeBufferPointer { input throws(CBORFault) in
            var decoder = CBORDecoder(input)
            return (try decoder.decode(), decoder.position)
        }
    }
}

/// Why an input is rejected as CBOR. Does not contain any part of the input.
public enum CBORFault: Error, Equatable, Sendable {
    case tooLong
    /// The input ends within a data item, or before all elements that an array or map declares.
    case truncated
    /// Reserved additional information, or an unassigned simple value (RFC 8949 §3).
    case malformed
    /// A tag, a floating-point number, `undefined`, or an item of indefinite length.
    case unsupported
    case integerOutOfRange
    case notUTF8
    case tooDeep
    case tooManyItems
    /// A key is neither an integer nor text.
    case invalidKey
    case duplicateKey
    /// More bytes follow the value.
    case trailingBytes
}
