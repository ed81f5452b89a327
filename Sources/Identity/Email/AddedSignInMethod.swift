/// A sign-in method or a second factor that was added to an account.
public struct AddedSignInMethod: Hashable, Sendable {
    /// ``ProviderID/password`` for a password, ``ProviderID/emailLink`` for email links, ``ProviderID/passkey`` for a
    /// passkey, ``ProviderID/totp`` for a one-time password.
    public let provider: ProviderID
    /// The provider's ID for the user, or the ID of a passkey or a factor; `nil` for a password and for email links.
    public let subject: String?
    public let addedAt: Instant

    public init(provider: ProviderID, subject: String?, addedAt: Instant) {
        self.provider = provider
        self.subject = subject
        self.addedAt = addedAt
    }
}

extension Factor.Kind {
    /// The name of the factor in notices; see ``SignInMethodName``.
    var methodName: ProviderID {
        switch self {
        case .totp: .totp
        case .phone: .phone
        }
    }
}

/// A sign-in method as end users know it.
public enum SignInMethodName: Hashable, Sendable {
    case named(String)
    case password
    case emailLink
    case phone
    case passkey
    case oneTimePassword
    case other

    public init(_ provider: ProviderID?, in realm: Realm) {
        self =
            switch provider {
            case .password: .password
            case .emailLink: .emailLink
            case .phone: .phone
            case .passkey: .passkey
            case .totp: .oneTimePassword
            case let provider?: realm.displayName(of: provider).map(Self.named) ?? .other
            case nil: .other
            }
    }
}
