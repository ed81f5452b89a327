internal import Encoding

/// An Apple identity that moves to another developer team with its app (TN3159). Every subject and every relay address
/// changes; the transfer subject connects the old subject with the new one.
public struct IdentityTransfer: Hashable, Sendable {
    public let formerSubject: String
    /// Apple's `transfer_sub`.
    public let transferSubject: String
    /// The subject at the new team.
    public let subject: String
    /// The address at the new team. `nil` if Apple did not state one; then the identity keeps its current address.
    public let email: EmailAddress?
    public let isPrivateEmail: Bool

    public init(
        formerSubject: String, transferSubject: String, subject: String, email: EmailAddress?, isPrivateEmail: Bool
    ) {
        self.formerSubject = formerSubject
        self.transferSubject = transferSubject
        self.subject = subject
        self.email = email
        self.isPrivateEmail = isPrivateEmail
    }
}

extension IdentityTransfer {
    /// The transfer that a sign-in with a token of the new team completes.
    ///
    /// - Returns: `nil` unless the account has an identity with the token's `transfer_sub`, and none with its `sub`.
    public init?(_ identity: VerifiedIdentity, of account: Account) {
        guard let transferSubject = identity.transferSubject,
            let former = account.identity(of: identity.provider), former.transferSubject == transferSubject,
            !former.subject.isExactly(identity.subject)
        else { return nil }
        self.init(
            formerSubject: former.subject, transferSubject: transferSubject, subject: identity.subject,
            email: identity.email, isPrivateEmail: identity.isPrivateEmail)
    }
}

extension IdentityTransfer {
    public func events(of account: ID<Account>) -> [AccountEvent] {
        [AccountEvent(.identityTransferred(.apple), of: account)]
    }
}

extension Account {
    /// The account after the transfer of one of its identities. The account's address changes only if it is the relay
    /// address of the old team, and the account has no password and uses no email links. The new address is verified if
    /// the old one was.
    public func applying(_ transfer: IdentityTransfer) -> Account {
        var account = self
        account.identities = identities.map { former in
            guard former.provider == .apple, former.subject.isExactly(transfer.formerSubject) else { return former }
            var identity = former
            identity.subject = transfer.subject
            identity.transferSubject = nil
            // Whether the new team's relay address forwards email is not known yet.
            identity.emailForwarding = nil
            if let email = transfer.email {
                (identity.email, identity.emailTrust) = (email, .authoritative)
                identity.isPrivateEmail = transfer.isPrivateEmail
                if former.isPrivateEmail, former.email != nil, former.email == self.email, !hasPassword,
                    !usesEmailLinks
                {
                    account.email = email
                }
            }
            return identity
        }
        return account
    }
}
