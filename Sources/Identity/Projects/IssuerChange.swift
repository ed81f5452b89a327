/// A generic OpenID provider that is to have another issuer than before.
///
/// A subject is unique only with its issuer (OpenID Connect Core 1.0 §2). So identities keep the issuer that named them,
/// and a provider gets another issuer only while no identity of it would change its meaning.
public struct IssuerChange: Hashable, Sendable {
    public let provider: ProviderID
    /// `nil` if the provider was not configured.
    public let old: String?
    /// `nil` if the provider is removed.
    public let new: String?

    public init(provider: ProviderID, old: String?, new: String?) {
        self.provider = provider
        self.old = old
        self.new = new
    }
}

extension ProjectConfiguration {
    /// In the order of the providers' IDs, so that two edits lock them in the same order.
    public func issuerChanges(since old: ProjectConfiguration) -> [IssuerChange] {
        let providers = Set((old.project.providers + project.providers).map(\.provider)).filter(\.isGenericOpenID)
        return providers.sorted { $0.rawValue < $1.rawValue }
            .map { IssuerChange(provider: $0, old: old.project.issuer(of: $0), new: project.issuer(of: $0)) }
            .filter { $0.old != $0.new }
    }
}

extension Project {
    /// The issuer that identities of a generic OpenID provider have; `nil` for every other provider.
    public func issuer(of provider: ProviderID) -> String? { settings(of: provider)?.openID?.issuer }
}
