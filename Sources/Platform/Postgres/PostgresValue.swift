public import FoundationEssentials

/// A value that can be interpolated into an ``SQL``.
public protocol PostgresEncodable {
    static var postgresType: PostgresType { get }
    var postgresParameter: Parameter { get }
}

/// A value that can be read from a column.
///
/// A type that wraps a decodable type, `Wrapped`, implements the initializer with `Wrapped(postgres: cell)`.
public protocol PostgresDecodable {
    init(postgres cell: Cell) throws(DecodingFault)
}

/// Why a column could not be read.
public enum DecodingFault: Error, Hashable, Sendable, CustomStringConvertible {
    case noSuchColumn
    case null
    /// The column has another type than the requested one; the value is the type of the column.
    case wrongType(PostgresType)
    /// Out of range, or not in the format of its type.
    case malformed

    public var description: String {
        switch self {
        case .noSuchColumn: "the result has no such column"
        case .null: "the value is NULL"
        case .wrongType: "the column has another type"
        case .malformed: "the value is out of range or malformed"
        }
    }
}

/// One value of a row, in the server's binary format. Valid only as long as its row, because it points into the result.
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

    /// - Throws: ``DecodingFault`` for another type, for `NULL`, and for another width than that of `Integer`.
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

extension Bool: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .bool }
    public var postgresParameter: Parameter { Parameter(.bool, .integer(bits: self ? 1 : 0, width: 1)) }
    public init(postgres cell: Cell) throws(DecodingFault) {
        let value: UInt8 = try cell.integer(.bool)
        self = value != 0
    }
}

extension Int32: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int4 }
    public var postgresParameter: Parameter {
        Parameter(.int4, .integer(bits: UInt64(UInt32(bitPattern: self)), width: 4))
    }
    public init(postgres cell: Cell) throws(DecodingFault) {
        if cell.type == .int2 {
            let value: Int16 = try cell.integer(.int2)
            self = Int32(value)
        } else {
            self = try cell.integer(.int4)
        }
    }
}

extension Int64: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int8 }
    public var postgresParameter: Parameter { Parameter(.int8, .integer(bits: UInt64(bitPattern: self), width: 8)) }
    public init(postgres cell: Cell) throws(DecodingFault) {
        self = cell.type == .int8 ? try cell.integer(.int8) : Int64(try Int32(postgres: cell))
    }
}

extension Int: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .int8 }
    public var postgresParameter: Parameter { Int64(self).postgresParameter }
    public init(postgres cell: Cell) throws(DecodingFault) {
        self = Int(try Int64(postgres: cell))
    }
}

extension Double: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .float8 }
    public var postgresParameter: Parameter { Parameter(.float8, .integer(bits: bitPattern, width: 8)) }
    public init(postgres cell: Cell) throws(DecodingFault) {
        self.init(bitPattern: try cell.integer(.float8))
    }
}

extension UUID: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .uuid }
    public var postgresParameter: Parameter { Parameter(.uuid, .uuid(self)) }
    public init(postgres cell: Cell) throws(DecodingFault) {
        let bytes = try cell.bytes(of: .uuid)
        guard bytes.count == 16 else { throw .malformed }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension String: PostgresEncodable, PostgresDecodable {
    public static var postgresType: PostgresType { .text }

    /// Text with a NUL is rejected when the statement is executed: PostgreSQL cannot store it.
    public var postgresParameter: Parameter {
        Parameter(.text, utf8.contains(0) ? .invalid("text with a NUL character") : .text(self))
    }

    /// Decodes the text types, and JSON as text.
    public init(postgres cell: Cell) throws(DecodingFault) {
        var bytes = try cell.bytes(of: .text, .varchar, .bpchar, .name, .json, .jsonb)
        if cell.type == .jsonb {
            guard bytes.first == 1 else { throw .malformed }  // the format's only version
            bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        self = text
    }
}

/// A PostgreSQL `timestamptz`: a point in time in whole microseconds.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01 00:00 UTC. PostgreSQL supports the years 4713 BC to 294276 AD. Other values are
    /// rejected as parameters. A column with PostgreSQL's `infinity` or `-infinity` cannot be decoded.
    public var microsecondsSinceEpoch: Int64

    public init(microsecondsSinceEpoch: Int64) {
        self.microsecondsSinceEpoch = microsecondsSinceEpoch
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microsecondsSinceEpoch < right.microsecondsSinceEpoch
    }
}

extension Timestamp: PostgresEncodable, PostgresDecodable {
    /// 2000-01-01, from which the server counts, in microseconds since 1970.
    private static let serverEpoch: Int64 = 946_684_800_000_000
    /// PostgreSQL's `MIN_TIMESTAMP` and `END_TIMESTAMP`, in microseconds since ``serverEpoch``.
    private static let serverRange: Range<Int64> = -211_813_488_000_000_000..<9_223_371_331_200_000_000

    public static var postgresType: PostgresType { .timestamptz }

    public var postgresParameter: Parameter {
        let (value, overflow) = microsecondsSinceEpoch.subtractingReportingOverflow(Self.serverEpoch)
        guard !overflow, Self.serverRange.contains(value) else {
            return Parameter(.timestamptz, .invalid("a time out of the range of PostgreSQL"))
        }
        return Parameter(.timestamptz, .integer(bits: UInt64(bitPattern: value), width: 8))
    }

    public init(postgres cell: Cell) throws(DecodingFault) {
        let value: Int64 = try cell.integer(.timestamptz)
        let (microseconds, overflow) = value.addingReportingOverflow(Self.serverEpoch)
        guard !overflow, Self.serverRange.contains(value) else { throw .malformed }
        self.init(microsecondsSinceEpoch: microseconds)
    }
}

/// A type of the server's catalogue, by object identifier.
public struct PostgresType: Hashable, Sendable {
    public let oid: UInt32

    public static let bool = PostgresType(oid: 16)
    public static let bytea = PostgresType(oid: 17)
    public static let name = PostgresType(oid: 19)
    public static let int8 = PostgresType(oid: 20)
    public static let int2 = PostgresType(oid: 21)
    public static let int4 = PostgresType(oid: 23)
    public static let text = PostgresType(oid: 25)
    public static let json = PostgresType(oid: 114)
    public static let float8 = PostgresType(oid: 701)
    public static let bpchar = PostgresType(oid: 1042)
    public static let varchar = PostgresType(oid: 1043)
    public static let timestamptz = PostgresType(oid: 1184)
    /// A composite value without a named type.
    public static let record = PostgresType(oid: 2249)
    public static let uuid = PostgresType(oid: 2950)
    public static let jsonb = PostgresType(oid: 3802)

    public static let boolArray = PostgresType(oid: 1000)
    public static let int4Array = PostgresType(oid: 1007)
    public static let textArray = PostgresType(oid: 1009)
    public static let varcharArray = PostgresType(oid: 1015)
    public static let int8Array = PostgresType(oid: 1016)
    public static let timestamptzArray = PostgresType(oid: 1185)
    public static let recordArray = PostgresType(oid: 2287)
    public static let uuidArray = PostgresType(oid: 2951)
}
