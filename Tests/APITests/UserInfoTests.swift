import Identity
import Testing

@testable import API

@Suite("The user resource")
struct UserInfoTests {
    private static let now = Instant(microseconds: 1_767_225_600_123_456)

    @Test("An anonymous account has no email members and no providers")
    func anonymous() {
        let user = UserInfo(Account(id: ID("x"), createdAt: Self.now, validSince: Self.now), of: nil)
        #expect(user.email == nil && user.emailVerified == nil && user.providerUserInfo == nil)
    }

    @Test("The password is listed before the identities, and the time of the last refresh is in ISO 8601")
    func identities() {
        var account = Account(
            id: ID("ada"), email: EmailAddress("ada@example.com"), displayName: "Ada", passwordUpdatedAt: Self.now,
            createdAt: Self.now, lastSignInAt: Self.now, validSince: Self.now)
        account.identities = [LinkedIdentity(provider: ProviderID("apple.com"), subject: "000.1")]
        account.lastRefreshAt = Self.now
        let user = UserInfo(account, of: nil)
        #expect(user.providerUserInfo?.map(\.providerId) == ["password", "apple.com"])
        #expect(user.providerUserInfo?.map(\.federatedId) == ["ada@example.com", "000.1"])
        #expect(user.lastRefreshAt == "2026-01-01T00:00:00.123Z")
    }

    @Test(
        "A time is written in ISO 8601 with milliseconds",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ])
    func timestamp(milliseconds: Int64, text: String) {
        #expect(Instant(microseconds: milliseconds * 1000).iso8601 == text)
    }
}
