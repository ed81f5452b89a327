/// Receives Apple's notifications. Any client can send one, so everything before the signature check is cheap, and the
/// number of rejected notifications from one client network is limited.
///
/// Throws ``AppleNotificationRefusal``, ``TooManyAttempts``, and ``ProviderUnreachable`` while Apple's keys cannot be
/// fetched, so that Apple can send the notification again.
public struct AppleNotificationService: Sendable {
    private let store: any AppleNotificationStore
    private let verifier: AppleNotificationVerifier
    private let findRealm: @Sendable (ID<Realm>) async throws -> Realm?
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let clock: WallClock

    /// - Parameter findRealm: returns the realm with an ID; `nil` if it does not exist.
    public init(
        store: any AppleNotificationStore, verifier: AppleNotificationVerifier,
        findRealm: @escaping @Sendable (ID<Realm>) async throws -> Realm?, emailFactory: EmailFactory,
        limiter: RateLimiter,
        clock: WallClock
    ) {
        self.store = store
        self.verifier = verifier
        self.findRealm = findRealm
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }

    /// The outcome of a notification. The raw value is the label `outcome` of `sekisho_apple_notifications_total`.
    public enum Outcome: String, Hashable, CaseIterable, Sendable {
        case applied
        /// The notification changed nothing, because each realm has applied its event before or was deleted.
        case repeated
        case unknownType = "unknown_type"
    }

    public struct Receipt: Hashable, Sendable {
        public let outcome: Outcome
        /// Accounts that have no sign-in method left.
        public fileprivate(set) var accountsWithoutSignInMethod: [ID<Account>] = []
    }

    /// - Parameters:
    ///   - pathProject: the project in the path; `nil` if the path has none.
    ///   - payload: decodes the notification from the body of the request. A body that cannot be decoded stays counted
    ///     as a rejected notification.
    public func receive(
        in pathProject: ID<Project>?, from context: RequestContext, decoding payload: () throws -> String
    ) async throws -> Receipt {
        let (notification, realms) = try await accepted(payload, in: pathProject, from: context)
        guard let event = notification.event(receivedAt: clock.now()) else { return Receipt(outcome: .unknownType) }
        var receipt = Receipt(outcome: .repeated)
        for id in realms {
            guard let commit = try await apply(event, in: id, from: context) else { continue }
            let affected = commit.leavesNoSignInMethod ? commit.facts?.account.id : nil
            receipt = Receipt(
                outcome: .applied,
                accountsWithoutSignInMethod: receipt.accountsWithoutSignInMethod + [affected].compactMap(\.self))
        }
        return receipt
    }

    /// Verifies the signature before it looks up the projects. If Apple's keys cannot be fetched, the notification
    /// stays counted as rejected, because its sender is unknown.
    private func accepted(
        _ payload: () throws -> String, in pathProject: ID<Project>?, from context: RequestContext
    ) async throws -> (AppleNotification, [ID<Realm>]) {
        try await limiter.countingRejections(
            from: context.network
        ) {
            $0 is any Refusal || $0 is ProviderUnreachable
        } _: {
            let payload = try payload()
            do {
                let notification = try await verifier.verify(payload, clock.now())
                try notification.requireTimely(at: clock.now())
                let realms = try await store.realms(ofClient: notification.audience, in: pathProject)
                guard !realms.isEmpty else { throw AppleNotificationRefusal.audience }
                return (notification, realms)
            } catch let refusal as ProviderRefusal {
                throw AppleNotificationRefusal(refusal)
            }
        }
    }

    /// - Returns: `nil` if the event was applied before, or if the realm was deleted.
    private func apply(
        _ event: AppleEvent, in id: ID<Realm>, from context: RequestContext
    ) async throws -> AppleEventCommit? {
        guard let realm = try await findRealm(id) else { return nil }
        do {
            return try await retryingConflicts { _ in
                let facts = try await store.facts(about: event, in: id)
                let commit = try makeCommit(event, facts, in: realm, from: context)
                try await store.apply(commit, in: id)
                return commit
            }
        } catch StoreConflict.alreadyUsed {
            return nil
        }
    }

    private func makeCommit(
        _ event: AppleEvent, _ facts: AppleEventFacts?, in realm: Realm, from context: RequestContext
    ) throws -> AppleEventCommit {
        let decision = facts.map { AppleEventDecision(event, $0) }
        let linkOnly = realm.linkOnlyProviders
        var emails: [OutgoingEmail] = []
        if case .unlink(let remaining) = decision?.change {
            emails = try emailFactory.notice(
                .identityUnlinked, about: remaining, EmailPayload(provider: .apple), by: realm.policy, from: context,
                at: event.receivedAt)
        }
        return AppleEventCommit(
            event: event, facts: facts, decision: decision,
            events: facts.flatMap { facts in
                decision.map { $0.events(about: facts.account.id, ofClient: event.clientID, ignoring: linkOnly) }
            } ?? [],
            recording: realm.recording(by: .system.tracing(context.trace)), emailBatch: EmailBatch(emails: emails),
            leavesNoSignInMethod: decision?.leavesNoSignInMethod(ignoring: linkOnly) ?? false)
    }
}
