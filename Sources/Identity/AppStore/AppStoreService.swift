/// Receives the App Store's notifications, and stores the app transactions that apps report for their users.
///
/// Throws ``AppStoreRefusal``, ``TooManyAttempts`` and ``StoreUnavailable``; the App Store repeats a notification after
/// the last.
public struct AppStoreService: Sendable {
    private let store: any AppStoreStore
    private let verifier: AppStoreVerifier
    private let findRealm: @Sendable (ID<Realm>) async throws -> Realm?
    private let limiter: RateLimiter
    private let clock: WallClock

    public init(
        store: any AppStoreStore, verifier: AppStoreVerifier,
        findRealm: @escaping @Sendable (ID<Realm>) async throws -> Realm?, limiter: RateLimiter, clock: WallClock
    ) {
        self.store = store
        self.verifier = verifier
        self.findRealm = findRealm
        self.limiter = limiter
        self.clock = clock
    }

    /// The outcome of a notification. The raw value is the label `outcome` of `sekisho_app_store_notifications_total`.
    public enum Outcome: String, Hashable, CaseIterable, Sendable {
        case applied
        /// Each realm has received the notification before.
        case repeated
        case unknownType = "unknown_type"
    }

    /// Applies a notification in every realm that has the app. When this function returns, all effects are stored.
    ///
    /// - Parameter text: decodes the signed text from the body of the request.
    public func receive(from context: RequestContext, decoding text: () throws -> String) async throws -> Outcome {
        try limiter.countNotification(from: context.network)
        let now = clock.now()
        let notification = try verifier.notification(try text(), now)
        guard notification.signedAt > now - AppStoreNotification.acceptedAge else { throw AppStoreRefusal.time }
        guard let transaction = notification.rescinded else {
            limiter.subtractNotification(from: context.network)
            return .unknownType
        }
        let realms = try await store.realms(ofApp: transaction.bundleID)
        guard !realms.isEmpty else { throw AppStoreRefusal.unknownApp }
        limiter.subtractNotification(from: context.network)
        let key = ReplayKey(
            hash: notification.idHash, expiresAt: notification.signedAt + AppStoreNotification.replayKeyLifetime)
        var outcome = Outcome.repeated
        for id in realms {
            guard let realm = try await findRealm(id) else { continue }
            let recording = realm.recording(by: .system.tracing(context.trace))
            if try await store.rescind(transaction, once: key, recording: recording, at: now, in: id) {
                outcome = .applied
            }
        }
        return outcome
    }

    /// Stores that the caller's account was used with an app transaction.
    public func set(_ text: String, of caller: Caller, in realm: Realm) async throws {
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        let transaction = try verifier.transaction(text, clock.now())
        guard try await store.realms(ofApp: transaction.bundleID).contains(realm.id) else {
            throw AppStoreRefusal.unknownApp
        }
        try await store.save(transaction, of: caller.account.id, at: clock.now(), in: realm.id)
    }
}

public protocol AppStoreStore: Sendable {
    /// The realms that list the bundle ID in an app, or as a client ID of `apple.com`.
    func realms(ofApp bundleID: String) async throws -> [ID<Realm>]

    /// Keeps the latest transactions of an account, at most ``transactionLimit``.
    func save(_ transaction: AppTransaction, of account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws

    /// Ends all sessions of the accounts that were used with the transaction, and records the events. A project records
    /// an event without account if there is none.
    ///
    /// - Returns: `false` if the realm has received the notification before.
    func rescind(
        _ transaction: AppTransaction, once key: ReplayKey, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Bool
}

extension AppStoreStore {
    public var transactionLimit: Int { 10 }
}
