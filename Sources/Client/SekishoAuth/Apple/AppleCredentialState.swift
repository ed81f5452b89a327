#if canImport(AuthenticationServices)
    public import AuthenticationServices
    public import Foundation

    extension Auth {
        /// Checks on the device whether the user still uses Sign in with Apple for this app. Call it when the app starts.
        ///
        /// A user who signed in with Apple and has disconnected the app is signed out. Every other state and every
        /// failure leaves the user signed in: the simulator, a new device and a device without an Apple Account report
        /// that there is no credential.
        ///
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
                await core.listenersCalled()
            }
            return state
        }

        /// Calls ``checkAppleCredential()`` whenever the system reports that an Apple credential was revoked.
        ///
        /// - Returns: the observer. Pass it to `NotificationCenter.default.removeObserver(_:)` to end the observation.
        @discardableResult public func observeAppleCredentialRevocation() -> any NSObjectProtocol {
            NotificationCenter.default.addObserver(
                forName: ASAuthorizationAppleIDProvider.credentialRevokedNotification, object: nil, queue: nil
            ) { [weak self] _ in
                // A failed check changes nothing; the app checks at each launch too.
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
