/// What the services of the domain work with.
public struct Collaborators: Sendable {
    let store: any AccountStore
    let tokens: any TokenAuthority
    let passwords: PasswordHasher
    let breaches: BreachedPasswords
    let outOfBand: OutOfBand
    let limiter: RateLimiter
    let networkHashing: NetworkHashing
    let clock: WallClock
    let entropy: Entropy

    public init(
        store: any AccountStore, tokens: any TokenAuthority, passwords: PasswordHasher, breaches: BreachedPasswords,
        outOfBand: OutOfBand, limiter: RateLimiter, networkHashing: NetworkHashing, clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.tokens = tokens
        self.passwords = passwords
        self.breaches = breaches
        self.outOfBand = outOfBand
        self.limiter = limiter
        self.networkHashing = networkHashing
        self.clock = clock
        self.entropy = entropy
    }
}
