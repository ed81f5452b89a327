/// Looks up the sign-in methods of an email address for unauthenticated clients.
public struct IdentifierLookup: Sendable {
    let store: any AccountStore

    public init(store: any AccountStore) {
        self.store = store
    }

    public enum Answer: Hashable, Sendable {
        /// The project has email enumeration protection.
        case hidden
        case unknown
        /// - Parameter providers: email links count as ``ProviderID/password``.
        case registered(providers: [ProviderID], signInMethods: [ProviderID])
    }

    /// Returns ``Answer/hidden`` only after the query, so that the response takes as long as in other projects.
    ///
    /// An account is also found if one of its identities has the address. If the project allows duplicate addresses,
    /// only the account that holds the address is found, and its identities are omitted.
    public func lookUp(_ email: EmailAddress, in realm: Realm) async throws -> Answer {
        let ignoresIdentities = realm.policy.allowsDuplicateEmails
        let account =
            ignoresIdentities
            ? try await store.holder(of: email, in: realm.id)?.account
            : try await store.account(knownBy: email, in: realm.id)
        guard !realm.policy.emailEnumerationProtection else { return .hidden }
        guard let account else { return .unknown }
        let methods = account.signInMethods.filter { !ignoresIdentities || $0 == .password || $0 == .emailLink }
        var providers: [ProviderID] = []
        for provider in methods.map({ $0 == .emailLink ? .password : $0 }) where !providers.contains(provider) {
            providers.append(provider)
        }
        return .registered(providers: providers, signInMethods: methods)
    }
}
