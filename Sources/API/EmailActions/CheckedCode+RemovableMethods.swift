internal import Identity
internal import Pages

extension CheckedCode {
    /// The sign-in methods that the form lists, so that the user can remove them. These are passkeys, the telephone
    /// number, and identities whose provider has not verified the address that the code proves.
    ///
    /// If the account's address is not verified, a password reset removes all of these anyway, and lists none. With
    /// ``Policy/resetUnlinksIdentities``, it lists only the telephone number. The recovery of an address lists the
    /// methods that were added before the address was replaced, because it removes all later ones anyway.
    var removableMethods: [ListedMethod] {
        guard let account else { return [] }
        return switch code.purpose {
        case .resetPassword where !account.emailIsVerified: []
        case .resetPassword where realm.policy.resetUnlinksIdentities: account.listedPhoneNumber
        case .resetPassword: account.listedMethods(byOwnerOf: code.email, in: realm)
        case .recoverEmail:
            account.listedMethods(byOwnerOf: code.email, in: realm)
                .filter { $0.addedAt.map { $0 < code.createdAt } ?? true }
        case .verifyEmail, .changeEmail: account.listedMethods(byOwnerOf: code.newEmail ?? code.email, in: realm)
        case .signIn, .removeSignInMethod, .revertFactorAddition, .undoMerge: []
        }
    }
}

extension CheckedCode {
    /// The sign-in methods that a password reset removes in any case.
    var removedMethods: [SignInMethodName] {
        let removed = account?.methodsRemovedByReset(by: realm.policy) ?? []
        return removed.map { SignInMethodName($0, in: realm) }
    }

    /// All sign-in methods of the account.
    var methods: [SignInMethodName] {
        guard let account else { return [] }
        return
            (account.signInMethods + (account.phoneNumber == nil ? [] : [.phone])
            + (account.passkeys.isEmpty ? [] : [.passkey]))
            .map { SignInMethodName($0, in: realm) }
    }
}

extension Account {
    fileprivate func listedMethods(byOwnerOf email: EmailAddress, in realm: Realm) -> [ListedMethod] {
        removableIdentities(byOwnerOf: email).map { ListedMethod($0, in: realm) } + passkeys.map(ListedMethod.init)
            + listedPhoneNumber
    }

    fileprivate var listedPhoneNumber: [ListedMethod] {
        phoneNumber.map { [ListedMethod($0, addedAt: phoneAddedAt)] } ?? []
    }
}

extension FormFields {
    /// The sign-in methods that the user selected.
    var methodSelection: MethodSelection {
        let providers = Set(names(removingPrefix: CodeForm.removalPrefix).map { ProviderID($0) })
        return MethodSelection(
            providers: providers, passkeys: Set(names(removingPrefix: CodeForm.passkeyRemovalPrefix).map { ID($0) }),
            includesPhoneNumber: providers.contains(.phone))
    }
}
