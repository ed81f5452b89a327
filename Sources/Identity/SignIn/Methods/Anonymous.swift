/// Sign-up without a credential. Throws ``SignUpRefusal`` and ``TooManyAttempts``.
public struct AnonymousMethod: Sendable {
    private let completion: SignInCompletion
    private let store: any AccountStore
    private let limiter: RateLimiter

    public init(completion: SignInCompletion, store: any AccountStore, limiter: RateLimiter) {
        self.completion = completion
        self.store = store
        self.limiter = limiter
    }

    /// Creates an anonymous account.
    public func signUp(in realm: Realm, from context: RequestContext) async throws -> SignInOutcome {
        guard realm.policy.allowsAnonymous else { throw SignUpRefusal.anonymousNotAllowed }
        guard realm.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        return try await limiter.limitingSignUp(from: context.network, in: realm) {
            let factor = FirstFactor(account: .new, method: .anonymous, secondFactor: .exempt, hook: nil)
            return try await completion.signIn(factor, in: realm, from: context) { session in
                let new = StoredAccount(new: session.account, at: session.openedAt)
                try await store.create(new, opening: session, in: realm.id)
                return OpenedSession(session, of: new.account, isNewAccount: true)
            }
        }
    }
}
