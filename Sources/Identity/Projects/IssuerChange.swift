/// A change of the issuer of a generic OpenID provider.
///
/// A subject is unique only with its issuer (OpenID Connect Core 1.0 §2). Therefore each identity keeps its issuer,
/// and a provider's issuer can change only if no stored identity could then belong to another user.
public struct IssuerChange: Hashable, Sendable {
    public let provider: ProviderID
    /// `nil` if the provider was not configured.
    public let old: String?
    /// `nil` if the provider is removed.
    public let new: String?
}

extension IssuerChange {
    /// The events about the accounts whose identity of the former issuer was unlinked.
    public func events(unlinkingFrom accounts: [ID<Account>]) -> [AccountEvent] {
        accounts.flatMap { AccountEvent.unlinking([provider], from: $0) }
    }
}

extension ProjectConfiguration {
    /// The changes of issuers since `old`, in the order of the providers' IDs, so that concurrent edits lock
    /// the providers in the same order.
    public func issuerChanges(since old: ProjectConfiguration) -> [IssuerChange] {
        let providers = Set((old.realm.providers + realm.providers).map(\.provider)).filter(\.isGenericOpenID)
        return providers.sorted { $0.rawValue < $1.rawValue }
            .map { IssuerChange(provider: $0, old: old.realm.issuer(of: $0), new: realm.issuer(of: $0)) }
            .filter { $0.old != $0.new }
    }
}

extension Realm {
    /// The issuer of a generic OpenID provider's identities; `nil` for every other provider.
    public func issuer(of provider: ProviderID) -> String? { settings(of: provider)?.openID?.issuer }
}
