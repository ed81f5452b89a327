internal import Identity
internal import Pages

extension CheckedCode {
    /// The identities that the form lists, so that the user can select and remove them. The form never lists identities
    /// with which the account was created.
    ///
    /// A password reset lists no identities if it removes all of them anyway: if the account's address is not verified,
    /// or if ``Policy/resetUnlinksIdentities`` is true. The recovery of an address lists the identities that were
    /// linked before the address was replaced, because it removes all later ones anyway.
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
    var selectedProviders: Set<ProviderID> { Set(names(removingPrefix: CodeForm.removalPrefix).map { ProviderID($0) }) }
}
