import Identity
import Testing

@Suite("Decisions about Apple's events")
struct AppleEventDecisionTests {
    private static let eventTime = Instant(seconds: 1_800_000_000)
    /// The session that requested a revocation through the gateway.
    private static let caller = ID<Session>("caller")

    /// Returns the instant `seconds` after the event.
    private static func at(_ seconds: Int64) -> Instant { eventTime + .seconds(seconds) }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var kind = AppleEvent.Kind.consentRevoked
        var credential: CredentialStatus? = CredentialStatus(.authorized, at: at(-60))
        var linkedAt = at(-60)
        /// When Apple issued the latest of the credentials that opened the account's sessions.
        var credentialIssuedAt: Instant? = at(-60)
        /// When ``caller`` revoked tokens through the gateway.
        var tokensRevokedAt: Instant?
        /// The time of the latest event about the relay address that was applied before this one.
        var forwardingChangedAt: Instant?
        /// The address in the event.
        var email: String?
        var secondsUntilArrival: Int64 = 5
        /// The name of the expected ``AppleEventDecision/Change``.
        let change: String
        var sessions = AppleEventDecision.Sessions.end(except: nil)
        /// Whether the grants (stored tokens of Apple) become revoked.
        var revokesGrants = true
    }

    static let rows = [
        Row(testDescription: "consent-revoked", change: "revoke"),
        Row(
            testDescription: "authorized within the same second", credential: .init(.authorized, at: at(0)),
            change: "revoke"),
        Row(
            testDescription: "a later sign-in, known from its session", credentialIssuedAt: at(1), change: "none"),
        Row(
            testDescription: "a later sign-in or check, known from the identity's state",
            credential: .init(.authorized, at: at(1)), change: "none"),
        Row(
            testDescription: "a later check that reported a revocation", credential: .init(.revoked, at: at(1)),
            change: "revoke"),
        Row(testDescription: "linked by an administrator before", credential: nil, change: "revoke"),
        Row(testDescription: "linked by an administrator later", credential: nil, linkedAt: at(1), change: "none"),
        Row(testDescription: "moved to another account after the event", linkedAt: at(1), change: "revoke"),
        Row(
            testDescription: "caused by a revocation through the gateway", tokensRevokedAt: at(-1), change: "revoke",
            sessions: .end(except: caller)),
        Row(
            testDescription: "caused by a revocation through the gateway, whose clock is ahead",
            tokensRevokedAt: at(59), change: "revoke",
            sessions: .end(except: caller)),
        Row(
            testDescription: "more than a minute before a revocation through the gateway", tokensRevokedAt: at(61),
            change: "revoke"),
        Row(
            testDescription: "ten minutes after a revocation through the gateway", tokensRevokedAt: at(0),
            secondsUntilArrival: 600, change: "revoke", sessions: .end(except: caller)),
        Row(
            testDescription: "more than ten minutes after a revocation through the gateway", tokensRevokedAt: at(0),
            secondsUntilArrival: 601, change: "revoke"),
        Row(testDescription: "account-deleted", kind: .accountDeleted, change: "unlink"),
        Row(
            testDescription: "account-deleted, after a check that reported a revocation", kind: .accountDeleted,
            credential: .init(.revoked, at: at(1)), change: "unlink"),
        Row(
            testDescription: "account-deleted, after a revocation through the gateway", kind: .accountDeleted,
            tokensRevokedAt: at(0), change: "unlink"),
        Row(
            testDescription: "account-deleted, before a later sign-in", kind: .accountDeleted,
            credentialIssuedAt: at(1), change: "none"),
        Row(
            testDescription: "email-disabled", kind: .forwarding(false), change: "forward false", sessions: .keep,
            revokesGrants: false),
        Row(
            testDescription: "email-enabled, later than the last", kind: .forwarding(true), forwardingChangedAt: at(-1),
            change: "forward true", sessions: .keep, revokesGrants: false),
        Row(
            testDescription: "email-enabled, at the time of the last", kind: .forwarding(true),
            forwardingChangedAt: at(0), change: "forward true", sessions: .keep, revokesGrants: false),
        Row(
            testDescription: "email-enabled, earlier than the last", kind: .forwarding(true),
            forwardingChangedAt: at(1), change: "none", sessions: .keep, revokesGrants: false),
        Row(
            testDescription: "email-disabled for this address", kind: .forwarding(false),
            email: "relay@privaterelay.appleid.com", change: "forward false", sessions: .keep,
            revokesGrants: false),
        Row(
            testDescription: "email-disabled for a former address", kind: .forwarding(false),
            email: "former@privaterelay.appleid.com", change: "none", sessions: .keep, revokesGrants: false),
    ]

    @Test("The decision about an event depends on its kind and on what has happened since", arguments: rows)
    func decision(row: Row) throws {
        let identity = LinkedIdentity(
            provider: .apple, subject: "ada", email: EmailAddress("relay@privaterelay.appleid.com"),
            isPrivateEmail: true, linkedAt: row.linkedAt, credential: row.credential)
        let account = Account(
            id: ID("ada"), identities: [identity], createdAt: Self.at(-60), validSince: Self.at(-60))
        let event = AppleEvent(
            kind: row.kind, subject: "ada", clientID: "com.example.app", email: row.email.flatMap(EmailAddress.init),
            occurredAt: Self.eventTime, receivedAt: Self.at(row.secondsUntilArrival),
            replayKey: ReplayKey(hash: [], expiresAt: Self.at(0)))
        let decision = AppleEventDecision(
            event,
            AppleEventFacts(
                account: account, credentialIssuedAt: row.credentialIssuedAt, tokensRevokedAt: row.tokensRevokedAt,
                tokensRevokedBy: Self.caller,
                forwardingChangedAt: row.forwardingChangedAt))
        #expect(decision.change.name == row.change)
        #expect(decision.sessions == row.sessions)
        #expect(decision.revokesGrants == row.revokesGrants)
    }
}

extension AppleEventDecision.Change {
    fileprivate var name: String {
        switch self {
        case .none: "none"
        case .revoke: "revoke"
        case .unlink: "unlink"
        case .setForwarding(let forwards): "forward \(forwards)"
        }
    }
}
