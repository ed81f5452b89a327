/// What may be said of an address to somebody who has not signed in.
public struct IdentifierLookup: Sendable {
    let store: any AccountStore

    public init(store: any AccountStore) {
        self.store = store
    }

    /// - Returns: the ways to sign in, empty if nobody holds the address; `nil` where the project hides accounts.
    ///   The statement is run either way, so that the time taken says nothing.
    public func signInMethods(of email: Email, in project: Project) async throws -> [ProviderID]? {
        let holder = try await store.holder(of: email, in: project.id)
        return project.policy.hidesAccounts ? nil : holder.map(\.account.signInMethods) ?? []
    }
}
