/// What the services of the domain work with.
public struct Collaborators: Sendable {
    let store: any AccountStore
    let tokens: any TokenAuthority
    let passwords: Passwords
    let clock: WallClock
    let entropy: Entropy

    public init(
        store: any AccountStore, tokens: any TokenAuthority, passwords: Passwords, clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.tokens = tokens
        self.passwords = passwords
        self.clock = clock
        self.entropy = entropy
    }
}
