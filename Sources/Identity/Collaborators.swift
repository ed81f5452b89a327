/// What the services of the domain work with.
public struct Collaborators: Sendable {
    let store: any AccountStore
    let tokens: any TokenAuthority
    let passwords: Passwords
    let breaches: Breaches
    let outOfBand: OutOfBand
    let limiter: RateLimiter
    let places: PlaceHashing
    let clock: WallClock
    let entropy: Entropy

    public init(
        store: any AccountStore, tokens: any TokenAuthority, passwords: Passwords, breaches: Breaches,
        outOfBand: OutOfBand, limiter: RateLimiter, places: PlaceHashing, clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.tokens = tokens
        self.passwords = passwords
        self.breaches = breaches
        self.outOfBand = outOfBand
        self.limiter = limiter
        self.places = places
        self.clock = clock
        self.entropy = entropy
    }
}
