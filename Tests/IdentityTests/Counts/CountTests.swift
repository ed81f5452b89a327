import Identity
import Testing

@Suite("Counting")
struct CountTests {
    private static let demo = ID<Realm>("demo")
    /// 2027-01-15 08:00:00 UTC.
    private static let now = Instant(seconds: 1_800_000_000)

    @Test("Events of an hour are added up, and those of the next hour are counted separately")
    func hours() {
        var table = CountTable(capacity: 10)
        for second in [0, 1, 3599, 3600] as [Int64] {
            table.add(to: .init(realm: Self.demo, at: Self.now + .seconds(second), .activeAccount))
        }
        let deltas = table.drain().sorted { $0.key.hour < $1.key.hour }
        #expect(deltas.map(\.key.hour) == [Self.now, Self.now + .seconds(3600)])
        #expect(deltas.map(\.count) == [3, 1])
        #expect(table.drain().isEmpty)
    }

    @Test("A full table counts no new keys, but those that it has, and says how many events it dropped")
    func capacity() {
        var table = CountTable(capacity: 1)
        let known = CountTable.Key(realm: Self.demo, at: Self.now, .activeAccount)
        let new = CountTable.Key(realm: ID("other"), at: Self.now, .activeAccount)
        for key in [known, new, known, new, new] { table.add(to: key) }
        #expect(table.dropped == 3)
        #expect(table.drain() == [CountTable.Delta(known, count: 2)])
        table.add(to: new)
        #expect(table.drain() == [CountTable.Delta(new, count: 1)])
    }

    @Test(
        "A duration is counted with its upper bound",
        arguments: [
            (0, "5"), (5000, "5"), (5001, "10"), (100_000, "100"), (10_000_000, "10000"), (10_000_001, "slower"),
        ])
    func latency(microseconds: Int64, label: String) {
        #expect(CountedEvent.request(lasting: .microseconds(microseconds)).label == label)
    }

    @Test(
        "A range ends with the current hour or day",
        arguments: [
            (CountRange.last24Hours, "2027-01-14T09:00:00.000Z"), (.last30Days, "2026-12-17T00:00:00.000Z"),
            (.last365Days, "2026-01-16T00:00:00.000Z"),
        ])
    func ranges(range: CountRange, start: String) {
        #expect(range.start(at: Self.now + .seconds(3599)).iso8601 == start)
    }

    @Test("Periods begin before 1970 too")
    func negativeTimes() {
        #expect(CountStep.hour.start(of: Instant(seconds: -1)) == Instant(seconds: -3600))
        #expect(CountStep.hour.start(of: Instant(seconds: -3600)) == Instant(seconds: -3600))
    }

    @Test("Series have a count for each period, by kind, the largest label first, durations in their order")
    func series() {
        func stored(_ kind: CountKind, _ label: String, hoursAgo: Int64, _ count: Int64) -> StoredCount {
            StoredCount(kind: kind, label: label, start: Self.now - .seconds(3600 * hoursAgo), count: count)
        }
        let series = [CountSeries](
            [
                stored(.latency, "slower", hoursAgo: 0, 9), stored(.latency, "10", hoursAgo: 0, 1),
                stored(.signIns, "password", hoursAgo: 0, 2), stored(.signIns, "apple.com", hoursAgo: 1, 3),
                stored(.signIns, "apple.com", hoursAgo: 23, 4), stored(.signIns, "apple.com", hoursAgo: 24, 100),
            ], in: .last24Hours, at: Self.now)
        #expect(series.map(\.label) == ["apple.com", "password", "10", "slower"])
        #expect(series.map(\.total) == [7, 2, 1, 9])
        #expect(series[0].counts == [4] + Array(repeating: 0, count: 21) + [3, 0])
    }
}
