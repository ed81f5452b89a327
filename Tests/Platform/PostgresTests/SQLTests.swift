import Postgres
import Testing

@Suite("SQL statements")
struct SQLTests {
    static let flag: SQL = "enabled = \(true)"

    static let rows: [(SQL, String, Int)] = [
        ("SELECT 1", "SELECT 1", 0),
        ("SELECT \(1), \("two")", "SELECT $1, $2", 2),
        (
            "SELECT \(1) WHERE \(flag) AND \(flag) LIMIT \(4)",
            "SELECT $1 WHERE enabled = $2 AND enabled = $3 LIMIT $4", 4
        ),
        ("\([flag, flag].joined(separator: " OR "))", "enabled = $1 OR enabled = $2", 2),
        ("\([SQL]().joined(separator: ", "))", "", 0),
        ("SELECT \(String?.none)", "SELECT $1", 1),
        ("SELECT \(Parameter(null: .text))", "SELECT $1", 1),
        ("(\(list: [1, 2, 3], { $0.appendInterpolation($1) })) AND \(flag)", "($1, $2, $3) AND enabled = $4", 4),
        ("(\(list: [Int](), { $0.appendInterpolation($1) }))", "()", 0),
        (("SELECT \(1) WHERE \(flag)" as SQL).compacted, "SELECT $1 WHERE enabled = $2", 2),
        ("SELECT \(("a, \("b" as SQL), c" as SQL).compacted), \(2)", "SELECT a, b, c, $1", 1),
    ]

    @Test("Parameters are numbered, including those of inserted fragments", arguments: rows)
    func numbering(sql: SQL, text: String, count: Int) {
        #expect(sql.text == text)
        #expect(sql.parameters.count == count)
    }

    @Test("Descriptions and dumps do not contain the values")
    func description() {
        let sql: SQL = "SELECT \("hunter2"), \(Array("hunter2".utf8)), \(["hunter2"])"
        var dumped = ""
        dump(sql, to: &dumped)
        dump(sql.parameters, to: &dumped)
        #expect(!"\(sql) \(sql.parameters) \(String(reflecting: sql)) \(dumped)".contains("hunter2"))
    }
}
