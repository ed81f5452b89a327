import Identity
import Testing

@Suite("An account whose Apple identity moves to another developer team")
struct IdentityTransferTests {
    private static let relay = EmailAddress("former@privaterelay.appleid.com")
    private static let own = EmailAddress("ada@example.com")
    private static let new = EmailAddress("new@privaterelay.appleid.com")

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var identityEmail: EmailAddress? = relay
        var isPrivateEmail = true
        var accountEmail: EmailAddress? = relay
        var passwordUpdatedAt: Instant?
        var usesEmailLinks = false
        var newEmail: EmailAddress? = new
        let expected: EmailAddress?
    }

    static let rows = [
        Row(testDescription: "the address is the relay address of the old team", expected: new),
        Row(testDescription: "Apple states no address", newEmail: nil, expected: relay),
        Row(
            testDescription: "the account has a password", passwordUpdatedAt: Instant(seconds: 1), expected: relay),
        Row(testDescription: "the account has an email link", usesEmailLinks: true, expected: relay),
        Row(
            testDescription: "the address is the user's own", identityEmail: own, isPrivateEmail: false,
            accountEmail: own, expected: own),
        Row(testDescription: "the account has another address", accountEmail: own, expected: own),
        Row(testDescription: "the account has no address", accountEmail: nil, expected: nil),
    ]

    @Test(
        "The address changes only if it is the old relay address and the account has no password and no email links",
        arguments: rows)
    func address(row: Row) {
        let identity = LinkedIdentity(
            provider: .apple, subject: "old", email: row.identityEmail, emailTrust: .authoritative,
            isPrivateEmail: row.isPrivateEmail)
        let account = Account(
            id: ID("ada"), email: row.accountEmail, emailIsVerified: row.accountEmail != nil,
            passwordUpdatedAt: row.passwordUpdatedAt, identities: [identity], usesEmailLinks: row.usesEmailLinks,
            createdAt: Instant(seconds: 0), validSince: Instant(seconds: 0))
        let moved = account.applying(
            IdentityTransfer(
                formerSubject: "old", transferSubject: "between", subject: "new", email: row.newEmail,
                isPrivateEmail: true))
        #expect(moved.email == row.expected)
        #expect(moved.emailIsVerified == account.emailIsVerified)
        #expect(moved.identities.map(\.subject) == ["new"])
        #expect(moved.identities.map(\.email) == [row.newEmail ?? row.identityEmail])
    }
}
