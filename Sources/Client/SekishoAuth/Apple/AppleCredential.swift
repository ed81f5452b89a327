#if canImport(AuthenticationServices)
    public import AuthenticationServices
    internal import Foundation

    extension ASAuthorizationAppleIDRequest {
        /// Sets the scopes and the nonce of a request, for example in `onRequest` of `SignInWithAppleButton`.
        ///
        /// - Parameters:
        ///   - nonce: from ``Auth/issueNonce()`` or ``SignInNonce/random()``. Keep it for the sign-in.
        ///   - requestedScopes: what to request from the user (default: name and email address).
        public func prepare(
            with nonce: SignInNonce, requestedScopes: [ASAuthorization.Scope] = [.fullName, .email]
        ) {
            self.requestedScopes = requestedScopes
            self.nonce = nonce.sha256
        }
    }

    extension OAuthProvider {
        /// Creates a credential from what Apple gave to the app: identity token, name and authorization code.
        ///
        /// - Parameter rawNonce: ``SignInNonce/rawNonce`` of the nonce of the request, or `nil` if it had none.
        /// - Throws: ``AuthErrorCode/invalidCredential`` if Apple gave no identity token.
        public static func appleCredential(
            _ credential: ASAuthorizationAppleIDCredential, rawNonce: String?
        ) throws -> OAuthCredential {
            guard let idToken = credential.identityToken.flatMap({ String(data: $0, encoding: .utf8) }) else {
                throw AuthErrorCode.invalidCredential.with("The Apple credential has no identity token.")
            }
            return appleCredential(
                withIDToken: idToken, rawNonce: rawNonce, fullName: credential.fullName,
                authorizationCode: credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) })
        }
    }

    extension Auth {
        /// Signs in with what Apple gave to the app.
        ///
        /// - Parameter rawNonce: see ``OAuthProvider/appleCredential(_:rawNonce:)``.
        @discardableResult nonisolated(nonsending) public func signIn(
            with credential: ASAuthorizationAppleIDCredential, rawNonce: String?
        ) async throws -> AuthDataResult {
            try await signIn(with: OAuthProvider.appleCredential(credential, rawNonce: rawNonce))
        }
    }

    extension User {
        /// Links the Apple identity to the account.
        ///
        /// - Parameter rawNonce: see ``OAuthProvider/appleCredential(_:rawNonce:)``.
        @discardableResult nonisolated(nonsending) public func link(
            with credential: ASAuthorizationAppleIDCredential, rawNonce: String?
        ) async throws -> AuthDataResult {
            try await link(with: OAuthProvider.appleCredential(credential, rawNonce: rawNonce))
        }

        /// Proves again who the user is with what Apple gave to the app.
        ///
        /// - Parameter rawNonce: see ``OAuthProvider/appleCredential(_:rawNonce:)``.
        @discardableResult nonisolated(nonsending) public func reauthenticate(
            with credential: ASAuthorizationAppleIDCredential, rawNonce: String?
        ) async throws -> AuthDataResult {
            try await reauthenticate(with: OAuthProvider.appleCredential(credential, rawNonce: rawNonce))
        }
    }
#endif
