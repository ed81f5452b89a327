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
        let now = clock.now()
        let (notification, realms) = try await accepted(text, from: context, at: now)
        guard let transaction = notification.rescinded else { return .unknownType }
        let key = ReplayKey(
            hash: notification.idHash, expiresAt: notification.signedAt + AppStoreNotification.replayKeyLifetime)
        var outcome = Outcome.repeated
        for id in realms {
            guard let realm = try await findRealm(id) else { continue }
            let rescission = ConsentRescission(
                of: transaction, signedAt: notification.signedAt, once: key, effect: realm.policy.rescindedConsent,
                recording: realm.recording(by: .system.tracing(context.trace)))
            if try await store.apply(rescission, at: now, in: id) { outcome = .applied }
        }
        return outcome
    }

    /// - Returns: the notification, with the realms that have its app.
    private func accepted(
        _ text: () throws -> String, from context: RequestContext, at now: Instant
    ) async throws -> (AppStoreNotification, [ID<Realm>]) {
        try await limiter.countingRejections(from: context.network) {
            $0 is any Refusal
        } _: {
            let notification = try verifier.notification(try text(), now)
            guard notification.signedAt > now - AppStoreNotification.acceptedAge else { throw AppStoreRefusal.time }
            guard let transaction = notification.rescinded else { return (notification, []) }
            let realms = try await store.realms(ofApp: transaction.bundleID)
            guard !realms.isEmpty else { throw AppStoreRefusal.unknownApp }
            return (notification, realms)
        }
    }

    /// Stores that the caller's account was used with an app transaction.
    ///
    /// - Throws: ``TokenRefusal/sessionEnded`` if a parent has withdrawn consent after the App Store signed the
    ///   transaction. The account then has the effect of the withdrawal.
    public func set(_ text: String, of caller: Caller, in realm: Realm, from context: RequestContext) async throws {
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        let now = clock.now()
        let transaction = try verifier.transaction(text, now)
        guard try await store.realms(ofApp: transaction.bundleID).contains(realm.id) else {
            throw AppStoreRefusal.unknownApp
        }
        let isRescinded = try await store.save(
            transaction, of: caller.account.id, effect: realm.policy.rescindedConsent,
            recording: realm.recording(by: .system.tracing(context.trace)), at: now, in: realm.id)
        if isRescinded { throw TokenRefusal.sessionEnded }
    }
}

public protocol AppStoreStore: Sendable {
    /// The realms that list the bundle ID in an app, or as a client ID of `apple.com`.
    func realms(ofApp bundleID: String) async throws -> [ID<Realm>]

    /// Keeps the latest transactions of an account, at most ``transactionLimit``. If consent was withdrawn after the
    /// App Store had signed `transaction`, applies the effect to the account.
    ///
    /// - Returns: whether consent was withdrawn.
    func save(
        _ transaction: AppTransaction, of account: ID<Account>, effect: RescissionEffect, recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool

    /// Remembers the rescission, and applies its effect to the accounts that were used with the transaction. A project
    /// records an event without account if there is none.
    ///
    /// - Returns: `false` if the realm has received the notification before.
    func apply(_ rescission: ConsentRescission, at now: Instant, in realm: ID<Realm>) async throws -> Bool
}

extension AppStoreStore {
    public var transactionLimit: Int { 10 }
}
