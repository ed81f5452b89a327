internal import Identity
internal import Pages

extension CheckedCode {
    /// The identities that the form lists, so that the user can select and remove them. Identities that were linked at
    /// the creation of the account are never listed. A reset lists none if it removes all identities anyway: if the
    /// account's address is not verified, or if ``Policy/resetUnlinksIdentities`` is true. The recovery of an address
    /// lists the identities that were linked before the address was replaced; it removes all later ones anyway.
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
    var selectedProviders: Set<ProviderID> { Set(names(after: CodeForm.removalPrefix).map { ProviderID($0) }) }
}
