import Gateway
import Testing

@testable import Commands

@Suite("Rows of a CSV file of users")
struct CSVUsersTests {
    /// A field that is as long as a row may be.
    private static let filler = String(repeating: "x", count: UserFormat.rowLimit)

    /// Separates the columns after the first one of a row with the minimum number of columns.
    private static let rest = String(repeating: ",", count: 27)

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
        try parse("first\(Self.rest)\nlast,\(Self.filler)\(end)", into: &rows)
        #expect(rows.map(\.line) == [1, 2])
        #expect(rows.map(\.json) == [.success(#"{"localId":"first"}"#), .failure(.tooLong)])
    }

    @Test("A row that is too long is skipped to its end, even if a quoted field contains newlines")
    func newlines() throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse("long,\"\(Self.filler)\nadmin,\"\"\nadmin\n\",\nlast\(Self.rest)\n", into: &rows)
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
        let id = Self.filler.dropLast(Self.rest.utf8.count)
        try parse(id + Self.rest + end, into: &rows)
        #expect(rows.map(\.json) == [.success(#"{"localId":"\#(id)"}"#)])
    }

    @Test("A field that continues after its closing quotation mark is reported, and the next row is read")
    func textAfterQuotationMark() throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse("\"a\"b,c\nlast\(Self.rest)\n", into: &rows)
        #expect(rows.map(\.line) == [1, 2])
        #expect(rows.map(\.json) == [.failure(.textAfterQuotationMark), .success(#"{"localId":"last"}"#)])
    }

    @Test("The separator is the most frequent one of the first row, and a byte order mark is dropped")
    func separators() throws {
        for separator in [",", ";", "\t"] {
            let rest = Self.rest.replacing(",", with: separator)
            var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
            try parse("\u{FEFF}\"a,,;;\t\t\"\(rest)\r\nb\(rest)", into: &rows)
            #expect(rows.map(\.json) == [.success(#"{"localId":"a,,;;\t\t"}"#), .success(#"{"localId":"b"}"#)])
        }
    }

    @Test("A row with too few or too many columns is reported with their number", arguments: [1, 27, 53])
    func columns(count: Int) throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse("first\(Self.rest)\nother" + String(repeating: ",", count: count - 1) + "\n", into: &rows)
        #expect(rows.map(\.json) == [.success(#"{"localId":"first"}"#), .failure(.columnCount(count))])
    }
}
