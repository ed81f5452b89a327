import Identity
import Testing

@Suite("Decisions about Apple grants (stored tokens and codes)")
struct AppleGrantDecisionTests {
    struct Redemption: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let exchange: AppleExchange
        /// The subject of the linked identity; `nil` if it was unlinked.
        var subject: String? = "ada"
        let expected: CodeExchangeDecision
    }

    @Test(
        "The outcome of a code exchange decides whether its tokens are kept, or whether it is retried or given up",
        arguments: [
            Redemption(
                testDescription: "tokens of the same user",
                exchange: .tokens(AppleTokens(refreshToken: Secret("r"), subject: "ada")),
                expected: .keep),
            Redemption(
                testDescription: "tokens of another user",
                exchange: .tokens(AppleTokens(refreshToken: Secret("r"), subject: "eve")),
                expected: .giveUp(reason: "the code belongs to another user")),
            Redemption(
                testDescription: "no identity token",
                exchange: .tokens(AppleTokens(refreshToken: Secret("r"), subject: nil)),
                expected: .giveUp(reason: "the code belongs to another user")),
            Redemption(
                testDescription: "unlinked in the meantime: the token is kept until it is revoked",
                exchange: .tokens(AppleTokens(refreshToken: Secret("r"), subject: "ada")), subject: nil, expected: .keep
            ),
            Redemption(
                testDescription: "used, expired or of another client ID", exchange: .rejected(.invalidGrant),
                expected: .giveUp(reason: "invalid_grant")),
            Redemption(
                testDescription: "wrong key: an operator may correct it", exchange: .rejected(.invalidClient),
                expected: .retry(reason: "invalid_client")),
            Redemption(
                testDescription: "Apple unavailable", exchange: .unavailable(reason: "status 503"),
                expected: .retry(reason: "status 503")),
        ])
    func redemption(row: Redemption) {
        #expect(CodeExchangeDecision(row.exchange, for: row.subject) == row.expected)
    }

    struct Check: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: AppleResponse
        let expected: RecordedCheck
    }

    @Test(
        "Only an error about the token itself marks a grant as revoked",
        arguments: [
            Check(testDescription: "accepted", response: .accepted, expected: .authorized),
            Check(
                testDescription: "invalid_grant", response: .rejected(.invalidGrant),
                expected: .revoked(failure: "invalid_grant")),
            Check(
                testDescription: "invalid_request after a disconnection", response: .rejected(.invalidRequest),
                expected: .revoked(failure: "invalid_request")),
            Check(
                testDescription: "invalid_client", response: .rejected(.invalidClient),
                expected: .failed(failure: "invalid_client")),
            Check(
                testDescription: "unauthorized_client", response: .rejected(.unauthorizedClient),
                expected: .failed(failure: "unauthorized_client")),
            Check(
                testDescription: "outage", response: .unavailable(reason: "status 503"),
                expected: .failed(failure: "status 503")),
        ])
    func check(row: Check) {
        #expect(RecordedCheck(row.response) == row.expected)
    }

    struct FailureRate: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let all: Int
        let failed: Int
        let stops: Bool
    }

    @Test(
        "Checks of a client ID stop if more than two, and more than 5 %, of them fail",
        arguments: [
            FailureRate(testDescription: "nothing checked", all: 0, failed: 0, stops: false),
            FailureRate(testDescription: "two of two", all: 2, failed: 2, stops: false),
            FailureRate(testDescription: "three of three", all: 3, failed: 3, stops: true),
            FailureRate(testDescription: "exactly 5 %", all: 100, failed: 5, stops: false),
            FailureRate(testDescription: "more than 5 %", all: 100, failed: 6, stops: true),
        ])
    func failureRate(row: FailureRate) {
        #expect(CheckCounts(all: row.all, failed: row.failed).stopsChecks == row.stops)
    }

    @Test("A batch that stops the checks of its client ID marks no grant as revoked; any other batch does")
    func stoppingBatch() {
        let ids = (0..<4).map { ID<AppleGrant>("\($0)") }
        let results = Dictionary(
            uniqueKeysWithValues: ids.map { ($0, RecordedCheck.revoked(failure: "invalid_grant")) })
        let batch = CheckBatch(results, after: CheckCounts())
        #expect(batch.stopsChecks)
        #expect(batch.results.values.allSatisfy { $0 == .failed(failure: "invalid_grant") })
        let few = CheckBatch([ids[0]: .revoked(failure: "invalid_grant")], after: CheckCounts(all: 100, failed: 1))
        #expect(!few.stopsChecks)
        #expect(few.results == [ids[0]: .revoked(failure: "invalid_grant")])
    }

    @Test("First checks are spread over the second day, and checks per minute grow with the number of grants")
    func spread() {
        let now = Instant(seconds: 1_800_000_000)
        #expect(AppleGrant.firstCheck(after: now, chance: 0) == now + .seconds(86_400))
        #expect(AppleGrant.firstCheck(after: now, chance: 1) == now + .seconds(172_800))
        // The checks of all grants are spread over 1200 minutes, but there are at least ten per minute.
        #expect(AppleGrant.checksPerMinute(of: 0) == 10)
        #expect(AppleGrant.checksPerMinute(of: 120_000) == 100)
        #expect(AppleGrant.checksPerMinute(of: 120_001) == 101)
    }

    struct Deletion: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let grants: Set<AppleGrant.State>
        var credential: CredentialStatus.State? = .authorized
        var hasPrivateKey = true
        let expected: AppleRevocation
    }

    @Test(
        "A deletion reports whether Apple's tokens can be revoked",
        arguments: [
            Deletion(testDescription: "a token", grants: [.authorized], expected: .queued),
            Deletion(testDescription: "a code", grants: [.redeeming], expected: .queued),
            Deletion(testDescription: "a token of another key", grants: [.unknown], expected: .queued),
            Deletion(
                testDescription: "a pending revocation", grants: [.revoked, .revoking], credential: .revoked,
                expected: .queued),
            Deletion(testDescription: "no key", grants: [.authorized], hasPrivateKey: false, expected: .notPossible),
            Deletion(testDescription: "no token", grants: [], expected: .notPossible),
            Deletion(
                testDescription: "disconnected", grants: [.revoked], credential: .revoked,
                expected: AppleRevocation.none),
            Deletion(
                testDescription: "disconnected, without a token", grants: [], credential: .revoked,
                expected: AppleRevocation.none),
        ])
    func deletion(row: Deletion) {
        let status = row.credential.map { CredentialStatus($0, at: Instant(seconds: 0)) }
        let identity = LinkedIdentity(provider: .apple, subject: "ada", credential: status)
        #expect(AppleRevocation(of: identity, grants: row.grants, hasPrivateKey: row.hasPrivateKey) == row.expected)
    }

    struct SignIn: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let before: CredentialStatus?
        let issuedAt: Int64?
        let expected: CredentialStatus?
    }

    @Test(
        "A sign-in authorizes the identity, unless Apple has reported a revocation since its token was issued",
        arguments: [
            SignIn(testDescription: "another provider", before: nil, issuedAt: nil, expected: nil),
            SignIn(testDescription: "the first sign-in", before: nil, issuedAt: 5, expected: at(.authorized, 5)),
            SignIn(
                testDescription: "authorized before: the time does not change", before: at(.authorized, 3), issuedAt: 5,
                expected: at(.authorized, 3)),
            SignIn(
                testDescription: "revoked before", before: at(.revoked, 3), issuedAt: 5, expected: at(.authorized, 5)),
            SignIn(
                testDescription: "revoked since the token was issued", before: at(.revoked, 7), issuedAt: 5,
                expected: at(.revoked, 7)),
        ])
    func signIn(row: SignIn) {
        let identity = VerifiedIdentity(
            provider: .apple, subject: "ada", audience: "app", issuedAt: row.issuedAt.map { Instant(seconds: $0) })
        let before = LinkedIdentity(provider: .apple, subject: "ada", credential: row.before)
        #expect(LinkedIdentity(identity, before: before).credential == row.expected)
    }

    private static func at(_ state: CredentialStatus.State, _ seconds: Int64) -> CredentialStatus {
        CredentialStatus(state, at: Instant(seconds: seconds))
    }
}
