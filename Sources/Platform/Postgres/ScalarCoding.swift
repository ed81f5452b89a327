public import FoundationEssentials

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
        Parameter(.text, utf8.contains(0) ? .refused("text with a NUL character") : .text(self))
    }

    /// Reads the text types; JSON as its text.
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
