import Identity
import Testing

@Suite("Additions that a remedy removes")
struct AdditionsTests {
    private static let time = Instant(seconds: 1_800_000_000)

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let additions: Additions
        let addedAt: Instant?
        let isIncluded: Bool
    }

    static let rows = [
        Row(testDescription: "later", additions: Additions(since: time), addedAt: time + .seconds(1), isIncluded: true),
        Row(testDescription: "at the same time", additions: Additions(since: time), addedAt: time, isIncluded: true),
        Row(
            testDescription: "earlier", additions: Additions(since: time), addedAt: time - .seconds(1),
            isIncluded: false),
        // The statement that removes additions does not remove it either, so the pages still list it.
        Row(testDescription: "unknown time", additions: Additions(since: time), addedAt: nil, isIncluded: false),
        Row(testDescription: "everything, unknown time", additions: .everything, addedAt: nil, isIncluded: true),
        Row(
            testDescription: "everything, before 1970", additions: .everything, addedAt: Instant(seconds: -1),
            isIncluded: true),
        Row(
            testDescription: "other kinds", additions: .all([.identities, .phoneNumber, .factors]), addedAt: time,
            isIncluded: false),
    ]

    @Test("A passkey is included by its kind and its time", arguments: rows)
    func passkey(row: Row) {
        #expect(row.additions.includes(.passkeys, addedAt: row.addedAt) == row.isIncluded)
    }

    @Test("Everything has every kind")
    func everything() {
        #expect(Additions.everything.kinds == Set(Additions.Kind.allCases))
    }
}
