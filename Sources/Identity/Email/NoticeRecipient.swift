/// The address to which a notice about an account goes.
struct NoticeRecipient: Hashable, Sendable {
    let email: EmailAddress
    /// Whether the gateway or a provider has verified that the address is the user's; see ``Account/provenEmail``. A
    /// notice to another address has no link, because the address may be that of a stranger.
    let isProven: Bool

    static func proven(_ email: EmailAddress) -> NoticeRecipient { NoticeRecipient(email: email, isProven: true) }

    /// The recipient of notices about `account`; `nil` if it has no address, or if its address is not proven and
    /// `policy` sends nothing to such an address.
    init?(of account: Account, by policy: Policy) {
        guard let email = account.email, account.provenEmail != nil || policy.notifiesUnverifiedAddresses else {
            return nil
        }
        self.init(email: email, isProven: account.provenEmail != nil)
    }

    private init(email: EmailAddress, isProven: Bool) {
        self.email = email
        self.isProven = isProven
    }
}

extension LinkedIdentity {
    /// Whether the provider has verified that the user owns exactly the address `email`.
    func proves(_ email: EmailAddress?) -> Bool { email != nil && self.email == email && emailTrust >= .verified }
}

extension Account {
    /// The account's address if the gateway has verified it, or a provider of one of the account's identities.
    var provenEmail: EmailAddress? { emailIsVerified || identities.contains { $0.proves(email) } ? email : nil }

    /// The identities that the owner of the mailbox `email` may remove, because the gateway cannot know whether they
    /// are the owner's: no provider of theirs has verified this address. It does not matter when an identity was
    /// linked, or whether the account was created with it.
    public func removableIdentities(byOwnerOf email: EmailAddress?) -> [LinkedIdentity] {
        identities.filter { !$0.proves(email) }
    }
}
