import Postgres
import Testing

@Suite("Values in arrays and composite values")
struct FieldsTests {
    @Test("The values of a composite value are read in order")
    func composite() async throws {
        try await withPool { pool in
            let row = try await pool.query("SELECT ROW('a'::text, NULL::text, 7::bigint, true) AS found")[0]
            var fields = try row.fields("found")
            #expect(fields.count == 4)
            #expect(try fields.next() == "a")
            #expect(try fields.next(as: String?.self) == nil)
            #expect(try fields.next(as: Int64?.self) == 7)
            #expect(try fields.next(as: Bool.self))
            #expect(fields.count == 0)
        }
    }

    @Test("Arrays and composite values contain each other")
    func nesting() async throws {
        try await withPool { pool in
            let row = try await pool.query(
                """
                SELECT ARRAY(SELECT ROW(ARRAY['a', n::text], ARRAY[]::bigint[]) FROM generate_series(1, 2) n ORDER BY n)
                    AS found
                """)[0]
            var fields = try row.fields("found")
            var found: [[String]] = []
            while fields.count > 0 {
                var composite = try fields.nextFields()
                found.append(try composite.next())
                let empty = try composite.nextFields()
                #expect(empty.count == 0)
            }
            #expect(found == [["a", "1"], ["a", "2"]])
        }
    }

    @Test(
        "A column without such values, or with other ones, is not decoded",
        arguments: [
            ("NULL::text[]", .null), ("'text'", .wrongType(.text)), ("ARRAY[['a'], ['b']]", .malformed),
            ("ROW()", .malformed), ("'{}'::text[]", .malformed), ("ROW(1::bigint)", .wrongType(.int8)),
            ("ARRAY[NULL]::text[]", .null),
        ] as [(SQL, DecodingFault)])
    func faults(_ expression: SQL, _ fault: DecodingFault) async throws {
        try await withPool { pool in
            let row = try await pool.query("SELECT \(expression) AS found")[0]
            let error = #expect(throws: PostgresError.self) {
                var fields = try row.fields("found")
                _ = try fields.next(as: String.self)
            }
            guard case .decoding("found", let found)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(found == fault)
        }
    }
}
