/// What an unauthenticated client may learn about an address.
public struct IdentifierLookup: Sendable {
    let store: any AccountStore

    public init(store: any AccountStore) {
        self.store = store
    }

    public enum Answer: Hashable, Sendable {
        /// The project has email enumeration protection.
        case hidden
        case unknown
        case registered(signInMethods: [ProviderID])
    }

    /// Runs the statement even if the answer is ``Answer/hidden``, so that the response time reveals nothing.
    public func ask(about email: EmailAddress, in project: Project) async throws -> Answer {
        let holder = try await store.holder(of: email, in: project.realm)
        guard !project.policy.emailEnumerationProtection else { return .hidden }
        return holder.map { .registered(signInMethods: $0.account.signInMethods) } ?? .unknown
    }
}
