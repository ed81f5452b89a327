// swift-format-ignore: AlwaysUseLowerCamelCase, because FirebaseAuth has this name.
/// See ``EmailAuthProvider/id``.
public let EmailAuthProviderID = EmailAuthProvider.id

/// Creates credentials for sign-in with an email address and a password or an email link.
public enum EmailAuthProvider {
    /// The provider ID of passwords and email links.
    public static let id = "password"

    /// Creates a credential from an email address and a password.
    public static func credential(withEmail email: String, password: String) -> AuthCredential {
        AuthCredential(provider: id, .password(email: email, password: password))
    }

    /// Creates a credential from an email address and an email link. If the link has no action code, the use of the
    /// credential fails with ``AuthErrorCode/invalidActionCode``.
    public static func credential(withEmail email: String, link: String) -> AuthCredential {
        AuthCredential(provider: id, .emailLink(email: email, code: ActionCodeURL(link: link)?.code ?? ""))
    }
}
