import Identity
import Testing

@Suite("An administrator's update")
struct AccountUpdateTests {
    private static func account(isDisabled: Bool = false, hasPassword: Bool = true) -> Account {
        let start = Instant(seconds: 1_800_000_000)
        return Account(
            id: ID("ada"), email: EmailAddress("ada@example.com"), passwordUpdatedAt: hasPassword ? start : nil,
            isDisabled: isDisabled, createdAt: start, validSince: start)
    }

    private static func update(_ change: (inout AccountUpdate) -> Void) -> AccountUpdate {
        var update = AccountUpdate()
        change(&update)
        return update
    }

    @Test(
        "An update ends the sessions if it changes the address or the password, enables the account or sets validSince",
        arguments: [
            ("nothing", update { _ in }, account(), false),
            ("the name", update { $0.profile.displayName = .set("Ada") }, account(), false),
            ("the same address", update { $0.email = .init(EmailAddress("ADA@example.com")) }, account(), false),
            ("another address", update { $0.email = .init(EmailAddress("lady@example.com")) }, account(), true),
            ("no address", update { $0.email = .remove }, account(), true),
            ("a password", update { $0.passwordHash = .set("hash") }, account(), true),
            ("no password", update { $0.passwordHash = .remove }, account(), true),
            ("no password, as before", update { $0.passwordHash = .remove }, account(hasPassword: false), false),
            ("disabled", update { $0.isDisabled = true }, account(), false),
            ("enabled", update { $0.isDisabled = false }, account(isDisabled: true), true),
            ("enabled, as before", update { $0.isDisabled = false }, account(), false),
            ("valid since", update { $0.validSince = Instant(seconds: 1) }, account(), true),
        ])
    func sessions(of change: String, update: AccountUpdate, account: Account, endsSessions: Bool) {
        #expect(update.endsSessions(of: account) == endsSessions, "\(change)")
    }
}
