/// Receives Google's security event tokens. Any client can send one, so everything before the signature check is cheap,
/// and the number of rejected tokens from one client network is limited.
///
/// Throws ``GoogleSignalRefusal``, ``TooManyAttempts``, ``ProviderUnreachable`` while Google's keys cannot be fetched,
/// and ``StoreUnavailable``. Google sends the token again after the last two.
public struct GoogleSignalService: Sendable {
    private let store: any GoogleSignalStore
    private let verifier: GoogleSignalVerifier
    private let findRealm: @Sendable (ID<Realm>) async throws -> Realm?
    private let limiter: RateLimiter
    private let clock: WallClock

    /// - Parameter findRealm: returns the realm with an ID; `nil` if it does not exist.
    public init(
        store: any GoogleSignalStore, verifier: GoogleSignalVerifier,
        findRealm: @escaping @Sendable (ID<Realm>) async throws -> Realm?, limiter: RateLimiter, clock: WallClock
    ) {
        self.store = store
        self.verifier = verifier
        self.findRealm = findRealm
        self.limiter = limiter
        self.clock = clock
    }

    /// The outcome of a token. The raw value is the label `outcome` of `sekisho_google_signals_total`.
    public enum Outcome: String, Hashable, CaseIterable, Sendable {
        /// Some account has the identity.
        case applied
        /// No account has the identity, or the token names no user.
        case noAccount = "no_account"
        /// Each realm has received the token before.
        case repeated
    }

    /// Applies the token in every realm that has one of its audiences as a client ID. When this function returns, all
    /// effects are stored. If the process is killed before, Google sends the token again, and realms that have applied
    /// it skip it.
    public func receive(_ token: String, from context: RequestContext) async throws -> Outcome {
        let (verified, realms) = try await accepted(token, from: context)
        let now = clock.now()
        let key = ReplayKey(hash: verified.idHash, expiresAt: now + GoogleSecurityToken.replayKeyLifetime)
        var outcome = Outcome.repeated
        for id in realms {
            guard let realm = try await findRealm(id) else { continue }
            let recording = realm.recording(by: .system.tracing(context.trace))
            guard
                let accounts = try await store.apply(
                    verified, once: key, recording: recording, at: now, in: id)
            else { continue }
            outcome = accounts > 0 || outcome == .applied ? .applied : .noAccount
        }
        return outcome
    }

    /// Verifies the signature before it looks up the audiences. Google's own tokens do not count as rejected while its
    /// keys or the database cannot be reached.
    private func accepted(
        _ token: String, from context: RequestContext
    ) async throws -> (GoogleSecurityToken, [ID<Realm>]) {
        try await limiter.countingRejections(from: context.network) {
            $0 is GoogleSignalRefusal
        } _: {
            let verified = try await verifier.verify(token, clock.now())
            let realms = try await store.realms(ofGoogleClients: verified.audiences)
            guard !realms.isEmpty else { throw GoogleSignalRefusal.audience }
            return (verified, realms)
        }
    }
}

/// Applies Google's signals. Every call is one statement or one transaction, and may throw ``StoreUnavailable``.
public protocol GoogleSignalStore: Sendable {
    /// The realms that list one of these client IDs for `google.com`, in the settings of the provider or of an app.
    func realms(ofGoogleClients clientIDs: [String]) async throws -> [ID<Realm>]

    /// Applies the effects of the token's signals to the accounts that have the identities, and records their events.
    ///
    /// - Returns: the number of affected accounts; `nil` if the realm has received the token before.
    func apply(
        _ token: GoogleSecurityToken, once key: ReplayKey, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Int?
}
