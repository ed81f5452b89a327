internal import FoundationEssentials
internal import Identity
public import Postgres

/// The result of one statement that examines the database within a second.
public struct DatabaseProbe: Sendable {
    /// Whether exactly the migrations of this release are applied, and perhaps those of a later one.
    public let schemaIsCurrent: Bool
    /// How far the clock of this machine is ahead of PostgreSQL's; `nil` if the database has no table of migrations.
    public let clockLead: Duration?

    /// - Throws: ``PostgresError`` if the database does not respond in time.
    public init(of pool: Pool) async throws {
        let before = Instant.machineNow
        var ledger: [String: [UInt8]] = [:]
        var databaseNow: Instant?
        do {
            let rows = try await pool.probe(
                """
                SELECT clock_timestamp() AS now, m.name, m.sha256
                FROM (SELECT 1) one LEFT JOIN schema_migration m ON true
                """)
            for row in rows {
                databaseNow = Instant(try row.decode("now"))
                if let name = try row.decode("name", as: String?.self) { ledger[name] = try row.decode("sha256") }
            }
        } catch let error as PostgresError where error.meansMissingTable {
            // The database is not migrated.
        }
        let roundTrip = Instant.machineNow - before
        clockLead = databaseNow.map { before + roundTrip / 2 - $0 }
        schemaIsCurrent = Schema.isCurrent(with: ledger)
    }
}

extension Instant {
    /// The time of this machine's clock.
    static var machineNow: Instant { Instant(microseconds: Int64(Date.now.timeIntervalSince1970 * 1_000_000)) }
}

extension PostgresError {
    fileprivate var meansMissingTable: Bool {
        if case .rejected(let rejection) = self { rejection.code == "42P01" } else { false }
    }
}
