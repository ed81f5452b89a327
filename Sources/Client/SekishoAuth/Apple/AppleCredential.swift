#if canImport(AuthenticationServices)
    public import AuthenticationServices
    internal import Foundation

    extension ASAuthorizationAppleIDRequest {
        /// Sets the scopes and the hashed nonce of a request, for example in `onRequest` of `SignInWithAppleButton`.
        ///
        /// - Parameters:
        ///   - nonce: a nonce from ``Auth/issueNonce()`` or ``SignInNonce/random()``. Keep it for the sign-in.
        ///   - requestedScopes: the scopes (default: full name and email address).
        public func prepare(
            with nonce: SignInNonce, requestedScopes: [ASAuthorization.Scope] = [.fullName, .email]
        ) {
            self.requestedScopes = requestedScopes
            self.nonce = nonce.sha256
        }
    }

    extension OAuthProvider {
        /// Creates a credential from the identity token, the name and the authorization code of Apple's credential.
        ///
        /// - Parameters:
        ///   - credential: Apple's credential.
        ///   - rawNonce: the ``SignInNonce/rawNonce`` of the request's nonce, or `nil` if the request had no nonce.
        /// - Throws: ``AuthErrorCode/invalidCredential`` if Apple's credential has no identity token.
        public static func appleCredential(
            _ credential: ASAuthorizationAppleIDCredential, rawNonce: String?
        ) throws -> OAuthCredential {
            guard let idToken = credential.identityToken.flatMap({ String(data: $0, encoding: .utf8) }) else {
                throw AuthErrorCode.invalidCredential.with("Apple's credential has no identity token.")
            }
            return appleCredential(
                withIDToken: idToken, rawNonce: rawNonce, fullName: credential.fullName,
                authorizationCode: credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) })
        }
    }

    extension Auth {
        /// Signs in with Apple's credential. See ``OAuthProvider/appleCredential(_:rawNonce:)`` and
        /// ``Auth/signIn(with:)``.
        @discardableResult public func signIn(
            with credential: ASAuthorizationAppleIDCredential, rawNonce: String?,
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> AuthDataResult {
            try await signIn(with: OAuthProvider.appleCredential(credential, rawNonce: rawNonce))
        }
    }

    extension Auth {
        /// Links Apple's credential to a password account and signs in to it. See
        /// ``OAuthProvider/appleCredential(_:rawNonce:)`` and
        /// ``Auth/upgradeToProvider(with:email:password:removesPassword:)``.
        @discardableResult public func upgradeToApple(
            with credential: ASAuthorizationAppleIDCredential, rawNonce: String?, email: String, password: String,
            removesPassword: Bool, isolation: isolated (any Actor)? = #isolation
        ) async throws -> AuthDataResult {
            try await upgradeToProvider(
                with: OAuthProvider.appleCredential(credential, rawNonce: rawNonce), email: email, password: password,
                removesPassword: removesPassword)
        }
    }

    extension User {
        /// Links Apple's credential. See ``OAuthProvider/appleCredential(_:rawNonce:)`` and ``User/link(with:)``.
        @discardableResult public func link(
            with credential: ASAuthorizationAppleIDCredential, rawNonce: String?,
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> AuthDataResult {
            try await link(with: OAuthProvider.appleCredential(credential, rawNonce: rawNonce))
        }

        /// Reauthenticates with Apple's credential. See ``OAuthProvider/appleCredential(_:rawNonce:)`` and
        /// ``User/reauthenticate(with:)``.
        @discardableResult public func reauthenticate(
            with credential: ASAuthorizationAppleIDCredential, rawNonce: String?,
            isolation: isolated (any Actor)? = #isolation
        ) async throws -> AuthDataResult {
            try await reauthenticate(with: OAuthProvider.appleCredential(credential, rawNonce: rawNonce))
        }
    }
#endif
