/// What may be said of an address to somebody who has not signed in.
public struct IdentifierLookup: Sendable {
    let store: any AccountStore

    public init(store: any AccountStore) {
        self.store = store
    }

    public enum Answer: Hashable, Sendable {
        /// The project hides accounts.
        case hidden
        case unknown
        case registered(signInMethods: [ProviderID])
    }

    /// The statement is run even if the answer is ``Answer/hidden``, so that the time taken says nothing.
    public func ask(about email: EmailAddress, in project: Project) async throws -> Answer {
        let holder = try await store.holder(of: email, in: project.realm)
        guard !project.policy.emailEnumerationProtection else { return .hidden }
        return holder.map { .registered(signInMethods: $0.account.signInMethods) } ?? .unknown
    }
}
