/// A value that can be interpolated into an ``SQL``.
public protocol PostgresEncodable {
    static var postgresType: PostgresType { get }
    var postgresParameter: Parameter { get }
}

/// A value that can be read from a column.
///
/// A type that wraps another one initializes itself from `Wrapped(postgres: cell)`.
public protocol PostgresDecodable {
    init(postgres cell: Cell) throws(DecodingFault)
}

/// Why a column could not be read.
public enum DecodingFault: Error, Hashable, Sendable {
    case noSuchColumn
    case null
    /// The column has another type than the requested one.
    case wrongType(PostgresType)
    /// Out of range, or not in the format of its type.
    case malformed
}

/// One value of a row, in the server's binary format. Do not keep it: it points into its row.
public struct Cell {
    let type: PostgresType
    /// `nil` is `NULL`.
    let bytes: UnsafeRawBufferPointer?

    public var isNull: Bool { bytes == nil }

    /// - Throws: ``DecodingFault/null``, or ``DecodingFault/wrongType(_:)`` unless the type is one of `types`.
    func bytes(of types: PostgresType...) throws(DecodingFault) -> UnsafeRawBufferPointer {
        guard types.contains(type) else { throw .wrongType(type) }
        guard let bytes else { throw .null }
        return bytes
    }

    func integer<Integer: FixedWidthInteger>(_ expected: PostgresType) throws(DecodingFault) -> Integer {
        guard type == expected else { throw .wrongType(type) }
        guard let bytes else { throw .null }
        guard bytes.count == Integer.bitWidth / 8 else { throw .malformed }
        return Integer(bigEndian: bytes.loadUnaligned(as: Integer.self))
    }
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    public static var postgresType: PostgresType { Wrapped.postgresType }
    public var postgresParameter: Parameter { self?.postgresParameter ?? Parameter(null: Wrapped.postgresType) }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    public init(postgres cell: Cell) throws(DecodingFault) {
        self = cell.isNull ? nil : try Wrapped(postgres: cell)
    }
}
