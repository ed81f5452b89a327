internal import CSystem
internal import FoundationEssentials

/// A value in the server's binary format. `description` and `Mirror` never show it.
public struct Parameter: Sendable, CustomStringConvertible, CustomReflectable {
    enum Value {
        case null
        /// Big-endian, the lowest `width` bytes of `bits`.
        case integer(bits: UInt64, width: Int)
        case text(String)
        case bytes([UInt8])
        case uuid(UUID)
        /// The value cannot be sent; the associated text is the reason.
        case invalid(StaticString)
    }

    let type: PostgresType
    let value: Value

    init(_ type: PostgresType, _ value: Value) {
        self.type = type
        self.value = value
    }

    /// `NULL` of a type.
    public init(null type: PostgresType) {
        self.init(type, .null)
    }

    public var description: String { "a parameter of type \(type.oid)" }
    public var customMirror: Mirror { Mirror(self, children: ["type": type.oid]) }

    /// - Returns: `false` for `NULL`, and for a value that cannot be sent.
    func append(to buffer: inout [UInt8]) -> Bool {
        switch value {
        case .null, .invalid: return false
        case .integer(let bits, let width): buffer.append(bigEndian: bits, width: width)
        case .text(let text): buffer.append(contentsOf: text.utf8)
        case .bytes(let bytes): buffer.append(contentsOf: bytes)
        case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { buffer.append(contentsOf: $0) }
        }
        return true
    }
}

extension [UInt8] {
    /// Appends the lowest `width` bytes of `bits`.
    mutating func append(bigEndian bits: UInt64, width: Int) {
        Swift.withUnsafeBytes(of: bits.bigEndian) { append(contentsOf: $0.suffix(width)) }
    }

    mutating func set(bigEndian bits: UInt32, at position: Int) {
        withUnsafeMutableBytes { $0.storeBytes(of: bits.bigEndian, toByteOffset: position, as: UInt32.self) }
    }
}

/// The parameters of one statement in libpq's format. The memory is reused for the next statement.
struct ParameterBuffer {
    private var bytes: [UInt8] = []
    /// The start of each value in `bytes`; -1 for NULL.
    private var offsets: [Int] = []
    private var types: [Oid] = []
    private var values: [UnsafePointer<CChar>?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// - Throws: ``PostgresError/invalidParameter(position:reason:)``.
    static func check(_ parameters: [Parameter]) throws(PostgresError) {
        guard parameters.count <= Int(UInt16.max) else {
            throw .invalidParameter(position: Int(UInt16.max) + 1, reason: "a statement has at most 65535 parameters")
        }
        for (index, parameter) in parameters.enumerated() {
            guard case .invalid(let reason) = parameter.value else { continue }
            throw .invalidParameter(position: index + 1, reason: reason.description)
        }
    }

    mutating func load(_ parameters: [Parameter]) {
        bytes.removeAll(keepingCapacity: true)
        offsets.removeAll(keepingCapacity: true)
        types.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
        bytes.append(0)  // an empty value needs a non-null pointer, because a null pointer means NULL
        for parameter in parameters {
            let start = bytes.count
            offsets.append(parameter.append(to: &bytes) ? start : -1)
            lengths.append(Int32(bytes.count - start))
            types.append(parameter.type.oid)
        }
        while formats.count < parameters.count { formats.append(1) }  // 1 is the binary format
    }

    mutating func withPointers<Value>(
        _ body: (
            _ count: Int32, _ types: UnsafePointer<Oid>, _ values: UnsafePointer<UnsafePointer<CChar>?>,
            _ lengths: UnsafePointer<Int32>, _ formats: UnsafePointer<Int32>
        ) -> Value
    ) -> Value {
        bytes.withUnsafeBytes { bytes in
            values.removeAll(keepingCapacity: true)
            for offset in offsets {
                let start = offset < 0 ? nil : bytes.baseAddress?.advanced(by: offset)
                values.append(start?.assumingMemoryBound(to: CChar.self))
            }
            return body(Int32(offsets.count), types, values, lengths, formats)
        }
    }
}
