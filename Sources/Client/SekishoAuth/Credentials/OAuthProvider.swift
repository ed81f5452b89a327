public import Foundation

/// The ID of an identity provider.
public struct AuthProviderID: RawRepresentable, Hashable, Sendable {
    /// The ID, for example `apple.com`.
    public let rawValue: String

    /// Creates an ID from its text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Sign in with Apple.
    public static let apple = AuthProviderID(rawValue: "apple.com")
    /// Google.
    public static let google = AuthProviderID(rawValue: "google.com")
    /// Password or email link.
    public static let email = AuthProviderID(rawValue: "password")

    /// Returns the ID of a provider that an administrator has configured, for example `oidc.corp`.
    public static func custom(_ id: String) -> AuthProviderID { AuthProviderID(rawValue: id) }
}

/// Creates credentials for sign-in with an identity provider, or signs in at the provider in the browser.
public final class OAuthProvider: FederatedAuthProvider {
    private struct Parameters: Sendable {
        var scopes: [String]?
        var customParameters: [String: String]?
    }

    /// The provider's ID.
    public let providerID: String
    private let auth: Auth?
    private let parameters = Locked(Parameters())

    /// Creates a provider with its ID, for example `apple.com`.
    ///
    /// - Parameter auth: the instance that ``credential(with:)`` uses (default: ``Auth/auth()``).
    public init(providerID: String, auth: Auth? = nil) {
        self.providerID = providerID
        self.auth = auth
    }

    /// Creates a provider with its ID.
    public static func provider(providerID: String) -> OAuthProvider { OAuthProvider(providerID: providerID) }

    /// Creates a provider with its ID, for an instance.
    public static func provider(providerID: String, auth: Auth) -> OAuthProvider {
        OAuthProvider(providerID: providerID, auth: auth)
    }

    /// The OAuth 2.0 scopes to request in the browser, in addition to those of the app at the gateway.
    public var scopes: [String]? {
        get { parameters.current.scopes }
        set { parameters.withLock { $0.scopes = newValue } }
    }

    /// Further query items for the provider's page in the browser, such as `login_hint`.
    public var customParameters: [String: String]? {
        get { parameters.current.customParameters }
        set { parameters.withLock { $0.customParameters = newValue } }
    }

    /// Signs the user in at the provider in the browser, and returns the credential. It can be used once, within a
    /// minute, with ``Auth/signIn(with:)`` only. To link or to reauthenticate, use ``User/link(with:uiDelegate:)`` or
    /// ``User/reauthenticate(with:uiDelegate:)``.
    ///
    /// - Throws: as ``Auth/signIn(with:uiDelegate:)``.
    public func credential(with uiDelegate: (any AuthUIDelegate)?) async throws -> AuthCredential {
        try await (auth ?? Auth.auth()).core.browserCredential(of: self, for: .signIn, uiDelegate: uiDelegate)
    }

    /// Completion-handler form of ``credential(with:)``.
    public func getCredentialWith(
        _ uiDelegate: (any AuthUIDelegate)?, completion: ((AuthCredential?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.credential(with: uiDelegate) }
    }

    /// Creates a credential for Sign in with Apple.
    ///
    /// - Parameters:
    ///   - idToken: the `identityToken` of the `ASAuthorizationAppleIDCredential` as a UTF-8 string.
    ///   - rawNonce: the nonce before hashing. The request to Apple contained its SHA-256. `nil` if the request had no
    ///     nonce.
    ///   - fullName: the `fullName` of the same credential. Apple sends it at the first sign-in only.
    ///   - authorizationCode: the `authorizationCode` of the same credential as a UTF-8 string. With it, the gateway
    ///     can revoke Apple's tokens when the account is deleted.
    public static func appleCredential(
        withIDToken idToken: String, rawNonce: String?, fullName: PersonNameComponents?,
        authorizationCode: String? = nil
    ) -> OAuthCredential {
        let name = fullName.map { PersonName(givenName: $0.givenName, familyName: $0.familyName) }
        let isEmpty = (name?.givenName ?? "").isEmpty && (name?.familyName ?? "").isEmpty
        return OAuthCredential(
            provider: AuthProviderID.apple.rawValue,
            .idp(
                IdpTokens(
                    idToken: idToken, rawNonce: rawNonce, name: isEmpty ? nil : name,
                    authorizationCode: authorizationCode)))
    }

    /// Creates a credential from an ID token with a nonce.
    ///
    /// - Parameter rawNonce: the nonce before hashing.
    public static func credential(
        providerID: AuthProviderID, idToken: String, rawNonce: String, accessToken: String? = nil
    ) -> OAuthCredential {
        credential(providerID.rawValue, idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
    }

    /// Creates a credential from an ID token without a nonce.
    public static func credential(
        providerID: AuthProviderID, idToken: String, accessToken: String? = nil
    ) -> OAuthCredential {
        credential(providerID.rawValue, idToken: idToken, rawNonce: nil, accessToken: accessToken)
    }

    /// Creates a credential from an access token. Its use fails with ``AuthErrorCode/invalidCredential``, because the
    /// gateway requires an ID token.
    public static func credential(providerID: AuthProviderID, accessToken: String) -> OAuthCredential {
        credential(providerID.rawValue, idToken: nil, rawNonce: nil, accessToken: accessToken)
    }

    /// Creates a credential from an ID token, as in FirebaseAuth before version 12.
    public static func credential(
        withProviderID providerID: String, idToken: String, rawNonce: String?
    ) -> OAuthCredential {
        credential(providerID, idToken: idToken, rawNonce: rawNonce, accessToken: nil)
    }

    /// Creates a credential from an ID token and an access token, as in FirebaseAuth before version 12.
    public static func credential(
        withProviderID providerID: String, idToken: String, accessToken: String?
    ) -> OAuthCredential {
        credential(providerID, idToken: idToken, rawNonce: nil, accessToken: accessToken)
    }

    /// Creates a credential from an ID token, a nonce and an access token, as in FirebaseAuth before version 12.
    public static func credential(
        withProviderID providerID: String, idToken: String, rawNonce: String?, accessToken: String?
    ) -> OAuthCredential {
        credential(providerID, idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
    }

    /// Creates a credential from an access token, as in FirebaseAuth before version 12. See
    /// ``credential(providerID:accessToken:)``.
    public static func credential(withProviderID providerID: String, accessToken: String) -> OAuthCredential {
        credential(providerID, idToken: nil, rawNonce: nil, accessToken: accessToken)
    }

    /// Creates a credential from a ``OAuthCredential/pendingToken``, for example one that a backend has received.
    public static func credential(providerID: AuthProviderID, pendingToken: String) -> OAuthCredential {
        OAuthCredential(provider: providerID.rawValue, .pendingToken(pendingToken))
    }

    private static func credential(
        _ provider: String, idToken: String?, rawNonce: String?, accessToken: String?
    ) -> OAuthCredential {
        OAuthCredential(
            provider: provider,
            .idp(IdpTokens(idToken: idToken, accessToken: accessToken, rawNonce: rawNonce)))
    }
}
