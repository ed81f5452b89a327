internal import Identity
internal import Pages

extension CheckedCode {
    /// The identities that the form lists, so that the user can select and remove them: those whose provider has not
    /// verified the address that the code proves.
    ///
    /// A password reset lists no identities if it removes all of them anyway: if the account's address is not verified,
    /// or if ``Policy/resetUnlinksIdentities`` is true. The recovery of an address lists the identities that were
    /// linked before the address was replaced, because it removes all later ones anyway.
    var removableIdentities: [ListedIdentity] {
        guard let account else { return [] }
        let identities: [LinkedIdentity] =
            switch code.purpose {
            case .resetPassword:
                account.emailIsVerified && !realm.policy.resetUnlinksIdentities
                    ? account.removableIdentities(byOwnerOf: code.email) : []
            case .recoverEmail:
                account.removableIdentities(byOwnerOf: code.email)
                    .filter { $0.linkedAt.map { $0 < code.createdAt } ?? false }
            case .verifyEmail, .changeEmail: account.removableIdentities(byOwnerOf: code.newEmail ?? code.email)
            case .signIn, .removeSignInMethod, .revertFactorAddition, .undoMerge: []
            }
        return identities.map { ListedIdentity($0, in: realm) }
    }
}

extension CheckedCode {
    /// The ways to sign in to the account of the code.
    var methods: [SignInMethodName] {
        guard let account else { return [] }
        return
            (account.signInMethods + (account.phoneNumber == nil ? [] : [.phone])
            + (account.passkeys.isEmpty ? [] : [.passkey]))
            .map { SignInMethodName($0, in: realm) }
    }
}

extension FormFields {
    /// The providers whose identities the user selected.
    var selectedProviders: Set<ProviderID> { Set(names(removingPrefix: CodeForm.removalPrefix).map { ProviderID($0) }) }
}
