/// What the uses of a proven identity of a provider need: sign-in, linking and merging.
public struct FederationServices: Sendable {
    let completion: SignInCompletion
    let store: any FederationStore
    let authenticator: Authenticator
    let resolver: ProofResolver
    let sealedTokens: any SealedTokens
    let emailFactory: EmailFactory
    let limiter: RateLimiter
    let clock: WallClock

    public init(
        completion: SignInCompletion, store: any FederationStore, authenticator: Authenticator,
        resolver: ProofResolver, sealedTokens: any SealedTokens, emailFactory: EmailFactory, limiter: RateLimiter,
        clock: WallClock
    ) {
        self.completion = completion
        self.store = store
        self.authenticator = authenticator
        self.resolver = resolver
        self.sealedTokens = sealedTokens
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }
}
