public import CBOR
internal import CCBOR
internal import Encoding

/// Encodes CBOR with libcbor, in the canonical form of CTAP2 (§8): the entries of a map are sorted by the length of the
/// key, and then by its bytes.
public enum CBOREncoder {
    public static func encode(_ value: CBORValue) -> [UInt8] {
        switch value {
        case .integer(let integer):
            integer < 0
                ? head { cbor_encode_negint(UInt64(-1 - integer), $0, $1) }
                : head { cbor_encode_uint(UInt64(integer), $0, $1) }
        case .bytes(let bytes): head { cbor_encode_bytestring_start(bytes.count, $0, $1) } + bytes
        case .text(let text):
            head { cbor_encode_string_start(text.rawValue.utf8.count, $0, $1) } + Array(text.rawValue.utf8)
        case .array(let elements):
            head { cbor_encode_array_start(elements.count, $0, $1) } + elements.flatMap(encode)
        case .map(let entries):
            head { cbor_encode_map_start(entries.count, $0, $1) }
                + entries.map { (encode($0.value), encode($1)) }.sorted(by: precedes).flatMap { $0 + $1 }
        case .bool(let value): head { cbor_encode_bool(value, $0, $1) }
        case .null: head { cbor_encode_null($0, $1) }
        }
    }

    private typealias Entry = (key: [UInt8], value: [UInt8])

    private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
        left.key.count == right.key.count
            ? left.key.lexicographicallyPrecedes(right.key) : left.key.count < right.key.count
    }

    /// - Parameter encode: writes at most 9 bytes, and returns their number.
    private static func head(_ encode: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8] {
        Array(unsafeUninitializedCapacity: 9) { buffer, count in count = encode(buffer.baseAddress, buffer.count) }
    }
}

extension CBORKey {
    fileprivate var value: CBORValue {
        switch self {
        case .integer(let integer): .integer(integer)
        case .text(let text): .text(text)
        }
    }
}
