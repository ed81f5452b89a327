import Identity

/// Knows nobody and takes everything.
struct FakeFederationStore: FederationStore {
    func acquaintances(
        of identity: VerifiedIdentity, in project: ID<Project>
    ) async throws -> (owner: Account?, sameEmail: Account?) { (nil, nil) }

    func enter(_ entry: FederatedEntry, in project: ID<Project>) async throws -> Entered { .stale }

    func hasRecoveryCode(_ account: ID<Account>, at now: Instant, in project: ID<Project>) -> Bool { false }

    func merge(
        _ merge: AccountMerge, entering entry: MergeEntry, announcing notices: MergeNotices, in project: ID<Project>
    ) async throws -> Entered { .stale }
}

struct FakeTickets: Tickets {
    func nonce(until end: Instant, in project: ID<Project>) -> IssuedNonce {
        IssuedNonce(raw: "raw", sha256: "hash", expiresAt: end)
    }

    func mark(ofNonce raw: String, at now: Instant, in project: ID<Project>) throws -> OneTimeMark? { nil }

    func ticket(for pending: PendingCredential, until end: Instant, in project: ID<Project>) throws -> String { "t" }

    func pending(
        _ ticket: String, at now: Instant, in project: ID<Project>
    ) throws -> (PendingCredential, OneTimeMark) { throw ProviderRefusal.ticketNotBelieved }

    func ticket(for proposal: MergeProposal, until end: Instant, in project: ID<Project>) throws -> String { "m" }

    func proposal(
        _ ticket: String, at now: Instant, in project: ID<Project>
    ) throws -> (MergeProposal, OneTimeMark) { throw ProviderRefusal.ticketNotBelieved }

    func ticket(for terms: MergeTerms, until end: Instant, in project: ID<Project>) throws -> String { "a" }

    func terms(
        _ ticket: String, at now: Instant, in project: ID<Project>
    ) throws -> (MergeTerms, OneTimeMark) { throw ProviderRefusal.ticketNotBelieved }
}
