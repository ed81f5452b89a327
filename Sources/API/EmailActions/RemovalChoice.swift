internal import Identity
internal import Pages

extension CheckedCode {
    /// The identities that the form lists, so that the user can remove them too. A reset lists none if it removes every
    /// identity anyway; the recovery of an address lists those that were linked before the change.
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
    var removed: Set<ProviderID> { Set(names(after: CodeForm.removalPrefix).map { ProviderID($0) }) }
}
