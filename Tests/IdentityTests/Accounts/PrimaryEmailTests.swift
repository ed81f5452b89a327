import Identity
import Providers
import Testing

private let now = Instant(seconds: 1_800_000_000)
private let address = EmailAddress("ada@example.com")

@Suite("The address of an account that loses sign-in methods")
struct PrimaryEmailTests {
    private static let other = EmailAddress("other@example.com")

    private static func account(
        hasPassword: Bool = false, isVerified: Bool = true, _ identities: [(ProviderID, EmailAddress?, EmailTrust)]
    ) -> Account {
        Account(
            id: ID("a"), email: address, emailIsVerified: isVerified, passwordUpdatedAt: hasPassword ? now : nil,
            identities: identities.map {
                LinkedIdentity(provider: $0.0, subject: "s", email: $0.1, emailTrust: $0.2)
            }, createdAt: now, validSince: now)
    }

    @Test("The address is removed with the identity that it came from")
    func removal() {
        let result = Self.account([(.google, address, .authoritative)]).primaryEmail(without: [.google])
        #expect(result.email == nil && !result.isVerified)
    }

    @Test(
        "The address stays if there is a password, another identity has it, or the removed identity did not have it")
    func stays() {
        for account in [
            Self.account(hasPassword: true, [(.google, address, .authoritative)]),
            Self.account([(.google, address, .authoritative), (.apple, address, .authoritative)]),
            Self.account([(.google, Self.other, .authoritative)]),
        ] {
            let result = account.primaryEmail(without: [.google])
            #expect(result.email == address && result.isVerified)
        }
    }

    @Test(
        "A remaining identity's address replaces the removed one; it is verified only if the provider is authoritative",
        arguments: [
            (EmailTrust.authoritative, true), (.verified, false), (.none, false),
        ])
    func replacement(trust: EmailTrust, isVerified: Bool) {
        let result = Self.account([(.google, address, .authoritative), (.apple, Self.other, trust)])
            .primaryEmail(without: [.google])
        #expect(result.email == Self.other && result.isVerified == isVerified)
    }

    @Test(
        "After a removal, the address is verified only if it was before, or a remaining identity is authoritative for it"
    )
    func randomRemovals() {
        var generator = SystemRandomNumberGenerator()
        let providers: [ProviderID] = [.apple, .google, ProviderID("oidc.x"), .password]
        for _ in 0..<2000 {
            let identities = providers.dropLast().filter { _ in Bool.random(using: &generator) }.map {
                (
                    $0, [address, Self.other, nil].randomElement(using: &generator) ?? nil,
                    [EmailTrust.none, .verified, .authoritative].randomElement(using: &generator) ?? .none
                )
            }
            let account = Self.account(hasPassword: .random(), isVerified: .random(), identities)
            let removed = Set(providers.filter { _ in Bool.random(using: &generator) })
            let (email, isVerified) = account.primaryEmail(without: removed)
            let isProven =
                email == account.email && account.emailIsVerified
                || account.identities.contains {
                    $0.email == email && $0.emailTrust == .authoritative && !removed.contains($0.provider)
                }
            #expect(!isVerified || isProven)
        }
    }
}
