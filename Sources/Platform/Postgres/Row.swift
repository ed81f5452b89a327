internal import CSystem
internal import Synchronization

/// One row of a result; retains the whole result.
public struct Row: Sendable {
    let result: ResultSet
    let index: Int32

    /// - Throws: ``PostgresError/decoding(column:fault:)``.
    public func decode<Value: PostgresDecodable>(
        _ column: String, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard let number = result.number(of: column) else {
            throw .decoding(column: column, fault: .noSuchColumn)
        }
        do {
            return try Value(postgres: result.cell(row: index, column: number))
        } catch {
            throw .decoding(column: column, fault: error)
        }
    }
}

/// Names and types of the result columns of a prepared statement.
final class Columns: Sendable {
    private let names: [String]
    let types: [PostgresType]
    private let areDistinct: Bool

    init(_ result: OpaquePointer) {
        let numbers = 0..<PQnfields(result)
        names = numbers.map { String(cString: PQfname(result, $0)) }
        types = numbers.map { PostgresType(oid: PQftype(result, $0)) }
        areDistinct = Set(names).count == names.count
    }

    /// - Parameter likely: the index to try first. If several columns have the name, the first one counts.
    func number(of name: String, likely: Int) -> Int? {
        areDistinct && likely < names.count && names[likely] == name ? likely : names.firstIndex(of: name)
    }
}

/// Owns a `PGresult`. Unchecked: nothing changes it after it has been received.
final class ResultSet: @unchecked Sendable {
    private let handle: OpaquePointer
    let columns: Columns
    /// The column of the latest look-up. Most columns are read in order, so the next one is tried first.
    private let latest = Atomic(-1)

    init(_ handle: OpaquePointer, columns: Columns?) {
        self.handle = handle
        self.columns = columns ?? Columns(handle)
    }

    deinit { PQclear(handle) }

    var rows: [Row] { (0..<PQntuples(handle)).map { Row(result: self, index: $0) } }

    /// Changed or returned rows.
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
