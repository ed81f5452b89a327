// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// The provider ID of email addresses with passwords or sign-in links.
public let EmailAuthProviderID = EmailAuthProvider.id
// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// Google's provider ID.
public let GoogleAuthProviderID = GoogleAuthProvider.id

/// Creates credentials of email addresses.
public enum EmailAuthProvider {
    /// The provider's ID.
    public static let id = "password"

    /// Creates a credential from an email address and its password.
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        AuthCredential(provider: id, .password(email: email, password: password))
    }

    /// Creates a credential from the link of a sign-in email. A link without a code is rejected when it is used.
    public static func credential(withEmail email: String, link: String) -> AuthCredential {
        AuthCredential(provider: id, .emailLink(email: email, code: ActionCodeURL(link: link)?.code ?? ""))
    }
}

/// Creates Google credentials.
public enum GoogleAuthProvider {
    /// The provider's ID.
    public static let id = "google.com"

    /// Creates a credential from the tokens of Google's SDK.
    public static func credential(withIDToken idToken: String, accessToken: String) -> AuthCredential {
        OAuthCredential(
            provider: id, .identity(IdentityEvidence(idToken: idToken, accessToken: accessToken)))
    }

    /// Creates a credential from Google's ID token and the nonce of its request.
    public static func credential(
        withIDToken idToken: String, accessToken: String? = nil, rawNonce: String
    ) -> AuthCredential {
        OAuthCredential(
            provider: id,
            .identity(IdentityEvidence(idToken: idToken, accessToken: accessToken, rawNonce: rawNonce)))
    }
}
