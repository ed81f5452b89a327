import Encoding
import Identity
import Providers
import Testing

@Suite("Values")
struct ValueTests {
    @Test("An instant rounds down to seconds and milliseconds, also before the epoch")
    func rounding() {
        #expect(Instant(microseconds: 1_999_999).seconds == 1)
        #expect(Instant(microseconds: 1_999_999).milliseconds == 1999)
        #expect(Instant(microseconds: -1).seconds == -1)
        #expect(Instant(microseconds: -1).milliseconds == -1)
    }

    @Test("Sums of instants and durations, and differences of instants, are exact")
    func arithmetic() {
        let noon = Instant(seconds: 43_200)
        #expect(noon + .milliseconds(1500) == Instant(microseconds: 43_201_500_000))
        #expect(noon - .milliseconds(1500) == Instant(microseconds: 43_198_500_000))
        #expect((noon + .seconds(7)) - noon == .seconds(7))
        #expect(noon - (noon + .seconds(7)) == .seconds(-7))
    }

    @Test("IDs, providers and identities that are canonically equivalent, but differ in their bytes, are different")
    func bytes() {
        #expect(ID<Account>("\u{212A}") != ID("K"))
        #expect(ProviderID("oidc.\u{212A}") != ProviderID("oidc.K"))
        let composed = AccountReference.identity(provider: .google, subject: "\u{E9}")
        #expect(composed != .identity(provider: .google, subject: "e\u{301}"))
        var account = Account(id: ID("a"), createdAt: Instant(seconds: 0), validSince: Instant(seconds: 0))
        account.identities = [LinkedIdentity(provider: .google, subject: "\u{E9}")]
        #expect(account.identity(.google, subject: "\u{E9}") != nil)
        #expect(account.identity(.google, subject: "e\u{301}") == nil)
    }

    @Test(
        "A hosted domain is a host name in lower case",
        arguments: [
            ("University.Example", "university.example"), ("example", "example"), ("", nil), ("example com", nil),
            ("example.com.", nil), ("https://example.com", nil), ("\u{212A}.example", nil), ("evil\u{1b}.example", nil),
        ] as [(String, String?)])
    func hostedDomain(text: String, expected: String?) {
        #expect(HostedDomain(text)?.rawValue == expected)
    }

    @Test("A secret is exposed only by an explicit call")
    func secret() {
        let secret = Secret("hunter2")
        #expect(!"\(secret)".contains("hunter2"))
        #expect(!String(reflecting: secret).contains("hunter2"))
        var dumped = ""
        dump(["password": secret], to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(secret.expose() == "hunter2")
    }

    @Test("An account is anonymous unless it has an identity, an address, a phone number or custom tokens")
    func anonymous() {
        var anonymous = Account(id: ID("a"), createdAt: Instant(seconds: 0), validSince: Instant(seconds: 0))
        #expect(anonymous.isAnonymous)
        anonymous.passwordUpdatedAt = Instant(seconds: 0)
        #expect(anonymous.isAnonymous, "a password cannot be used without an address")
        let changes: [(inout Account) -> Void] = [
            { $0.email = EmailAddress("ada@example.com") },
            { $0.identities = [LinkedIdentity(provider: .apple, subject: "s")] },
            { $0.phoneNumber = PhoneNumber("+15555550100") },
            { $0.usesCustomTokens = true },
        ]
        for change in changes {
            var account = anonymous
            change(&account)
            #expect(!account.isAnonymous)
        }
    }

    @Test("The sign-in methods of an account are its password, its email link and the providers of its identities")
    func signInMethods() {
        var account = Account(id: ID("a"), createdAt: Instant(seconds: 0), validSince: Instant(seconds: 0))
        account.identities = [LinkedIdentity(provider: .apple, subject: "s")]
        #expect(account.signInMethods == [.apple])
        account.passwordUpdatedAt = Instant(seconds: 0)
        account.usesEmailLinks = true
        #expect(account.signInMethods == [.password, .emailLink, .apple])
    }
}
