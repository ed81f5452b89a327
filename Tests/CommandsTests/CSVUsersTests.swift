import Gateway
import Testing

@testable import Commands

@Suite("Rows of a CSV file of users")
struct CSVUsersTests {
    /// A field that is as long as a row may be.
    private static let filler = String(repeating: "x", count: UserFormat.rowLimit)

    /// Appends each row of `text` to `rows`: the number of its first line, with its JSON text or its fault.
    private func parse(_ text: String, into rows: inout [(line: Int, json: Result<String, UserRow.Fault>)]) throws {
        var parser = CSVUsers()
        func add(_ row: UserRow) { rows.append((row.line, row.json.map { String(decoding: $0, as: UTF8.self) })) }
        parser.parse(Array(text.utf8), add)
        try parser.finish(add)
    }

    @Test("A last row that is too long is reported once, with or without a final newline", arguments: ["", "\n"])
    func lastRow(end: String) throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse("first\nlast,\(Self.filler)\(end)", into: &rows)
        #expect(rows.map(\.line) == [1, 2])
        #expect(rows.map(\.json) == [.success(#"{"localId":"first"}"#), .failure(.tooLong)])
    }

    @Test("A row that is too long is skipped to its end, even if a quoted field contains newlines")
    func newlines() throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse("long,\"\(Self.filler)\nadmin,\"\"\nadmin\n\",\nlast\n", into: &rows)
        #expect(rows.map(\.line) == [1, 5])
        #expect(rows.map(\.json) == [.failure(.tooLong), .success(#"{"localId":"last"}"#)])
    }

    @Test("A quoted field that is too long and does not end is an error, and no row is read from it")
    func unterminated() throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        #expect(throws: Failure.self) { try parse("long,\"\(Self.filler)\nadmin\n", into: &rows) }
        #expect(rows.isEmpty)
    }

    @Test("The newline that ends a row does not count towards its length", arguments: ["", "\n"])
    func longest(end: String) throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse(Self.filler + end, into: &rows)
        #expect(rows.map(\.json) == [.success(#"{"localId":"\#(Self.filler)"}"#)])
    }

    @Test("A field that continues after its closing quotation mark is reported, and the next row is read")
    func textAfterQuotationMark() throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse("\"a\"b,c\nlast\n", into: &rows)
        #expect(rows.map(\.line) == [1, 2])
        #expect(rows.map(\.json) == [.failure(.textAfterQuotationMark), .success(#"{"localId":"last"}"#)])
    }
}
