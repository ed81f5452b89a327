/// Redeems and revokes grants (authorization codes and tokens of Apple). Each attempt sends at most one request to
/// Apple. After a crash at any point, another worker continues with the grant.
public struct AppleGrantAttempts: Sendable {
    private let store: any AppleGrantStore
    private let endpoint: AppleTokenEndpoint
    private let credentials: AppleCredentialsLookup
    private let sealing: AppleGrantSealing
    private let backoff: @Sendable (_ attempts: Int, AppleGrant.Purpose) -> Duration
    private let pause: @Sendable () async throws -> Void
    private let chance: @Sendable () -> Double
    private let clock: WallClock

    /// - Parameters:
    ///   - backoff: the delay after a failed attempt.
    ///   - pause: waits before the next attempt to store a token; throws if the process ends.
    ///   - chance: a random number from 0 to 1.
    public init(
        store: any AppleGrantStore, endpoint: AppleTokenEndpoint, credentials: AppleCredentialsLookup,
        sealing: AppleGrantSealing, backoff: @escaping @Sendable (Int, AppleGrant.Purpose) -> Duration,
        pause: @escaping @Sendable () async throws -> Void,
        chance: @escaping @Sendable () -> Double, clock: WallClock
    ) {
        self.store = store
        self.endpoint = endpoint
        self.credentials = credentials
        self.sealing = sealing
        self.backoff = backoff
        self.pause = pause
        self.chance = chance
        self.clock = clock
    }

    public enum Outcome: Hashable, Sendable {
        case redeemed
        case revoked
        case postponed(until: Instant, reason: String)
        case givenUp(reason: String)
        /// The database failed, or the process is shutting down. A worker tries the grant again when the lease of this
        /// worker has expired.
        case interrupted(cause: String)
    }

    /// Performs the operation ``AppleGrant/purpose`` of a grant that the caller has claimed.
    public func attempt(_ grant: AppleGrant) async -> Outcome {
        do {
            if let end = grant.expiresAt, clock.now() >= end {
                return try await giveUp(grant, because: "the time for attempts has expired")
            }
            let client: AppleClientCredentials
            do {
                client = try await credentials.required(grant.client)
            } catch let fault as AppleKeyFault {
                return try await retry(grant, because: fault.reason, isConfigurationFault: true)
            }
            guard let token = sealing.token(of: grant) else {
                return try await retry(grant, because: "the token cannot be decrypted")
            }
            return switch (grant.purpose, grant.tokenType) {
            case (.redeem, .code): try await redeem(grant, token, client)
            case (.redeem, _): try await storeExchangedToken(of: grant, obtainedWith: client.key)
            case (.revoke, _): try await revoke(grant, token, client)
            }
        } catch {
            return .interrupted(cause: "\(error)")
        }
    }

    private func redeem(
        _ grant: AppleGrant, _ token: Secret, _ client: AppleClientCredentials
    ) async throws -> Outcome {
        let exchange = try await endpoint.exchange(
            AuthorizationCode(code: token, redirectURI: grant.redirectURI), client)
        switch (CodeExchangeDecision(exchange, for: grant.subject), exchange) {
        case (.keep, .tokens(let tokens)):
            try await storeNewToken(
                try sealing.seal(tokens.refreshToken, grant.id), of: grant, obtainedWith: client.key)
            return .redeemed
        case (.giveUp(let reason), .rejected) where grant.attempts > 1:
            // The worker of an earlier attempt may have exchanged the code, and may still store the token.
            return try await postpone(grant, until: grant.expiresAt ?? clock.now(), because: reason)
        case (.giveUp(let reason), _): return try await giveUp(grant, because: reason)
        case (.retry(let reason), _): return try await retry(grant, because: reason)
        // Does not occur, because only tokens are kept.
        case (.keep, .rejected), (.keep, .unavailable):
            return try await retry(grant, because: "\(exchange.response)")
        }
    }

    /// Apple accepts a code once, so a token that is not stored is lost. If the database is unavailable, this function
    /// tries to store the token again until the time at which the code would have expired.
    private func storeNewToken(_ token: [UInt8], of grant: AppleGrant, obtainedWith key: AppleKeyName) async throws {
        while true {
            do {
                return try await storeToken(token, of: grant, obtainedWith: key)
            } catch let error as StoreUnavailable {
                guard let end = grant.expiresAt, clock.now() < end else { throw error }
                try await pause()
            }
        }
    }

    private func storeToken(_ token: [UInt8], of grant: AppleGrant, obtainedWith key: AppleKeyName) async throws {
        let now = clock.now()
        try await store.storeRefreshToken(
            grant, token: token, obtainedWith: key, firstCheck: AppleGrant.firstCheck(after: now, chance: chance()),
            at: now)
    }

    /// Finishes a grant of a sign-in in the browser. Its code was exchanged before the sign-in, and its refresh token
    /// is stored already, so an interruption loses nothing.
    private func storeExchangedToken(of grant: AppleGrant, obtainedWith key: AppleKeyName) async throws -> Outcome {
        try await storeToken(grant.token, of: grant, obtainedWith: key)
        return .redeemed
    }

    private func revoke(
        _ grant: AppleGrant, _ token: Secret, _ client: AppleClientCredentials
    ) async throws -> Outcome {
        let response = try await endpoint.revoke(token, grant.tokenType, client)
        guard response == .accepted else {
            return try await retry(grant, because: "\(response)", isConfigurationFault: response.isConfigurationFault)
        }
        try await store.remove(grant)
        return .revoked
    }

    /// - Parameter isConfigurationFault: whether an attempt with any other token of the client ID would fail too.
    private func retry(
        _ grant: AppleGrant, because reason: String, isConfigurationFault: Bool = false
    ) async throws -> Outcome {
        let now = clock.now()
        let due = now + backoff(grant.attempts, grant.purpose)
        if isConfigurationFault, grant.purpose == .revoke {
            try await store.postponeRevocations(withClientOf: grant, until: due, failure: reason, at: now)
        }
        guard let end = grant.expiresAt, due < end else { return try await giveUp(grant, because: reason) }
        return try await postpone(grant, until: due, because: reason)
    }

    private func postpone(_ grant: AppleGrant, until due: Instant, because reason: String) async throws -> Outcome {
        try await store.postpone(grant, until: due, failure: reason)
        return .postponed(until: due, reason: reason)
    }

    private func giveUp(_ grant: AppleGrant, because reason: String) async throws -> Outcome {
        try await store.remove(grant)
        return .givenUp(reason: reason)
    }
}

/// Finds the credentials with which a client ID authenticates to Apple.
public struct AppleCredentialsLookup: Sendable {
    /// - Returns: `nil` if the realm has no private key for Apple.
    /// - Throws: ``AppleKeyFault``, ``StoreUnavailable``.
    public var find: @Sendable (AppleClientReference) async throws -> AppleClientCredentials?

    public init(find: @escaping @Sendable (AppleClientReference) async throws -> AppleClientCredentials?) {
        self.find = find
    }
}

extension AppleCredentialsLookup {
    func required(_ client: AppleClientReference) async throws -> AppleClientCredentials {
        guard let found = try await find(client) else { throw AppleKeyFault.missing }
        return found
    }
}

/// Why the gateway cannot authenticate to Apple.
public enum AppleKeyFault: Error {
    case missing
    case unreadable

    public var reason: String {
        switch self {
        case .missing: "no private key for Apple is configured"
        case .unreadable: "the private key for Apple cannot be decrypted"
        }
    }
}
