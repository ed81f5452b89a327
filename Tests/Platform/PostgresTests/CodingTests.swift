import Encoding
import Foundation
import Postgres
import Testing

@Suite("Values as parameters and in results")
struct CodingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Whether the value and its type are the same after they were sent and read again.
        let roundTrips: @Sendable (Pool) async throws -> Bool

        init<Value: PostgresEncodable & PostgresDecodable & Equatable & Sendable>(_ type: String, _ value: Value) {
            testDescription = "\(type): \(String(describing: value).prefix(40))"
            roundTrips = { pool in
                let row = try await pool.query("SELECT \(value) AS value, pg_typeof(\(value))::text AS type")[0]
                return try row.decode("value", as: Value.self) == value && row.decode("type") == type
            }
        }
    }

    static let cases: [Case] = [
        Case("text", ""), Case("text", "plain"), Case("text", "日本 👩‍👩‍👧 \u{FEFF}\u{10FFFF}"),
        Case("text", "'; DROP TABLE account; --"), Case("text", "$1 \\x00 \" ' \n\t"),
        Case("text", String(repeating: "long ", count: 200_000)),
        Case("text", String?.none), Case("text", String?.some("there")),
        Case("bigint", Int.max), Case("bigint", Int.min), Case("bigint", 0), Case("bigint", Int?.none),
        Case("bigint", Int64.min), Case("integer", Int32.max), Case("integer", Int32.min), Case("integer", Int32(-1)),
        Case("boolean", true), Case("boolean", false), Case("boolean", Bool?.none),
        Case("double precision", 0.1), Case("double precision", -Double.infinity),
        Case("double precision", Double.leastNonzeroMagnitude), Case("double precision", Double?.none),
        Case("bytea", [UInt8]()), Case("bytea", [UInt8](0...255)), Case("bytea", [UInt8]([0, 0, 0])),
        Case("bytea", [UInt8]?.none),
        Case("uuid", UUID()), Case("uuid", UUID?.none),
        Case("timestamp with time zone", Timestamp(microsecondsSinceEpoch: 0)),
        Case("timestamp with time zone", Timestamp(microsecondsSinceEpoch: -1)),
        Case("timestamp with time zone", Timestamp(microsecondsSinceEpoch: 1_793_000_000_123_456)),
        Case("timestamp with time zone", Timestamp?.none),
        Case("text[]", [String]()), Case("text[]", ["a", "", "ü,{}\"\\"]), Case("text[]", [String]?.none),
        Case("bigint[]", [Int64.min, 0, .max]), Case("bigint[]", [1, 2, 3]), Case("integer[]", [Int32.min, .max]),
        Case("uuid[]", [UUID(), UUID()]),
        Case("text[]", ["a", nil, ""]), Case("text[]", [String?]()), Case("text[]", [String?.none]),
        Case("bigint[]", [nil, Int64.max]), Case("boolean[]", [true, false]), Case("boolean[]", [nil, true]),
        Case(
            "timestamp with time zone[]",
            [Timestamp(microsecondsSinceEpoch: -1), nil, Timestamp(microsecondsSinceEpoch: 1_800_000_000_000_001)]),
    ]

    @Test(
        "A value that is sent and read again is unchanged, and has the expected type",
        arguments: [StatementPreparation.own, .shared, .none])
    func roundTrip(preparation: StatementPreparation) async throws {
        try await withPool {
            $0.preparation = preparation
        } _: { pool in
            for row in Self.cases {
                let isSame = try await row.roundTrips(pool)
                #expect(isSame, "\(row.testDescription)")
            }
        }
    }
}
