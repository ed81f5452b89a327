// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``GoogleAuthProvider/id``.
public let GoogleAuthProviderID = GoogleAuthProvider.id

/// Creates credentials for sign-in with Google.
public enum GoogleAuthProvider {
    /// The provider ID of Google.
    public static let id = "google.com"

    /// Creates a credential from the ID token and the access token of the Google Sign-In SDK.
    public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
        OAuthCredential(
            provider: id, .idp(IdpTokens(idToken: idToken, accessToken: accessToken)))
    }

    /// Creates a credential from a Google ID token with a nonce.
    ///
    /// - Parameter rawNonce: the nonce before hashing. The token contains this nonce or its SHA-256.
    public static func credential(
        withIDToken idToken: String, accessToken: String? = nil, rawNonce: String
    ) -> AuthCredential {
        OAuthCredential(
            provider: id,
            .idp(IdpTokens(idToken: idToken, accessToken: accessToken, rawNonce: rawNonce)))
    }

    /// Creates a credential from the `serverAuthCode` of the Google Sign-In SDK, whose `serverClientID` must be the
    /// project's web client. The credential can be used once. The gateway redeems the code, and the result of the
    /// sign-in has Google's tokens (``AuthDataResult/credential``).
    ///
    /// FirebaseAuth does not have this method.
    public static func credential(withServerAuthCode serverAuthCode: String) -> AuthCredential {
        OAuthCredential(provider: id, .idp(IdpTokens(authorizationCode: serverAuthCode)))
    }
}
