/// Attempts to redeem and to revoke grants. Each attempt is one request to Apple; a crash at any point leaves the grant to
/// another worker.
public struct AppleGrantAttempts: Sendable {
    private let store: any AppleGrantStore
    private let endpoint: AppleTokenEndpoint
    private let credentials: AppleCredentialsLookup
    private let sealing: AppleGrantSealing
    private let backoff: @Sendable (_ attempts: Int, AppleGrant.State) -> Duration
    private let chance: @Sendable () -> Double
    private let clock: WallClock

    /// - Parameters:
    ///   - backoff: the delay after a failed attempt.
    ///   - chance: a random number from 0 to 1.
    public init(
        store: any AppleGrantStore, endpoint: AppleTokenEndpoint, credentials: AppleCredentialsLookup,
        sealing: AppleGrantSealing, backoff: @escaping @Sendable (Int, AppleGrant.State) -> Duration,
        chance: @escaping @Sendable () -> Double, clock: WallClock
    ) {
        self.store = store
        self.endpoint = endpoint
        self.credentials = credentials
        self.sealing = sealing
        self.backoff = backoff
        self.chance = chance
        self.clock = clock
    }

    public enum Outcome: Hashable, Sendable {
        case redeemed
        case revoked
        case postponed(until: Instant, reason: String)
        case givenUp(reason: String)
        /// The database failed. The grant is tried again after its lease.
        case interrupted
    }

    public func attempt(_ grant: AppleGrant) async -> Outcome {
        do {
            return switch (grant.tokenType, grant.state) {
            case (.code, _): try await redeem(grant)
            case (.refreshToken, .redeeming): try await keep(grant)
            case (.refreshToken, _), (.accessToken, _): try await revoke(grant)
            }
        } catch {
            return .interrupted
        }
    }

    private func redeem(_ grant: AppleGrant) async throws -> Outcome {
        guard let (client, token) = try await prepared(grant) else {
            return try await retry(grant, because: "no usable private key")
        }
        let code = AuthorizationCode(code: token, redirectURI: grant.redirectURI)
        let exchange = try await endpoint.exchange(code, client)
        switch (RedemptionDecision(exchange, for: grant.subject), exchange) {
        case (.keep, .tokens(let tokens)):
            let now = clock.now()
            try await store.keep(
                grant, token: sealing.seal(tokens.refreshToken, grant.id), obtainedWith: client.key,
                firstCheck: AppleGrant.firstCheck(after: now, chance: chance()), at: now)
            return .redeemed
        case (.giveUp(let reason), _): return try await giveUp(grant, because: reason)
        case (.retry(let reason), _): return try await retry(grant, because: reason)
        case (.keep, .failed(let answer)): return try await retry(grant, because: "\(answer)")
        }
    }

    /// The code of a sign-in in the browser was exchanged before the sign-in.
    private func keep(_ grant: AppleGrant) async throws -> Outcome {
        guard let client = try await credentials.find(grant.client) else {
            return try await retry(grant, because: "no usable private key")
        }
        let now = clock.now()
        try await store.keep(
            grant, token: grant.token, obtainedWith: client.key,
            firstCheck: AppleGrant.firstCheck(after: now, chance: chance()), at: now)
        return .redeemed
    }

    private func revoke(_ grant: AppleGrant) async throws -> Outcome {
        guard let (client, token) = try await prepared(grant) else {
            return try await retry(grant, because: "no usable private key")
        }
        let answer = try await endpoint.revoke(token, grant.tokenType, client)
        guard answer == .accepted else { return try await retry(grant, because: "\(answer)") }
        try await store.remove(grant)
        return .revoked
    }

    /// - Returns: `nil` without a private key, or if the token cannot be decrypted.
    private func prepared(_ grant: AppleGrant) async throws -> (AppleClientCredentials, Secret)? {
        guard let client = try await credentials.find(grant.client) else { return nil }
        do {
            return (client, try sealing.open(grant.token, grant.id))
        } catch {
            return nil
        }
    }

    private func retry(_ grant: AppleGrant, because reason: String) async throws -> Outcome {
        let due = clock.now() + backoff(grant.attempts, grant.state)
        guard let end = grant.expiresAt, due < end else { return try await giveUp(grant, because: reason) }
        try await store.postpone(grant.id, until: due, failure: reason)
        return .postponed(until: due, reason: reason)
    }

    private func giveUp(_ grant: AppleGrant, because reason: String) async throws -> Outcome {
        try await store.remove(grant)
        return .givenUp(reason: reason)
    }
}

/// Finds what authenticates a client ID to Apple.
public struct AppleCredentialsLookup: Sendable {
    /// - Returns: `nil` if the realm has no private key for Apple.
    public var find: @Sendable (AppleClientKey) async throws -> AppleClientCredentials?

    public init(find: @escaping @Sendable (AppleClientKey) async throws -> AppleClientCredentials?) {
        self.find = find
    }
}
