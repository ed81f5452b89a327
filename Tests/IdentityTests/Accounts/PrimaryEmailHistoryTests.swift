import Identity
import Providers
import Testing

/// Random sequences of changes to an account. A failure prints the seed.
@Suite("The address of an account after random changes")
struct PrimaryEmailHistoryTests {
    /// An account, and the addresses that were ever verified for it.
    struct History {
        var account: Account
        var verified: Set<EmailAddress> = []

        /// Removes sign-in methods. ``ProviderID/password`` stands for the password and the email link.
        mutating func unlink(_ providers: Set<ProviderID>) {
            let newPrimary = account.primaryEmail(without: providers)
            if newPrimary.email != account.email {
                (account.email, account.emailIsVerified) = newPrimary
            }
            account.identities.removeAll { providers.contains($0.provider) }
            if providers.contains(.password) {
                account.passwordUpdatedAt = nil
                account.usesEmailLinks = false
            }
        }

        mutating func link(_ identity: LinkedIdentity) {
            account.identities.removeAll { $0.provider == identity.provider }
            account.identities.append(identity)
            if let email = identity.email, identity.emailTrust == .authoritative { verified.insert(email) }
        }

        mutating func openEmailLink() {
            guard let email = account.email else { return }
            account.usesEmailLinks = true
            account.emailIsVerified = true
            verified.insert(email)
        }
    }

    static let addresses = ["a", "b", "c"].map { EmailAddress("\($0)@example.com")! }
    static let providers: [ProviderID] = [.apple, .google, ProviderID("oidc.corp")]
    static let seeds = (1...20).map { _ in UInt64.random(in: .min ... .max) }

    private static func identity(_ provider: ProviderID, _ random: inout SeededRandom) -> LinkedIdentity {
        let trust: [EmailTrust] = [.none, .verified, .authoritative]
        let email = random.occurs(1, in: 4) ? nil : random.one(of: addresses)
        return LinkedIdentity(
            provider: provider, subject: "s", email: email, emailTrust: email == nil ? .none : random.one(of: trust))
    }

    private static func newHistory(_ random: inout SeededRandom) -> History {
        let now = Instant(seconds: 0)
        if random.occurs(1, in: 2) {
            let account = Account(
                id: ID("ada"), email: random.one(of: addresses), passwordUpdatedAt: now, createdAt: now,
                validSince: now)
            return History(account: account)
        }
        let first = identity(random.one(of: providers), &random)
        var history = History(account: Account(ID("ada"), for: first, copiesEmail: !random.occurs(1, in: 4), at: now))
        history.link(first)
        return history
    }

    /// A random subset of the account's sign-in methods; see ``History/unlink(_:)``.
    private static func signInMethods(of account: Account, _ random: inout SeededRandom) -> Set<ProviderID> {
        let all =
            account.identities.map(\.provider) + (account.hasPassword || account.usesEmailLinks ? [.password] : [])
        return Set(all.filter { _ in random.occurs(1, in: 2) })
    }

    @Test(
        "Unlinking methods removes an address that only they had, and verifies only an address of a remaining identity",
        arguments: seeds)
    func randomChanges(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 1...200 {
            var history = Self.newHistory(&random)
            for _ in 1...8 {
                switch random.one(of: [0, 1, 2, 3]) {
                case 0: history.link(Self.identity(random.one(of: Self.providers), &random))
                case 1: history.openEmailLink()
                case 2:
                    if history.account.email != nil { history.account.passwordUpdatedAt = Instant(seconds: 1) }
                default:
                    let before = history
                    let removed = Self.signInMethods(of: history.account, &random)
                    history.unlink(removed)
                    Self.expectValid(history, after: removed, before)
                }
            }
        }
    }

    private static func expectValid(_ history: History, after removed: Set<ProviderID>, _ before: History) {
        let (account, old) = (history.account, before.account)
        if let email = account.email {
            let isSupplied = account.identities.contains { $0.email == email }
            let isVerifiedByIdentity = account.identities.contains {
                $0.email == email && $0.emailTrust == .authoritative
            }
            let cameFromRemoved =
                removed.contains(.password)
                || old.identities.contains { removed.contains($0.provider) && $0.email == email }
            #expect(
                isSupplied || account.hasPassword || account.usesEmailLinks || !cameFromRemoved,
                "no remaining sign-in method has \(email)")
            #expect(email == old.email || isSupplied, "no identity supplied the address")
            if account.emailIsVerified {
                #expect(history.verified.contains(email), "\(email) was never verified")
                #expect(
                    email == old.email && old.emailIsVerified || isVerifiedByIdentity, "a removal verified \(email)")
            }
        } else {
            #expect(!account.emailIsVerified)
            #expect(
                old.email == nil || !account.identities.contains { $0.email != nil },
                "an address of an identity was ignored")
        }
        if removed.isEmpty { #expect(account == old) }
        let hasMethod = !account.identities.isEmpty || account.hasPassword || account.usesEmailLinks
        #expect(account.hasSignInMethod == hasMethod)
        #expect(old.hasSignInMethod || !account.hasSignInMethod, "a removal added a sign-in method")
    }
}

/// SplitMix64: generates the same numbers from the same seed on every platform.
private struct SeededRandom {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func one<Value>(of values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }

    /// Whether an event with the probability `hits` / `total` occurs.
    mutating func occurs(_ hits: UInt64, in total: UInt64) -> Bool { next() % total < hits }
}
