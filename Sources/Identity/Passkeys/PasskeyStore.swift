/// Stores passkeys. Every call is one statement or one transaction, and stores its audit events. Every call may throw
/// ``StoreUnavailable``.
public protocol PasskeyStore: Sendable {
    /// The passkey with this credential ID in any realm that shares the RP ID.
    func passkey(_ id: ID<Passkey>, rpID: String) async throws -> FoundPasskey?

    /// Adds a passkey to the account of `caller`, and replaces the caller's session.
    ///
    /// - Returns: the account after the change.
    /// - Throws: ``StoreConflict/stale`` if the session has ended or the account is disabled;
    ///   ``PasskeyRefusal/exists``, ``PasskeyRefusal/limitExceeded``, ``PasskeyRefusal/challengeExpired``.
    func add(_ addition: PasskeyAddition, by caller: Session, in realm: ID<Realm>) async throws -> Account

    /// Changes the name of a passkey of the account of `caller`.
    ///
    /// - Returns: `false` if the session has ended, or the account does not have the passkey.
    func rename(_ passkey: ID<Passkey>, to name: String, by caller: Session, in realm: ID<Realm>) async throws -> Bool

    /// Opens a session of the account that has the passkey, and records the sign-in.
    ///
    /// - Throws: ``StoreConflict/stale`` if the account is disabled, has another generation than the session, or has
    ///   lost the passkey; ``StoreConflict/alreadyUsed`` if the challenge was used before.
    func signIn(_ use: PasskeyUse, opening session: NewSession, in realm: ID<Realm>) async throws

    /// Creates an account with a passkey, and opens its first session.
    ///
    /// - Throws: ``StoreConflict/taken(_:)``; ``PasskeyRefusal/exists``, ``PasskeyRefusal/challengeExpired``.
    func create(_ account: StoredAccount, with first: FirstPasskey, in realm: ID<Realm>) async throws
}

/// A passkey as it is stored, with its account.
public struct FoundPasskey: Sendable {
    public let realm: ID<Realm>
    public let account: Account
    public let passkey: NewPasskey

    public init(realm: ID<Realm>, account: Account, passkey: NewPasskey) {
        self.realm = realm
        self.account = account
        self.passkey = passkey
    }
}

/// A verified sign-in with a passkey.
public struct PasskeyUse: Sendable {
    public let passkey: Passkey
    /// The challenge, which is consumed.
    public let challenge: ReplayKey
    public let signCount: Int64
    public let isBackedUp: Bool
    /// The event that the authenticator's counter failed; usually none.
    public let events: [AccountEvent]
    public let recording: EventRecording

    public init(
        of found: FoundPasskey, _ authenticated: PasskeyVerifier.Authenticated, challenge: ReplayKey,
        recording: EventRecording
    ) {
        passkey = found.passkey.passkey
        self.challenge = challenge
        signCount = authenticated.signCount
        isBackedUp = authenticated.isBackedUp
        events =
            authenticated.counterFailed
            ? [AccountEvent(.passkeyCounterFailed(passkey.id), of: found.account.id)] : []
        self.recording = recording
    }
}

/// The passkey of a new account.
public struct FirstPasskey: Sendable {
    public let passkey: NewPasskey
    /// The challenge, which is consumed.
    public let challenge: ReplayKey
    /// The account's first session.
    public let session: NewSession
    public let events: [AccountEvent]
    public let recording: EventRecording

    public init(
        _ passkey: NewPasskey, challenge: ReplayKey, opening session: NewSession, recording: EventRecording
    ) {
        self.passkey = passkey
        self.challenge = challenge
        self.session = session
        events = [AccountEvent(.passkeyAdded(passkey.passkey.id), of: session.account)]
        self.recording = recording
    }
}

/// A passkey to be added to the caller's account.
public struct PasskeyAddition: Sendable {
    public let passkey: NewPasskey
    /// The challenge, which is consumed.
    public let challenge: ReplayKey
    /// The session that replaces the caller's.
    public let session: NewSession
    public let emailBatch: EmailBatch
    public let recording: EventRecording

    public init(
        _ passkey: NewPasskey, challenge: ReplayKey, opening session: NewSession, sending emailBatch: EmailBatch,
        recording: EventRecording
    ) {
        self.passkey = passkey
        self.challenge = challenge
        self.session = session
        self.emailBatch = emailBatch
        self.recording = recording
    }

    public func event(of account: ID<Account>) -> AccountEvent {
        AccountEvent(.passkeyAdded(passkey.passkey.id), of: account)
    }
}
