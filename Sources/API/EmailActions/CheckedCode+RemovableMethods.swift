internal import Identity
internal import Pages

extension CheckedCode {
    /// The sign-in methods that the form lists, so that the user can select and remove them: passkeys, the telephone
    /// number, and identities whose provider has not verified the address that the code proves.
    ///
    /// A password reset lists none if it removes all of them anyway: if the account's address is not verified. With
    /// ``Policy/resetUnlinksIdentities``, it lists the telephone number only. The recovery of an address lists the
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
    /// The ways to sign in to the account of the code.
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
