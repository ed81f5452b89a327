/// Another mailbox that can still take an account back: it received a remedy of the account (a link that recovers an
/// address or removes a sign-in method) before the mailbox of the account's address received one, and the remedy is
/// still valid. Only a mailbox that was proven for the account receives remedies.
///
/// An attacker with a session of a victim's account can give the account an address of the attacker, and prove it. And
/// an attacker can give an account with a proven address to a victim, by changing its address to the victim's. In both
/// cases, the account must not go to the user who has proven the later address: in the first case this would void the
/// victim's remedies, and in the second case the attacker could take the account back. So this user gets a new account.
public struct EarlierMailbox: Hashable, Sendable {
    /// When the last of the remedies expires.
    public let canRecoverUntil: Instant

    public init(canRecoverUntil: Instant) {
        self.canRecoverUntil = canRecoverUntil
    }
}

/// Whether the user who redeems a code gets a new account because of an ``EarlierMailbox``.
public enum NewAccountChoice: Hashable, Sendable {
    /// There is no such mailbox.
    case none
    /// The user may choose a new account.
    ///
    /// - Parameter until: when the owner of the earlier mailbox can no longer take the account back; `nil` if that
    ///   time begins with the redemption, and lasts for ``Policy/recoveryLifetime``.
    case optional(until: Instant?)
    /// The user gets a new account, because the account's address was never verified.
    case required

    /// - Parameter isChosen: whether the user has chosen a new account.
    func createsAccount(isChosen: Bool) -> Bool {
        switch self {
        case .none: false
        case .optional: isChosen
        case .required: true
        }
    }
}

extension FoundCode {
    public var newAccountChoice: NewAccountChoice {
        let optional = earlierMailbox.map { NewAccountChoice.optional(until: $0.canRecoverUntil) } ?? .none
        switch code.purpose {
        case .resetPassword, .signIn:
            return account?.emailIsVerified == false && optional != .none ? .required : optional
        case .verifyEmail: return optional
        // The owner of the replaced address gets a recovery code.
        case .changeEmail:
            return account?.provenEmail.map { $0 != code.newEmail } ?? false ? .optional(until: nil) : optional
        case .recoverEmail, .removeSignInMethod, .revertFactorAddition, .undoMerge: return .none
        }
    }
}
