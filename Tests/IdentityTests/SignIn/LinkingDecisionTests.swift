import Providers
import Testing

@testable import Identity

private let now = Instant(seconds: 1_800_000_000)
private let address = EmailAddress("ada@example.com")

private func account(
    _ id: String, email: EmailAddress? = address, isVerified: Bool = true, identities: [LinkedIdentity] = [],
    isDisabled: Bool = false
) -> Account {
    Account(
        id: ID(id), email: email, emailIsVerified: isVerified, passwordUpdatedAt: now, identities: identities,
        isDisabled: isDisabled, createdAt: now, validSince: now)
}

private func linked(_ provider: ProviderID, _ trust: EmailTrust = .none, email: EmailAddress? = address)
    -> LinkedIdentity
{
    LinkedIdentity(provider: provider, subject: "another", email: email, emailTrust: trust)
}

/// An account whose creator typed in the address and never verified it.
private func typedIn(_ identity: LinkedIdentity) -> Account {
    account("typed", isVerified: false, identities: [identity])
}

private let ada = account("ada")
/// An account whose creator never verified its address.
private let squatter = account("squatter", isVerified: false)
private let anonymous = Account(id: ID("anonymous"), createdAt: now, validSince: now)
private let disabled = account("disabled", isDisabled: true)

private func caller(_ account: Account) -> Caller {
    let session = Session(
        id: ID("session"), account: account.id, generation: account.generation, method: .password,
        authenticatedAt: now, device: nil)
    return Caller(withIDTokenOf: account, in: session)
}

/// The row titles use three terms:
/// - reclaim: an account that never verified its address goes to the user for whom the provider has verified it.
/// - confirm: the owner of the account that has the address must decide whether to link the identity.
/// - recycled: the provider may have given the address of one user to another.
@Suite("The decision about a verified identity")
struct LinkingDecisionTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let facts: LinkingFacts
        let expected: LinkingDecision

        /// - Parameters:
        ///   - owner: the account that has the identity.
        ///   - sameEmail: the account that has the address of the identity.
        ///   - autoCreate: `false` for a re-authentication.
        init(
            _ testDescription: String, trust: EmailTrust = .authoritative, provider: ProviderID = .apple,
            email: EmailAddress? = address, isPrivate: Bool = false, owner: Account? = nil, sameEmail: Account? = nil,
            hasEarlierMailbox: Bool = false, caller account: Account? = nil, autoCreate: Bool = true,
            profile: Policy.Profile = .sekisho,
            allowsDuplicates: Bool = false, _ expected: LinkingDecision
        ) {
            self.testDescription = testDescription
            var policy = Policy(profile)
            policy.allowsDuplicateEmails = allowsDuplicates
            facts = LinkingFacts(
                identity: VerifiedIdentity(
                    provider: provider, subject: "subject", audience: "client", email: email, emailTrust: trust,
                    isPrivateEmail: isPrivate),
                owner: owner, sameEmail: sameEmail, hasEarlierMailbox: hasEarlierMailbox, caller: account.map(caller),
                autoCreate: autoCreate, policy: policy)
            self.expected = expected
        }
    }

    static let returningRows: [Row] = [
        Row("linked before: sign in", owner: ada, .commit(.signIn(ada))),
        Row(
            "linked before, the address is now another account's: sign in", owner: anonymous, sameEmail: ada,
            .commit(.signIn(anonymous))),
        Row("linked before, address unproven: sign in", trust: .none, owner: ada, .commit(.signIn(ada))),
        Row("linked before, no address: sign in", email: nil, owner: ada, .commit(.signIn(ada))),
        Row("linked before, account disabled: a gate rejects it", owner: disabled, .commit(.signIn(disabled))),
        Row("re-authentication of an identity that is linked", owner: ada, autoCreate: false, .commit(.signIn(ada))),
        Row("re-authentication of an identity that no account has", autoCreate: false, .refuse(.accountUnknown)),
        Row(
            "re-authentication never links by address", sameEmail: ada, autoCreate: false, .refuse(.accountUnknown)),
        Row(
            "re-authentication never reclaims", sameEmail: squatter, autoCreate: false, .refuse(.accountUnknown)),
    ]

    static let newRows: [Row] = [
        Row("address proven on both sides: link", sameEmail: ada, .commit(.link(to: ada, by: nil, copiesEmail: true))),
        Row("address never proven here: reclaim", sameEmail: squatter, .commit(.reclaim(squatter))),
        Row(
            "address never proven here, and the owner of an earlier address can take the account back: new account",
            sameEmail: squatter, hasEarlierMailbox: true, .commit(.createInPlaceOf(squatter))),
        Row(
            "address proven on both sides, and the owner of an earlier address can take the account back: link",
            sameEmail: ada, hasEarlierMailbox: true, .commit(.link(to: ada, by: nil, copiesEmail: true))),
        Row(
            "address never proven here, but a provider verified it for the account: confirm",
            sameEmail: account("s", isVerified: false, identities: [linked(.google, .verified)]),
            .confirm(account("s", isVerified: false, identities: [linked(.google, .verified)]), isRecycled: false)),
        Row(
            "address never proven here, and no provider verified it: reclaim",
            sameEmail: account("s", isVerified: false, identities: [linked(.google, .none)]),
            .commit(.reclaim(account("s", isVerified: false, identities: [linked(.google, .none)])))),
        Row(
            "a provider verified another address of the account: reclaim",
            sameEmail: account(
                "s", isVerified: false, identities: [linked(.google, .verified, email: EmailAddress("eve@example.com"))]
            ),
            .commit(
                .reclaim(
                    account(
                        "s", isVerified: false,
                        identities: [linked(.google, .verified, email: EmailAddress("eve@example.com"))])))),
        Row(
            "address only verified by the provider: confirm", trust: .verified, sameEmail: ada,
            .confirm(ada, isRecycled: false)),
        Row(
            "address only verified by the provider, never proven here: confirm", trust: .verified, sameEmail: squatter,
            .confirm(squatter, isRecycled: false)),
        Row(
            "address not proven by the provider: confirm", trust: .none, sameEmail: ada,
            .confirm(ada, isRecycled: false)),
        Row(
            "address not proven by the account or the provider: confirm", trust: .none, sameEmail: squatter,
            .confirm(squatter, isRecycled: false)),
        Row(
            "the account has another identity of that provider: confirm (recycled)",
            sameEmail: account("a", identities: [linked(.apple, .authoritative)]),
            .confirm(account("a", identities: [linked(.apple, .authoritative)]), isRecycled: true)),
        Row(
            "a squatter with another identity of that provider, another address: reclaim",
            sameEmail: typedIn(linked(.apple, .authoritative, email: EmailAddress("eve@example.com"))),
            .commit(.reclaim(typedIn(linked(.apple, .authoritative, email: EmailAddress("eve@example.com")))))),
        Row(
            "a squatter with another identity of that provider, the address only claimed: reclaim",
            sameEmail: typedIn(linked(.apple, .none)), .commit(.reclaim(typedIn(linked(.apple, .none))))),
        Row(
            "a squatter with another identity of that provider, no address: reclaim",
            sameEmail: typedIn(linked(.apple, .none, email: nil)),
            .commit(.reclaim(typedIn(linked(.apple, .none, email: nil))))),
        Row(
            "address never proven here, but that provider verified it for another identity: confirm (recycled)",
            sameEmail: typedIn(linked(.apple, .verified)),
            .confirm(typedIn(linked(.apple, .verified)), isRecycled: true)),
        Row(
            "address only verified by the provider, a squatter with another identity of it: confirm", trust: .verified,
            provider: .google, sameEmail: typedIn(linked(.google, .verified, email: EmailAddress("eve@example.com"))),
            .confirm(typedIn(linked(.google, .verified, email: EmailAddress("eve@example.com"))), isRecycled: false)),
        Row(
            "recycled in profile firebase too",
            sameEmail: account("a", identities: [linked(.apple, .authoritative)]), profile: .firebase,
            .confirm(account("a", identities: [linked(.apple, .authoritative)]), isRecycled: true)),
        Row(
            "a relay address that the account verified: confirm", isPrivate: true, sameEmail: ada,
            .confirm(ada, isRecycled: false)),
        Row(
            "a relay address that the account never verified: reclaim", isPrivate: true, sameEmail: squatter,
            .commit(.reclaim(squatter))),
        Row("the account with that address is disabled: refused", sameEmail: disabled, .refuse(.accountDisabled)),
        Row(
            "duplicate addresses allowed: create", sameEmail: ada, allowsDuplicates: true,
            .commit(.create(copiesEmail: false))),
        Row("no account has the address: create", .commit(.create(copiesEmail: true))),
        Row("the identity has no address: create", email: nil, .commit(.create(copiesEmail: true))),
        Row(
            "no account has the address, unproven by the provider: create", trust: .none,
            .commit(.create(copiesEmail: true))),
    ]

    static let callerRows: [Row] = [
        Row(
            "anonymous caller: keeps the account", caller: anonymous,
            .commit(.link(to: anonymous, by: caller(anonymous), copiesEmail: true))),
        Row(
            "caller with the same address", sameEmail: ada, caller: ada,
            .commit(.link(to: ada, by: caller(ada), copiesEmail: true))),
        Row(
            "caller with the same address, unproven by the provider", trust: .none, sameEmail: ada, caller: ada,
            .commit(.link(to: ada, by: caller(ada), copiesEmail: true))),
        Row("linked to the caller already: sign in", owner: ada, caller: ada, .commit(.signIn(ada))),
        Row("linked to another account: refused", owner: ada, caller: anonymous, .refuse(.identityTaken)),
        Row(
            "the caller has another identity of that provider: refused",
            caller: account("c", identities: [linked(.apple)]),
            .refuse(.providerAlreadyLinked)),
        Row("the address is another account's: refused", sameEmail: ada, caller: anonymous, .refuse(.emailTaken)),
        Row(
            "the address is another account's, unproven there: refused too", sameEmail: squatter,
            caller: anonymous, .refuse(.emailTaken)),
        Row(
            "the address is another account's, duplicates allowed: link, and take no address", sameEmail: ada,
            caller: anonymous, allowsDuplicates: true,
            .commit(.link(to: anonymous, by: caller(anonymous), copiesEmail: false))),
        Row(
            "the address is the caller's own, duplicates allowed: link", sameEmail: ada, caller: ada,
            allowsDuplicates: true,
            .commit(.link(to: ada, by: caller(ada), copiesEmail: true))),
        Row(
            "the caller has an identity of another provider: link", caller: account("c", identities: [linked(.google)]),
            .commit(
                .link(
                    to: account("c", identities: [linked(.google)]),
                    by: caller(account("c", identities: [linked(.google)])), copiesEmail: true))),
    ]

    @Test(
        "The decision about a returning identity or a re-authentication depends on the identity, not on its address",
        arguments: returningRows)
    func returning(row: Row) { #expect(LinkingDecision(row.facts) == row.expected) }

    @Test(
        "A new identity gets a new account, unless an account has its address and duplicates are not allowed",
        arguments: newRows)
    func new(row: Row) { #expect(LinkingDecision(row.facts) == row.expected) }

    @Test(
        "A signed-in user can link an identity unless the identity, its provider or its address is taken",
        arguments: callerRows)
    func linking(row: Row) { #expect(LinkingDecision(row.facts) == row.expected) }

    @Test(
        "Where only administrators create accounts, every decision to create an account becomes a refusal",
        arguments: returningRows + newRows + callerRows)
    func administratorsOnly(row: Row) {
        var facts = row.facts
        facts.policy.allowsSignUp = false
        let expected =
            switch row.expected {
            case .commit(.create), .commit(.createInPlaceOf): LinkingDecision.refuse(.signUpNotAllowed)
            default: row.expected
            }
        #expect(LinkingDecision(facts) == expected)
    }

    @Test("A pending token is issued for every conflict that a sign-in or a merge can resolve")
    func pending() {
        for refusal in [LinkRefusal.identityTaken, .providerAlreadyLinked, .emailTaken] {
            #expect(refusal.issuesPendingToken)
        }
        for refusal in [LinkRefusal.accountDisabled, .accountUnknown, .signUpNotAllowed, .linkOnly] {
            #expect(!refusal.issuesPendingToken)
        }
    }
}
