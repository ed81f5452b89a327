import Identity
import Testing

@Suite("Values")
struct ValueTests {
    @Test("An instant rounds down to seconds and milliseconds, before the epoch too")
    func rounding() {
        #expect(Instant(microseconds: 1_999_999).seconds == 1)
        #expect(Instant(microseconds: 1_999_999).milliseconds == 1999)
        #expect(Instant(microseconds: -1).seconds == -1)
        #expect(Instant(microseconds: -1).milliseconds == -1)
    }

    @Test("Durations are added to instants, and instants subtracted, exactly")
    func arithmetic() {
        let noon = Instant(seconds: 43_200)
        #expect(noon + .milliseconds(1500) == Instant(microseconds: 43_201_500_000))
        #expect(noon - .milliseconds(1500) == Instant(microseconds: 43_198_500_000))
        #expect((noon + .seconds(7)) - noon == .seconds(7))
        #expect(noon - (noon + .seconds(7)) == .seconds(-7))
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

    @Test("An account is anonymous if it has no identity and no address, even with a password")
    func anonymous() {
        var account = Account(id: ID("a"), createdAt: Instant(seconds: 0), validSince: Instant(seconds: 0))
        #expect(account.isAnonymous)
        account.passwordUpdatedAt = Instant(seconds: 0)
        #expect(account.isAnonymous)
        account.passwordUpdatedAt = nil
        account.email = EmailAddress("ada@example.com")
        #expect(!account.isAnonymous)
        account.email = nil
        account.identities = [LinkedIdentity(provider: ProviderID("apple.com"), subject: "s")]
        #expect(!account.isAnonymous)
        #expect(account.signInMethods == [ProviderID("apple.com")])
    }
}
