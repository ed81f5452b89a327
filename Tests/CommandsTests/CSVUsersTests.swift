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

    @Test(
        "A row is read only if it has 28 columns and four more for each provider, or as many as the first row",
        arguments: [
            (28, 28, nil), (28, 32, nil), (52, 28, nil), (29, 29, nil), (51, 51, nil),
            (28, 1, providerCounts), (28, 27, providerCounts), (28, 29, providerCounts), (52, 51, providerCounts),
            (52, 53, providerCounts), (1, 1, providerCounts), (53, 53, providerCounts), (29, 28, [29]), (29, 30, [29]),
        ] as [(Int, Int, [Int]?)])
    func columns(first: Int, other: Int, accepted: [Int]?) throws {
        var rows: [(line: Int, json: Result<String, UserRow.Fault>)] = []
        try parse([first, other].map { "a" + String(repeating: ",", count: $0 - 1) + "\n" }.joined(), into: &rows)
        #expect(
            rows.last?.json == accepted.map { .failure(.columnCount(other, accepted: $0)) }
                ?? .success(#"{"localId":"a"}"#))
    }

    private static let providerCounts = [28, 32, 36, 40, 44, 48, 52]
}
