import Identity
import Testing

@Suite("Names of time zones")
struct TimeZoneNameTests {
    @Test(
        "A name of the IANA database with a region is accepted",
        arguments: [
            "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "America/Port-au-Prince", "Asia/Calcutta",
            "Asia/Kolkata", "Antarctica/DumontDUrville", "Pacific/Auckland",
        ])
    func accepted(name: String) { #expect(TimeZoneName(name)?.rawValue == name) }

    @Test(
        "Other texts are rejected: PostgreSQL would read some of them as a distance from UTC",
        arguments: [
            "", "utc", "Europe", "Europe/", "/Berlin", "Berlin", "europe/berlin", "Europe/Berlin ", "Europe/Atlantis",
            "EST", "EST5EDT", "Etc/GMT+5", "Foo/Bar5", "+02:00", "UTC+2", "Europe/Berlin\u{0}", "../etc/passwd",
            "posix/Europe/Berlin", "Europe/Berlin'; --", String(repeating: "A", count: 41),
        ])
    func rejected(name: String) { #expect(TimeZoneName(name) == nil) }
}
