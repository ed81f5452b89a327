/// A proven (provider, subject) pair that belongs to one account.
public struct LinkedIdentity: Hashable, Sendable {
    public let provider: ProviderID
    /// The provider's own name for the person; never empty.
    public let subject: String
    public let email: Email?
    public let displayName: String?
    public let photoURL: String?

    public init(
        provider: ProviderID, subject: String, email: Email? = nil, displayName: String? = nil, photoURL: String? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.email = email
        self.displayName = displayName
        self.photoURL = photoURL
    }
}
