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

/// Creates credentials for sign-in with an identity provider.
public final class OAuthProvider: Sendable {
    /// The provider's ID.
    public let providerID: String

    /// Creates a provider with its ID, for example `apple.com`.
    public init(providerID: String) { self.providerID = providerID }

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
