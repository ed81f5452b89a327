import Identity

/// Knows nobody and takes everything.
struct FakeFederationStore: FederationStore {
    func acquaintances(
        of identity: VerifiedIdentity, in project: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?) { (nil, nil) }

    func enter(_ entry: SignInCommit, in project: ID<Realm>) async throws -> Entered { .stale }

    func hasRecoveryCode(_ account: ID<Account>, at now: Instant, in project: ID<Realm>) -> Bool { false }

    func merge(
        _ merge: AccountMerge, entering entry: MergeCommit, announcing notices: MergeNotices, in project: ID<Realm>
    ) async throws -> Entered { .stale }
}

struct FakeTickets: SealedTokens {
    func nonce(until end: Instant, in project: ID<Realm>) -> IssuedNonce {
        IssuedNonce(raw: "raw", sha256: "hash", expiresAt: end)
    }

    func mark(ofNonce raw: String, at now: Instant, in project: ID<Realm>) throws -> ReplayKey? { nil }

    func ticket(for pending: PendingCredential, until end: Instant, in project: ID<Realm>) throws -> String { "t" }

    func pending(
        _ ticket: String, at now: Instant, in project: ID<Realm>
    ) throws -> (PendingCredential, ReplayKey) { throw ProviderRefusal.ticketNotBelieved }

    func ticket(for proposal: MergeTokenPayload, until end: Instant, in project: ID<Realm>) throws -> String { "m" }

    func proposal(
        _ ticket: String, at now: Instant, in project: ID<Realm>
    ) throws -> (MergeTokenPayload, ReplayKey) { throw ProviderRefusal.ticketNotBelieved }

    func ticket(for terms: MergePrecondition, until end: Instant, in project: ID<Realm>) throws -> String { "a" }

    func terms(
        _ ticket: String, at now: Instant, in project: ID<Realm>
    ) throws -> (MergePrecondition, ReplayKey) { throw ProviderRefusal.ticketNotBelieved }
}
