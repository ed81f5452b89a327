/// Applies Apple's notifications. Every call is one statement or one transaction, and may throw ``StoreUnavailable``.
public protocol AppleNotificationStore: Sendable {
    /// The realms that list this client ID for `apple.com`, in the settings of the provider or of an app.
    ///
    /// - Parameter project: only this project and its tenants; `nil` for all.
    func realms(ofClient clientID: String, in project: ID<Project>?) async throws -> [ID<Realm>]

    /// - Returns: `nil` if no account has the identity.
    func facts(about event: AppleEvent, in realm: ID<Realm>) async throws -> AppleEventFacts?

    /// Applies a decision, and invalidates the identity tokens from before the event if ``AppleEvent/voidsCredentials``
    /// is true.
    ///
    /// - Throws: ``StoreConflict/stale`` if the facts have changed; ``StoreConflict/alreadyUsed`` if the event was
    ///   applied before.
    func apply(_ commit: AppleEventCommit, in realm: ID<Realm>) async throws
}

/// An event with the decision about it, and everything needed to apply it.
public struct AppleEventCommit: Hashable, Sendable {
    public let event: AppleEvent
    /// `nil` if no account has the identity; then ``decision`` is `nil` too.
    public let facts: AppleEventFacts?
    public let decision: AppleEventDecision?
    public let events: [AccountEvent]
    public let recording: EventRecording
    public let emailBatch: EmailBatch
    /// Whether the account has no sign-in method left.
    public let leavesNoSignInMethod: Bool
}
