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
        /// The reason why the statement must not be sent.
        case refused(StaticString)
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

    /// - Returns: `false` for `NULL`.
    func append(to buffer: inout [UInt8]) -> Bool {
        switch value {
        case .null, .refused: return false
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
