import Identity
import Synchronization
import Testing

@Suite("Time zones of users")
struct TimeZoneOffsetsTests {
    private static let berlin = TimeZoneOffsets(
        TimeZoneName("Europe/Berlin")!,
        changes: [
            .init(at: Instant(iso8601: "2026-10-25T01:00:00Z")!, seconds: 3600),
            .init(at: Instant(iso8601: "2027-03-28T01:00:00Z")!, seconds: 7200),
        ])

    @Test(
        "A clock shows the distance that applies at the time",
        arguments: [
            ("2026-10-25T00:59:59Z", "2026-10-25T01:59:59"), ("2026-10-25T01:00:00Z", "2026-10-25T02:00:00"),
            ("2027-03-28T00:59:59Z", "2027-03-28T01:59:59"), ("2027-03-28T01:00:00Z", "2027-03-28T03:00:00"),
            ("2040-12-31T23:00:00Z", "2041-01-01T01:00:00"), ("1999-12-31T23:30:00Z", "2000-01-01T00:30:00"),
        ])
    func local(instant: String, clock: String) throws {
        let local = Self.berlin.local(try #require(Instant(iso8601: instant)))
        #expect(local.iso8601.hasPrefix(clock))
        #expect(TimeZoneOffsets.utc.local(local) == local)
    }

    @Test("A time zone is loaded once; a failure shows UTC and is not kept")
    func loading() async throws {
        let calls = Mutex(0)
        struct Outage: Error {}
        let zones = TimeZones { name in
            let call = calls.withLock {
                $0 += 1
                return $0
            }
            guard call > 1 else { throw Outage() }
            return TimeZoneOffsets(name, changes: [])
        }
        let name = try #require(TimeZoneName("Europe/Berlin"))
        #expect(await zones.offsets(of: nil) == .utc)
        #expect(await zones.offsets(of: .utc) == .utc)
        #expect(await zones.offsets(of: name) == .utc)
        #expect(await zones.offsets(of: name).name == name)
        #expect(await zones.offsets(of: name).name == name)
        #expect(calls.withLock { $0 } == 2)
    }
}
