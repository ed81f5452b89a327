/// A session to open. A store opens no other session, and only ``SignInCompletion`` makes one: `LayeringTests` finds
/// every other use of the initializer.
public struct NewSession: Hashable, Sendable {
    public private(set) var session: Session
    /// Later than ``Session/authenticatedAt`` if the user does not authenticate again.
    public let openedAt: Instant
    /// The hash of the network in which the session is opened, which becomes a known network; see ``NetworkHashing``.
    /// `nil` if the network does not become known.
    public let networkHash: [UInt8]?
    /// When Apple issued the credential that opens the session; `nil` for other methods.
    public let credentialIssuedAt: Instant?
    /// The maximum number of the account's active sessions, including this one; see ``Policy/sessionLimit``. 0 means no
    /// limit; also 0 for a session that is the account's only one.
    public let sessionLimit: Int
    /// The second factor that the sign-in consumes; `nil` if it needs none, and for a caller's change.
    public let secondFactorUse: SecondFactorUse?
    /// How to record the events of a sign-in; `nil` if no listener wants them, and for a caller's change.
    public let recording: EventRecording?
    /// The effects of blocking functions; `nil` if none was called.
    public let hookEffects: HookEffects?

    init(
        toOpen session: Session, at openedAt: Instant, networkHash: [UInt8]?, credentialIssuedAt: Instant?,
        sessionLimit: Int, secondFactorUse: SecondFactorUse? = nil, recording: EventRecording? = nil,
        hookEffects: HookEffects? = nil
    ) {
        self.session = session
        self.openedAt = openedAt
        self.networkHash = networkHash
        self.credentialIssuedAt = credentialIssuedAt
        self.sessionLimit = sessionLimit
        self.secondFactorUse = secondFactorUse
        self.recording = recording
        self.hookEffects = hookEffects
    }
}

extension NewSession {
    public var id: ID<Session> { session.id }

    public var account: ID<Account> { session.account }

    /// Whether the transaction of the sign-in does more than open the session.
    public var hasEffects: Bool { recording != nil || hookEffects != nil }

    /// Whether a blocking function has disabled the account: the store keeps the account, but not this session.
    public var isRefused: Bool { hookEffects?.change?.disables ?? false }

    /// The events of a sign-in that opens this session.
    public func events(isNewAccount: Bool) -> [AccountEvent] {
        let signUp = isNewAccount ? [AccountEvent(.accountSignedUp(by: session.method), of: account)] : []
        return isRefused ? signUp : signUp + [AccountEvent(.sessionOpened(id, by: session.method), of: account)]
    }

    /// The limit that the store enforces when it opens this session; 0 if it does not count the account's sessions.
    ///
    /// Counting makes a sign-in a few percent slower. Therefore, with a limit of 100 or more, only one of sixteen
    /// sign-ins counts the sessions, and then ends all that exceed the limit. The random ID decides which one.
    public var limitToEnforce: Int {
        sessionLimit < 100 || id.rawValue.utf8.first == UInt8(ascii: "0") ? sessionLimit : 0
    }

    /// Returns the same session with the generation of `account`, which the store has read or created.
    public func withGeneration(of account: Account) -> NewSession {
        var copy = self
        copy.session.generation = account.generation
        return copy
    }

    /// Returns the same session with an authentication no earlier than ``Account/validSince``. Admin SDKs reject ID
    /// tokens whose `auth_time` is earlier.
    public func validForBackends(of account: Account) -> NewSession {
        var copy = self
        copy.session.authenticatedAt = max(session.authenticatedAt, account.validSince)
        return copy
    }
}

/// A session that a store has opened, with its account after the sign-in.
public struct OpenedSession: Sendable {
    public let account: Account
    public let session: Session
    public let isNewAccount: Bool
    /// The sign-in before this one, if the sign-in method did not read the account before; `nil` if there is none.
    public let formerSignInAt: Instant?

    public init(
        _ new: NewSession, of account: Account, isNewAccount: Bool = false, formerSignInAt: Instant? = nil
    ) {
        self.account = account
        session = new.session
        self.isNewAccount = isNewAccount
        self.formerSignInAt = formerSignInAt
    }
}
