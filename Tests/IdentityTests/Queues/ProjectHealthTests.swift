import Encoding
import Testing

@testable import Identity

@Suite("The health of a project")
struct ProjectHealthTests {
    private static let now = Instant(seconds: 1_800_000_000)

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The checks that are not `ok`, each as its name and state.
        let findings: [String]
        let change: @Sendable (inout ProjectHealthFacts) -> Void

        init(
            _ testDescription: String, _ findings: [String],
            _ change: @escaping @Sendable (inout ProjectHealthFacts) -> Void
        ) {
            self.testDescription = testDescription
            self.findings = findings
            self.change = change
        }
    }

    private static let rows = [
        Row("a healthy project", []) { _ in },
        Row("items that wait for a short time", []) {
            $0.queues[.emails] = .init(waiting: 3, givenUp: 0, oldest: now - .seconds(600))
        },
        Row("an item that waits for a long time", ["textMessages failing"]) {
            $0.queues[.textMessages] = .init(waiting: 1, givenUp: 0, oldest: now - .seconds(601))
        },
        Row("an item that was given up", ["emails warning"]) {
            $0.queues[.emails] = .init(waiting: 0, givenUp: 1, oldest: nil)
        },
        Row("tokens of a former team", ["appleTokens warning"]) { $0.unknownAppleTokens = 1 },
        Row("an endpoint that fails", ["eventEndpoints warning"]) { $0.failingEndpoints = 1 },
        Row("a disabled endpoint", ["eventEndpoints failing"]) { $0.disabledEndpoints = 1 },
        Row("an old key", ["signingKey warning"]) { $0.signingSince = now - .seconds(366 * 86_400) },
        Row("no key", ["signingKey failing"]) { $0.signingSince = nil },
    ]

    @Test("Each finding has a state", arguments: rows)
    func findings(row: Row) {
        var facts = ProjectHealthFacts(
            queues: [:], unknownAppleTokens: 0, disabledEndpoints: 0, failingEndpoints: 0,
            signingSince: Self.now - .seconds(86_400))
        row.change(&facts)
        let checks = facts.checks(at: Self.now)
        #expect(checks.count == 7)
        #expect(checks.filter { $0.state != .ok }.map { "\($0.name.rawValue) \($0.state.rawValue)" } == row.findings)
    }
}
