#if canImport(AuthenticationServices)
    public import AuthenticationServices
    public import Foundation

    extension Auth {
        /// Gets the credential state of the user's Apple identity from the system. Call it when the app starts.
        ///
        /// If the user signed in with Apple and the state is `revoked`, the user is signed out. Every other state and
        /// every error keeps the user signed in, because Xcode's simulator, a new device and a device without an
        /// Apple Account report `notFound`.
        ///
        /// - Throws: the system's error; ``AuthErrorCode/malformedJWT`` if the ID token cannot be decoded;
        ///   ``AuthErrorCode/keychainError`` if the user cannot be signed out.
        /// - Returns: the state, or `nil` if no user is signed in or the account has no Apple identity.
        @discardableResult public func checkAppleCredential() async throws
            -> ASAuthorizationAppleIDProvider.CredentialState?
        {
            guard let user = currentUser,
                let appleID = user.providerData.first(where: { $0.providerID == AuthProviderID.apple.rawValue })?.uid
            else { return nil }
            let state = try await Self.appleCredentialState(of: appleID)
            let claims = try IDTokenClaims(of: user.session.current.tokens.idToken)
            if state == .revoked, claims.firebase("sign_in_provider") == AuthProviderID.apple.rawValue {
                try core.signOut(user)
                await core.waitForListeners()
            }
            return state
        }

        /// Calls ``checkAppleCredential()`` whenever the system posts
        /// `ASAuthorizationAppleIDProvider.credentialRevokedNotification`.
        ///
        /// - Returns: the observer. To stop observing, pass it to `NotificationCenter.default.removeObserver(_:)`.
        @discardableResult public func observeAppleCredentialRevocation() -> any NSObjectProtocol {
            NotificationCenter.default.addObserver(
                forName: ASAuthorizationAppleIDProvider.credentialRevokedNotification, object: nil, queue: nil
            ) { [weak self] _ in
                // An error is ignored, because the app checks again at its next start.
                Task { [weak self] in _ = try? await self?.checkAppleCredential() }
            }
        }

        private static func appleCredentialState(
            of appleID: String
        ) async throws -> ASAuthorizationAppleIDProvider.CredentialState {
            try await withCheckedThrowingContinuation { continuation in
                ASAuthorizationAppleIDProvider().getCredentialState(forUserID: appleID) { state, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: state)
                    }
                }
            }
        }
    }
#endif
