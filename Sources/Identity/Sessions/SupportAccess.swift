/// The access of an administrator to a user's account, to help the user. A session with it reads the account, ends soon
/// and cannot be renewed. The gateway accepts no change of the account from it; see ``Authenticator``.
public struct SupportAccess: Hashable, Sendable {
    /// How long the session lasts.
    public static let lifetime: Duration = .seconds(30 * 60)
    /// How long the code is accepted for which an app gets the session.
    public static let codeLifetime: Duration = .seconds(5 * 60)
    /// The minimum age of the `auth_time` of a session. Backends, such as those that make session cookies, accept a
    /// login of the last five minutes for what only the user may do.
    static let minimumLoginAge: Duration = .seconds(5 * 60)

    /// The administrator, with the name that the audit trail has for the actor. ID tokens have it as the claim `act`
    /// (RFC 8693 §4.1).
    public let actor: String
    public let endsAt: Instant

    public init(actor: String, endsAt: Instant) {
        self.actor = actor
        self.endsAt = endsAt
    }
}

extension Session {
    /// When the session ends in any case; `nil` if it can be renewed.
    public var endsAt: Instant? { support?.endsAt }

    /// Whether the time of a session with a fixed end is over.
    func isOver(at now: Instant) -> Bool {
        guard let support else { return false }
        return support.endsAt <= now
    }

    /// The lifetime of an ID token that is issued now.
    public func idTokenLifetime(by policy: Policy, at now: Instant) -> Duration {
        endsAt.map { min($0 - now, policy.idTokenLifetime) } ?? policy.idTokenLifetime
    }
}

/// Issues codes for which an app gets a session with ``SupportAccess``.
///
/// Throws ``SupportRefusal``, ``AdministrationRefusal``, and ``SignInRefusal`` for a disabled account.
public struct SupportAccessCodes: Sendable {
    private let accounts: any AccountStore
    private let store: any SignInCodeStore
    private let emailFactory: EmailFactory
    private let secrets: FlowSecrets
    /// The project whose accounts are the administrators; `nil` if the gateway has no console.
    private let operators: ID<Project>?
    private let clock: WallClock
    private let entropy: Entropy

    public init(
        accounts: any AccountStore, store: any SignInCodeStore,
        emailFactory: EmailFactory, secrets: FlowSecrets, operators: ID<Project>?, clock: WallClock,
        entropy: Entropy
    ) {
        self.accounts = accounts
        self.store = store
        self.emailFactory = emailFactory
        self.secrets = secrets
        self.operators = operators
        self.clock = clock
        self.entropy = entropy
    }

    /// What an administrator asks for.
    public struct Request: Sendable {
        public let account: ID<Account>
        public let app: App
        /// The `continueUri` that the exchange names.
        public let target: AuthorizationTarget
        public let reason: Reason
        /// SHA-256 of the code verifier; `nil` if the gateway makes a verifier.
        public let challenge: [UInt8]?

        public init(
            account: ID<Account>, app: App, target: AuthorizationTarget, reason: Reason, challenge: [UInt8]?
        ) {
            self.account = account
            self.app = app
            self.target = target
            self.reason = reason
            self.challenge = challenge
        }
    }

    /// A code, and what else its exchange needs.
    public struct Issued: Sendable {
        public let code: String
        /// `nil` if the request had a challenge.
        public let verifier: String?
        public let expiresAt: Instant
        /// When the session of the app ends.
        public let accessEndsAt: Instant
    }

    /// Issues a code, records it with the reason in the audit trail, and tells the user unless the policy is silent.
    public func issue(
        _ request: Request, in realm: Realm, by actor: AuditActor, from context: RequestContext
    ) async throws -> Issued {
        guard realm.project.id != operators else { throw SupportRefusal.operatorsAccount }
        guard request.reason.isValid else { throw SupportRefusal.invalidReason }
        guard let account = try await accounts.find([.id(request.account)], in: realm.id).first else {
            throw AdministrationRefusal.accountUnknown
        }
        let now = clock.now()
        let access = SupportAccess(actor: actor.name, endsAt: now + SupportAccess.lifetime)
        let session = try SignInCompletion.supportSession(entropy.sessionID(), with: access, to: account, at: now)
        let (code, verifier) = (secrets.random(), request.challenge == nil ? secrets.random() : nil)
        let new = NewSignInCode(
            hash: secrets.hash(code), flowHash: secrets.hash(secrets.random()), app: request.app.id,
            target: request.target, challenge: request.challenge ?? secrets.hash(verifier ?? ""),
            session: session.session, endsSession: true, isNewAccount: false, isContinued: false, link: nil,
            expiresAt: now + SupportAccess.codeLifetime, keptUntil: access.endsAt)
        let notice =
            realm.policy.notifiesSupportAccess
            ? try emailFactory.notice(.supportAccess, about: account, by: realm.policy, from: context, at: now) : []
        let note = AuditNote(
            .accountImpersonated, account.id,
            ["app": request.app.id.rawValue, "reason": request.reason.text])
        do {
            try await store.issue(
                new, for: session, recording: note, by: actor, sending: EmailBatch(emails: notice), in: realm.id)
        } catch StoreConflict.stale {
            // The account was disabled, deleted or signed out everywhere at the same time.
            throw AdministrationRefusal.accountUnknown
        }
        return Issued(code: code, verifier: verifier, expiresAt: new.expiresAt, accessEndsAt: access.endsAt)
    }
}

/// Why an administrator gets no access to an account.
public enum SupportRefusal: Refusal, Hashable {
    /// The account is an administrator's.
    case operatorsAccount
    case invalidReason
    /// The account was created, or all its sessions ended, so recently that ID tokens would show a recent login.
    case tooEarly(until: Instant)
}

extension SupportRefusal {
    public var code: ErrorCode {
        switch self {
        case .operatorsAccount, .tooEarly: .operationNotAllowed
        case .invalidReason: .invalidArgument
        }
    }

    public var detail: String? {
        switch self {
        case .operatorsAccount: "Administrators cannot sign in as other administrators."
        case .invalidReason: "reason \(Reason.rule)"
        case .tooEarly(let end):
            "The account is new, or all its sessions ended, less than five minutes ago. Try again at \(end.iso8601)."
        }
    }
}
