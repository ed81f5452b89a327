internal import Identity
internal import Pages

extension CheckedCode {
    /// The identities that the form lists, so that the user can remove them too; never those that were linked at the
    /// creation of the account. A reset lists none if it removes all identities anyway, because the account's address
    /// is not verified or by ``Policy/resetUnlinksIdentities``. The recovery of an address lists those that were linked
    /// before the address was replaced, because all later ones are removed.
    var removableIdentities: [ListedIdentity] {
        guard let account else { return [] }
        let identities: [LinkedIdentity] =
            switch code.purpose {
            case .resetPassword:
                account.emailIsVerified && !project.policy.resetUnlinksIdentities ? account.addedIdentities : []
            case .recoverEmail: account.addedIdentities.filter { $0.linkedAt.map { $0 < code.createdAt } ?? false }
            case .verifyEmail, .signIn, .changeEmail, .removeSignInMethod, .undoMerge: []
            }
        return identities.map { ListedIdentity($0, in: project) }
    }
}

extension FormFields {
    /// The providers whose identities the user selected.
    var removedProviders: Set<ProviderID> { Set(names(after: CodeForm.removalPrefix).map { ProviderID($0) }) }
}
