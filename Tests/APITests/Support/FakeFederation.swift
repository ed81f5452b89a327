import Identity

/// Knows nobody and takes everything.
struct FakeFederationStore: FederationStore {
    func acquaintances(
        of identity: VerifiedIdentity, in project: ID<Project>
    ) async throws -> (owner: Account?, sameEmail: Account?) { (nil, nil) }

    func enter(_ entry: SignInCommit, in project: ID<Project>) async throws -> Entered { .stale }

    func hasRecoveryCode(_ account: ID<Account>, at now: Instant, in project: ID<Project>) -> Bool { false }

    func merge(
        _ merge: AccountMerge, entering entry: MergeCommit, announcing notices: MergeNotices, in project: ID<Project>
    ) async throws -> Entered { .stale }
}

struct FakeTickets: SealedTokens {
    func nonce(until end: Instant, in project: ID<Project>) -> IssuedNonce {
        IssuedNonce(raw: "raw", sha256: "hash", expiresAt: end)
    }

    func mark(ofNonce raw: String, at now: Instant, in project: ID<Project>) throws -> ReplayKey? { nil }

    func ticket(for pending: PendingCredential, until end: Instant, in project: ID<Project>) throws -> String { "t" }

    func pending(
        _ ticket: String, at now: Instant, in project: ID<Project>
    ) throws -> (PendingCredential, ReplayKey) { throw ProviderRefusal.ticketNotBelieved }

    func ticket(for proposal: MergeTokenPayload, until end: Instant, in project: ID<Project>) throws -> String { "m" }

    func proposal(
        _ ticket: String, at now: Instant, in project: ID<Project>
    ) throws -> (MergeTokenPayload, ReplayKey) { throw ProviderRefusal.ticketNotBelieved }

    func ticket(for terms: MergePrecondition, until end: Instant, in project: ID<Project>) throws -> String { "a" }

    func terms(
        _ ticket: String, at now: Instant, in project: ID<Project>
    ) throws -> (MergePrecondition, ReplayKey) { throw ProviderRefusal.ticketNotBelieved }
}
