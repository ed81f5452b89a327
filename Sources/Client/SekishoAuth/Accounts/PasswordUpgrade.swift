extension Auth {
    /// Links an identity, for example Apple's, to the account of an email address and a password, and signs in to that
    /// account. The password is the proof that the user owns the account, so the user needs no other dialog.
    ///
    /// If the call fails after the identity was linked, it can be repeated with the same password and a new credential.
    ///
    /// - Parameters:
    ///   - credential: the credential of the identity, for example of ``OAuthProvider/appleCredential(_:rawNonce:)``.
    ///   - email: the email address of the account.
    ///   - password: the current password of the account.
    ///   - removesPassword: whether the account loses the password, which ends all other sessions of the account.
    /// - Throws: ``AuthErrorCode/credentialAlreadyInUse`` if the identity is linked to another account;
    ///   ``AuthErrorCode/providerAlreadyLinked`` if the account has another identity of the same provider; otherwise as
    ///   ``signIn(withEmail:password:)`` and ``signIn(with:)``.
    @discardableResult public func upgradeToProvider(
        with credential: AuthCredential, email: String, password: String, removesPassword: Bool
    ) async throws -> AuthDataResult {
        let core = core
        let result = try await core.performSignIn {
            try await core.link(
                credential, toAccountOf: EmailAuthProvider.credential(withEmail: email, password: password))
        }
        if removesPassword {
            _ = try await result.user.unlink(fromProvider: EmailAuthProvider.id)
        }
        return result
    }
}

extension AuthCore {
    /// Links a credential to the account of another credential. Ends the session of the proof if the link fails.
    fileprivate func link(
        _ credential: AuthCredential, toAccountOf proof: AuthCredential
    ) async throws -> Authentication {
        let owner = try await authenticate(proof, for: .signIn)
        do {
            return try await authenticate(
                credential, for: .link(idToken: owner.tokens.idToken, resumptionKey: nil))
        } catch {
            await revokeSessionIgnoringErrors(owner.tokens.idToken)
            throw error
        }
    }
}
