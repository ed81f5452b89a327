import Identity
import Storage
import Testing

@testable import Support

@Suite("Time zones in PostgreSQL")
struct PostgresTimeZoneStoreTests {
    @Test(
        "A change of the distance from UTC is found to the quarter of an hour",
        arguments: [
            ("Europe/Berlin", "2026-03-29T00:59:59Z", "2026-03-29T01:59:59"),
            ("Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00"),
            ("Australia/Lord_Howe", "2026-04-04T14:59:59Z", "2026-04-05T01:59:59"),
            ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", "2026-04-05T01:30:00"),
            ("Asia/Kathmandu", "2015-06-01T00:00:00Z", "2015-06-01T05:45:00"),
            ("America/New_York", "2026-07-01T12:00:00Z", "2026-07-01T08:00:00"),
        ])
    func changes(name: String, instant: String, clock: String) async throws {
        let store = PostgresTimeZoneStore(pool: try TestDatabase().pool)
        let offsets = try await store.offsets(of: try #require(TimeZoneName(name)))
        let local = offsets.local(try #require(Instant(iso8601: instant)))
        #expect(local.iso8601.hasPrefix(clock), "\(local.iso8601)")
    }
}
