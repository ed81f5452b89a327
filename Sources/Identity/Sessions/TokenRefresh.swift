/// Exchanges refresh tokens for new tokens. Throws ``TokenRefusal``.
public struct TokenRefresh: Sendable {
    private let store: any AccountStore
    private let tokens: any TokenAuthority
    private let clock: WallClock
    private let entropy: Entropy
    private let count: @Sendable (CountedEvent, ID<Realm>) -> Void

    public init(
        store: any AccountStore, tokens: any TokenAuthority, clock: WallClock, entropy: Entropy,
        count: @escaping @Sendable (CountedEvent, ID<Realm>) -> Void
    ) {
        self.store = store
        self.tokens = tokens
        self.clock = clock
        self.entropy = entropy
        self.count = count
    }

    /// Exchanges a refresh token by the rules of ``Rotation``.
    ///
    /// - Parameter resumptionKey: the key that the client generated for the request that replaced its session. With it,
    ///   a refresh token of the replaced session returns the tokens of the new session.
    public func refresh(
        _ refreshToken: String, resumptionKey: ResumptionKey? = nil, in realm: Realm
    ) async throws -> SignedIn {
        let contents = try await tokens.read(refreshToken: refreshToken, in: realm)
        do {
            return try await refresh(contents, in: realm)
        } catch TokenRefusal.sessionEnded {
            guard let resumptionKey else { throw TokenRefusal.sessionEnded }
            let successor = entropy.successorID(contents.session, resumptionKey)
            guard try await store.isResumable(successor, in: realm.id) else { throw TokenRefusal.sessionEnded }
            return try await refresh(RefreshTokenContents(session: successor, counter: 0), in: realm)
        }
    }

    private func refresh(_ contents: RefreshTokenContents, in realm: Realm) async throws -> SignedIn {
        let now = clock.now()
        switch try await store.rotate(contents, by: realm.policy, at: now, in: realm.id) {
        case .continues(let session, let account, let counter, let accountIsFirstSeen):
            // A session with support access is never renewed.
            guard session.support == nil else { throw TokenRefusal.sessionEnded }
            if accountIsFirstSeen { count(.activeAccount, realm.id) }
            return try await tokens.issueTokenPair(for: session, of: account, counter: counter, in: realm, at: now)
        case .stolen: throw TokenRefusal.refreshTokenStolen
        // SDKs sign the user out on TOKEN_EXPIRED, but not on INVALID_REFRESH_TOKEN. Therefore a token of a session
        // that no longer exists gets TOKEN_EXPIRED too.
        case .ended, .removed: throw TokenRefusal.sessionEnded
        case .accountDisabled: throw TokenRefusal.accountDisabled
        }
    }
}

/// A secret that a client generates before a request that replaces the client's session.
///
/// If the response with the new tokens is lost, the client sends a refresh token of the former session with the key,
/// and gets tokens of the new session. Without the key, the refresh token is rejected. An attacker who has copied the
/// refresh token therefore gets no tokens after a change of password.
public struct ResumptionKey: Sendable {
    public let secret: Secret

    /// - Returns: `nil` unless the text is 22 to 128 characters of base64url: at least 128 random bits.
    public init?(_ text: String) {
        guard text.wholeMatch(of: /[A-Za-z0-9_-]{22,128}/) != nil else { return nil }
        secret = Secret(text)
    }
}
