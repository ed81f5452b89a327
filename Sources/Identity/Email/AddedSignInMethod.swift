/// A sign-in method that was added to an account.
public struct AddedSignInMethod: Hashable, Sendable {
    /// ``ProviderID/password`` for a password, ``ProviderID/emailLink`` for email links.
    public let provider: ProviderID
    /// The provider's ID for the user; `nil` for a password and for email links.
    public let subject: String?
    public let addedAt: Instant

    public init(provider: ProviderID, subject: String?, addedAt: Instant) {
        self.provider = provider
        self.subject = subject
        self.addedAt = addedAt
    }
}

/// A sign-in method as end users know it.
public enum SignInMethodName: Hashable, Sendable {
    case named(String)
    case password
    case emailLink
    case phone
    case other

    public init(_ provider: ProviderID?, in project: Project) {
        self =
            switch provider {
            case .password: .password
            case .emailLink: .emailLink
            case .phone: .phone
            case let provider?:
                (project.supportedProviders.builtIn(provider)?.displayName
                    ?? project.settings(of: provider)?.openID?.displayName).map(Self.named) ?? .other
            case nil: .other
            }
    }
}
