/// The values of an array or of a composite value (`ROW(…)`) in a row, which are read in order. They can be arrays and
/// composite values too.
public struct Fields {
    /// The column of the row, for errors.
    @usableFromInline let column: String
    /// Retained, because the reader points into it.
    private let result: ResultSet
    private var reader: FieldReader

    init(_ cell: Cell, of column: String, in result: ResultSet) throws(PostgresError) {
        self.column = column
        self.result = result
        do {
            reader = try FieldReader(cell)
        } catch {
            throw .decoding(column: column, fault: error)
        }
    }

    /// The number of values that have not been read.
    public var count: Int { reader.count }

    /// Decodes the next value.
    ///
    /// - Throws: ``PostgresError/decoding(column:fault:)``.
    @inlinable
    public mutating func next<Value: PostgresDecodable>(
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let cell = try nextCell()
        do {
            return try Value(postgres: cell)
        } catch {
            throw .decoding(column: column, fault: error)
        }
    }

    /// Decodes the next value, which may be NULL.
    @inlinable
    public mutating func next<Value: PostgresDecodable>(
        as type: Value?.Type = Value?.self
    ) throws(PostgresError) -> Value? {
        let cell = try nextCell()
        guard !cell.isNull else { return nil }
        do {
            return try Value(postgres: cell)
        } catch {
            throw .decoding(column: column, fault: error)
        }
    }

    /// Returns the values of the next value, which is an array or a composite value.
    public mutating func nextFields() throws(PostgresError) -> Fields {
        try Fields(try nextCell(), of: column, in: result)
    }

    @usableFromInline
    mutating func nextCell() throws(PostgresError) -> Cell {
        do {
            return try reader.next()
        } catch {
            throw .decoding(column: column, fault: error)
        }
    }
}

extension Row {
    /// Returns the values of a column that contains an array or a composite value.
    ///
    /// - Throws: ``PostgresError/decoding(column:fault:)``.
    public func fields(_ column: String) throws(PostgresError) -> Fields {
        try Fields(try cell(of: column), of: column, in: result)
    }
}

/// Reads the values of an array or of a composite value in the server's binary format.
struct FieldReader {
    /// The number of values that have not been read.
    private(set) var count = 0
    private var remaining: UnsafeRawBufferPointer
    /// `nil` for a composite value, in which each value states its type.
    private var elementType: PostgresType?

    init(_ cell: Cell) throws(DecodingFault) {
        if cell.type == .record { try self.init(composite: cell) } else { try self.init(array: cell) }
    }

    private init(composite cell: Cell) throws(DecodingFault) {
        remaining = try cell.bytes(of: .record)
        count = Int(try integer())
        guard count >= 0, count <= remaining.count / 8 else { throw .malformed }
    }

    /// - Throws: ``DecodingFault/malformed`` for an array with several dimensions.
    init(array cell: Cell) throws(DecodingFault) {
        remaining = try cell.bytes(
            of: .textArray, .varcharArray, .boolArray, .int4Array, .int8Array, .timestamptzArray, .uuidArray,
            .recordArray)
        let dimensions = try integer()
        _ = try integer()  // whether an element is NULL
        elementType = PostgresType(oid: UInt32(bitPattern: try integer()))
        guard dimensions != 0 else { return }
        count = Int(try integer())
        _ = try integer()  // the first index
        guard dimensions == 1, count >= 0, count <= remaining.count / 4 else { throw .malformed }
    }

    /// - Throws: ``DecodingFault/malformed`` after the last value.
    mutating func next() throws(DecodingFault) -> Cell {
        guard count > 0 else { throw .malformed }
        count -= 1
        let type = if let elementType { elementType } else { PostgresType(oid: UInt32(bitPattern: try integer())) }
        let length = Int(try integer())
        return Cell(type: type, bytes: length < 0 ? nil : try readBytes(length))
    }

    private mutating func integer() throws(DecodingFault) -> Int32 {
        Int32(bigEndian: try readBytes(4).loadUnaligned(as: Int32.self))
    }

    private mutating func readBytes(_ count: Int) throws(DecodingFault) -> UnsafeRawBufferPointer {
        guard count <= remaining.count else { throw .malformed }
        defer { remaining = UnsafeRawBufferPointer(rebasing: remaining.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: remaining.prefix(count))
    }
}
