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
    /// Email address and password, or sign-in link.
    public static let email = AuthProviderID(rawValue: "password")

    /// A provider that the project's administrator configured, for example `oidc.corp`.
    public static func custom(_ id: String) -> AuthProviderID { AuthProviderID(rawValue: id) }
}

/// Creates credentials of identity providers.
public final class OAuthProvider: Sendable {
    /// The provider's ID.
    public let providerID: String

    /// Creates a provider by its ID.
    public init(providerID: String) { self.providerID = providerID }

    /// Creates a credential of Sign in with Apple.
    ///
    /// - Parameters:
    ///   - idToken: the `identityToken` of the `ASAuthorizationAppleIDCredential` as text.
    ///   - rawNonce: the nonce before hashing. The request to Apple contained its SHA-256.
    ///   - fullName: the name, which Apple gives to the app at the first sign-in only.
    ///   - authorizationCode: the `authorizationCode` of the same credential as text. With it, the gateway can revoke
    ///     Apple's tokens when the account is deleted.
    public static func appleCredential(
        withIDToken idToken: String, rawNonce: String?, fullName: PersonNameComponents?,
        authorizationCode: String? = nil
    ) -> OAuthCredential {
        let name = fullName.map { PersonName(givenName: $0.givenName, familyName: $0.familyName) }
        let isEmpty = (name?.givenName ?? "").isEmpty && (name?.familyName ?? "").isEmpty
        return OAuthCredential(
            provider: AuthProviderID.apple.rawValue,
            .identity(
                IdentityEvidence(
                    idToken: idToken, rawNonce: rawNonce, name: isEmpty ? nil : name,
                    authorizationCode: authorizationCode)))
    }

    /// Creates a credential from an ID token.
    public static func credential(
        providerID: AuthProviderID, idToken: String, rawNonce: String, accessToken: String? = nil
    ) -> OAuthCredential {
        credential(providerID.rawValue, idToken: idToken, rawNonce: rawNonce, accessToken: accessToken)
    }

    /// Creates a credential from an ID token of a sign-in without a nonce.
    public static func credential(
        providerID: AuthProviderID, idToken: String, accessToken: String? = nil
    ) -> OAuthCredential {
        credential(providerID.rawValue, idToken: idToken, rawNonce: nil, accessToken: accessToken)
    }

    /// Creates a credential from an access token. The gateway rejects it unless it supports the provider's tokens.
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

    /// Creates a credential from an access token, as in FirebaseAuth before version 12.
    public static func credential(withProviderID providerID: String, accessToken: String) -> OAuthCredential {
        credential(providerID, idToken: nil, rawNonce: nil, accessToken: accessToken)
    }

    /// Creates a credential from a pending token, for example one that a backend passed on.
    public static func credential(providerID: AuthProviderID, pendingToken: String) -> OAuthCredential {
        OAuthCredential(provider: providerID.rawValue, .pending(token: pendingToken))
    }

    private static func credential(
        _ provider: String, idToken: String?, rawNonce: String?, accessToken: String?
    ) -> OAuthCredential {
        OAuthCredential(
            provider: provider,
            .identity(IdentityEvidence(idToken: idToken, accessToken: accessToken, rawNonce: rawNonce)))
    }
}
