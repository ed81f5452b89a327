internal import Identity
internal import Pages

extension CheckedCode {
    /// What its owner may remove besides. A reset that takes every identity offers no choice.
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
    /// Whose identities were checked.
    var removed: Set<ProviderID> { Set(names(after: CodeForm.removalPrefix).map { ProviderID($0) }) }
}
