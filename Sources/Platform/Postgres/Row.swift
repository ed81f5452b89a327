internal import CSystem
internal import Synchronization

/// One row of a result. Retains the whole result.
public struct Row: Sendable {
    let result: ResultSet
    let index: Int32

    /// Decodes the value of a column.
    ///
    /// - Throws: ``PostgresError/decoding(column:fault:)``.
    @inlinable
    public func decode<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let cell = try cell(of: column)
        do {
            return try Value(postgres: cell)
        } catch {
            throw .decoding(column: column, fault: error)
        }
    }

    /// Decodes the value of a column that may be NULL. Faster than ``decode(_:as:)`` with an optional type, because it
    /// does not look up the conformance of that type.
    @inlinable
    public func decode<Value: PostgresDecodable>(
        _ column: String, as type: Value?.Type = Value?.self
    ) throws(PostgresError) -> Value? {
        let cell = try cell(of: column)
        guard !cell.isNull else { return nil }
        do {
            return try Value(postgres: cell)
        } catch {
            throw .decoding(column: column, fault: error)
        }
    }

    @usableFromInline
    func cell(of column: String) throws(PostgresError) -> Cell {
        guard let number = result.number(of: column) else {
            throw .decoding(column: column, fault: .noSuchColumn)
        }
        return result.cell(row: index, column: number)
    }
}

/// Names and types of the columns of a result.
final class Columns: Sendable {
    private let names: [String]
    let types: [PostgresType]
    private let namesAreDistinct: Bool

    init(_ result: OpaquePointer) {
        let numbers = 0..<PQnfields(result)
        names = numbers.map { String(cString: PQfname(result, $0)) }
        types = numbers.map { PostgresType(oid: PQftype(result, $0)) }
        namesAreDistinct = Set(names).count == names.count
    }

    /// Returns the index of a column. If several columns have the name, the first one is used.
    ///
    /// - Parameter likely: the index to try first.
    func number(of name: String, likely: Int) -> Int? {
        namesAreDistinct && likely < names.count && names[likely] == name ? likely : names.firstIndex(of: name)
    }
}

/// Owns a `PGresult`. `@unchecked Sendable`, because a received result never changes.
final class ResultSet: @unchecked Sendable {
    private let handle: OpaquePointer
    let columns: Columns
    /// The index of the column that was read last. Most columns are read in order, so the next index is tried first.
    private let latest = Atomic(-1)

    init(_ handle: OpaquePointer, columns: Columns?) {
        self.handle = handle
        self.columns = columns ?? Columns(handle)
    }

    deinit { PQclear(handle) }

    var rows: [Row] { (0..<PQntuples(handle)).map { Row(result: self, index: $0) } }

    /// The number of changed or returned rows.
    var affectedRows: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The command tag, for example `COMMIT`.
    var command: String { String(cString: PQcmdStatus(handle)) }

    func number(of column: String) -> Int? {
        let number = columns.number(of: column, likely: latest.load(ordering: .relaxed) + 1)
        if let number { latest.store(number, ordering: .relaxed) }
        return number
    }

    func cell(row: Int32, column: Int) -> Cell {
        let type = columns.types[column]
        let column = Int32(column)
        guard PQgetisnull(handle, row, column) == 0 else { return Cell(type: type, bytes: nil) }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(handle, row, column), count: Int(PQgetlength(handle, row, column)))
        return Cell(type: type, bytes: bytes)
    }
}
