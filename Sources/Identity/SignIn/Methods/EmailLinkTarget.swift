extension EmailLinkMethod {
    /// The accounts to which a mailbox may sign in.
    enum Target: Sendable {
        /// The account that has the address, or a new one.
        case any
        case existing
        /// The account of a re-authentication.
        case only(ID<Account>)
    }
}

extension EmailLinkMethod.Target {
    /// - Throws: ``SignInRefusal/unknownEmail``, ``SignInRefusal/otherAccount``, or ``OOBCodeRefusal/notAllowed`` for
    ///   an address that would get a new account.
    func requirePermitted(_ found: FoundCode) throws {
        switch self {
        case .any: return
        case .existing:
            guard found.account != nil else { throw SignInRefusal.unknownEmail }
            guard !found.newAccountChoice.createsAccount(isChosen: false) else { throw OOBCodeRefusal.notAllowed }
        case .only(let account):
            guard found.account?.id == account, !found.newAccountChoice.createsAccount(isChosen: false) else {
                throw SignInRefusal.otherAccount
            }
        }
    }
}
