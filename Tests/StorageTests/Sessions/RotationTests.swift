import Identity
import Storage
import Support
import Testing

/// A refresh with one token of the session, identified by its counter.
struct Refresh {
    enum Outcome: Equatable {
        /// The session continues, and the response has the token with this counter.
        case gives(Int64)
        case stolen
        case ended
        case disabled
        case removed

        init(_ rotation: Rotation) {
            self =
                switch rotation {
                case .continues(_, _, let counter, _): .gives(counter)
                case .stolen: .stolen
                case .ended: .ended
                case .accountDisabled: .disabled
                case .removed: .removed
                }
        }
    }

    let token: Int64
    /// Seconds after the sign-in.
    let second: Int64
    let outcome: Outcome

    init(_ token: Int64, at second: Int64, _ outcome: Outcome) {
        self.token = token
        self.second = second
        self.outcome = outcome
    }
}

/// Refreshes of one session, in the order of time. The grace period is 30 seconds.
struct Interleaving: CustomTestStringConvertible {
    let testDescription: String
    var rotates = true
    let refreshes: [Refresh]

    static let all = [
        Interleaving(
            testDescription: "each token in turn gives its successor",
            refreshes: [Refresh(0, at: 10, .gives(1)), Refresh(1, at: 20, .gives(2)), Refresh(2, at: 9000, .gives(3))]),
        Interleaving(
            testDescription: "a response was lost: the same token gives the same successor, even a month later",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(0, at: 11, .gives(1)), Refresh(0, at: 2_600_000, .gives(1)),
            ]),
        Interleaving(
            testDescription: "after a lost response the chain continues",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(0, at: 5000, .gives(1)), Refresh(1, at: 6000, .gives(2)),
            ]),
        Interleaving(
            testDescription: "two tabs with one token: the slower gets the newest token within the grace period",
            refreshes: [Refresh(0, at: 10, .gives(1)), Refresh(1, at: 11, .gives(2)), Refresh(0, at: 40, .gives(2))]),
        Interleaving(
            testDescription: "many quick refreshes in one tab do not shorten the grace period of the other",
            refreshes: [
                Refresh(0, at: 1000, .gives(1)), Refresh(1, at: 1001, .gives(2)), Refresh(2, at: 1002, .gives(3)),
                Refresh(3, at: 1003, .gives(4)), Refresh(0, at: 1004, .gives(4)), Refresh(1, at: 1005, .gives(4)),
            ]),
        Interleaving(
            testDescription: "an old token after the grace period is treated as stolen, and ends the session",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(1, at: 11, .gives(2)), Refresh(0, at: 42, .stolen),
                Refresh(2, at: 43, .ended), Refresh(0, at: 44, .ended),
            ]),
        Interleaving(
            testDescription:
                "an attacker who refreshes without pause does not extend the grace period of the owner's token",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(1, at: 30, .gives(2)), Refresh(2, at: 50, .gives(3)),
                Refresh(3, at: 70, .gives(4)), Refresh(4, at: 90, .gives(5)), Refresh(0, at: 110, .stolen),
                Refresh(5, at: 111, .ended),
            ]),
        Interleaving(
            testDescription: "without a pause between refreshes, each token still has its whole grace period",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(1, at: 30, .gives(2)), Refresh(0, at: 60, .gives(2)),
                Refresh(2, at: 61, .gives(3)), Refresh(1, at: 91, .gives(3)), Refresh(3, at: 92, .gives(4)),
                Refresh(2, at: 122, .gives(4)),
            ]),
        Interleaving(
            testDescription: "later quick refreshes do not make an expired token valid again",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(1, at: 20, .gives(2)), Refresh(2, at: 5000, .gives(3)),
                Refresh(3, at: 5001, .gives(4)), Refresh(0, at: 5002, .stolen), Refresh(4, at: 5003, .ended),
            ]),
        Interleaving(
            testDescription: "the grace period begins when the successor is used, not when it is issued",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(1, at: 5000, .gives(2)), Refresh(0, at: 5020, .gives(2)),
            ]),
        Interleaving(
            testDescription: "the last second belongs to the grace period",
            refreshes: [Refresh(0, at: 10, .gives(1)), Refresh(1, at: 100, .gives(2)), Refresh(0, at: 130, .gives(2))]),
        Interleaving(
            testDescription: "the grace period does not revive an ended session",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(1, at: 100, .gives(2)), Refresh(2, at: 115, .gives(3)),
                Refresh(0, at: 140, .stolen), Refresh(1, at: 141, .ended), Refresh(3, at: 142, .ended),
            ]),
        Interleaving(
            testDescription: "after a failover, the chain continues from a token that is ahead of the database",
            refreshes: [
                Refresh(0, at: 10, .gives(1)), Refresh(5, at: 20, .gives(6)), Refresh(5, at: 25, .gives(6)),
                Refresh(6, at: 30, .gives(7)),
            ]),
        Interleaving(
            testDescription: "without rotation, a token is valid again and again", rotates: false,
            refreshes: [
                Refresh(0, at: 10, .gives(0)), Refresh(0, at: 5000, .gives(0)), Refresh(0, at: 9_000_000, .gives(0)),
            ]),
    ]
}

@Suite("Chains of refresh tokens")
struct RotationTests {
    @Test("A chain of refresh tokens follows the rules of rotation", arguments: Interleaving.all)
    func interleaving(_ row: Interleaving) async throws {
        let fixture = try await StoreFixture()
        var policy = Policy(.sekisho)
        policy.rotatesRefreshTokens = row.rotates
        // Half a second more than the rows assume, because PostgreSQL's clock runs between the refreshes.
        policy.refreshTokenGracePeriod = .milliseconds(30_500)
        for refresh in row.refreshes {
            let outcome = try await fixture.present(refresh.token, at: refresh.second, by: policy)
            #expect(outcome == refresh.outcome, "token \(refresh.token) at \(refresh.second) s")
        }
    }

    @Test("Twenty concurrent requests with one token get the same successor")
    func race() async throws {
        let fixture = try await StoreFixture()
        let outcomes = try await withThrowingTaskGroup(of: Refresh.Outcome.self) { group in
            for _ in 1...20 { group.addTask { try await fixture.present(0, at: 10, by: Policy(.sekisho)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: .gives(1), count: 20))
    }
}

extension StoreFixture {
    /// Refreshes the fixture's session with the token that has this counter.
    func present(_ token: Int64, at second: Int64, by policy: Policy) async throws -> Refresh.Outcome {
        Refresh.Outcome(
            try await store.rotate(
                RefreshTokenContents(session: session.id, counter: token), by: policy, at: start + .seconds(second),
                in: realm
            ))
    }
}
