internal import Encoding

/// Sign-in with a telephone number, which a code or a temporary proof proves.
///
/// Throws ``PhoneRefusal``, ``SignInRefusal``, ``SignUpRefusal``, ``TokenRefusal``, ``EditRefusal`` and
/// ``TooManyAttempts``.
public struct PhoneMethod: Sendable {
    private let completion: SignInCompletion
    private let codes: PhoneCodes
    private let accounts: any AccountStore
    private let store: any PhoneStore
    private let authenticator: Authenticator
    private let sealedTokens: any SealedTokens
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let clock: WallClock

    public init(
        completion: SignInCompletion, codes: PhoneCodes, accounts: any AccountStore, store: any PhoneStore,
        authenticator: Authenticator, sealedTokens: any SealedTokens, emailFactory: EmailFactory, limiter: RateLimiter,
        clock: WallClock
    ) {
        self.completion = completion
        self.codes = codes
        self.accounts = accounts
        self.store = store
        self.authenticator = authenticator
        self.sealedTokens = sealedTokens
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }

    /// What the client intends: the wire's `operation`.
    public enum Operation: Sendable {
        /// Links with an ID token, otherwise signs in or up.
        case unspecified
        case signIn
        case reauthenticate
        /// Adds a number to an account that has none.
        case link
        /// Adds or replaces the number.
        case update
    }

    /// A requested sign-in, unchecked.
    public struct Request: Sendable {
        public var sessionInfo: String?
        public var code: Secret?
        public var temporaryProof: String?
        public var phoneNumber: String?
        public var idToken: String?
        public var operation: Operation
        /// Whether the user is the number's new holder, and not the owner of the account that has it.
        public var takesOver: Bool

        public init(
            sessionInfo: String?, code: Secret?, temporaryProof: String?, phoneNumber: String?, idToken: String?,
            operation: Operation, takesOver: Bool
        ) {
            self.sessionInfo = sessionInfo
            self.code = code
            self.temporaryProof = temporaryProof
            self.phoneNumber = phoneNumber
            self.idToken = idToken
            self.operation = operation
            self.takesOver = takesOver
        }
    }

    /// Sends a code for a sign-in.
    ///
    /// - Returns: the wire's `sessionInfo`.
    public func sendCode(to text: String?, in realm: Realm, from context: RequestContext) async throws -> String {
        try requireAllowed(in: realm)
        let number = try codes.number(text, in: realm)
        // With email enumeration protection, the account is looked up only after a right code.
        if !realm.policy.emailEnumerationProtection {
            if let holder = try await holder(of: number, in: realm), !holder.secondFactors.isEmpty,
                !holder.mayHaveRecycledNumber(by: realm.policy, at: clock.now())
            {
                throw PhoneRefusal.unsupportedFirstFactor
            }
        }
        return try await codes.send(to: number, for: .signIn, in: realm, from: context)
    }

    /// Signs in to the account that has the proven number or to a new one, or gives the number to the caller's account.
    public func signIn(
        _ request: Request, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        try requireAllowed(in: realm)
        let proof = try await proof(of: request, in: realm, from: context)
        let asked = HookedSignIn(in: realm, HookSignIn(method: "phone"))
        return try await retryingConflicts { attempt in
            let holder = try await holder(of: proof.number, in: realm)
            if let idToken = request.idToken, request.operation != .reauthenticate {
                let caller = try await authenticator.authenticate(idToken: idToken, in: realm)
                return try await link(
                    proof, of: holder, to: caller, request.operation, asked, isFirstAttempt: attempt == 1,
                    in: realm, from: context)
            }
            return try await signIn(with: proof, of: holder, request, asked, in: realm, from: context)
        }
    }

    private func requireAllowed(in realm: Realm) throws(PhoneRefusal) {
        guard realm.tenant == nil || !realm.project.modeRules.listsPhoneCodes else { throw .tenant }
        // A session by telephone number has no second factor.
        guard realm.policy.allowsPhoneNumbers, realm.policy.secondFactors.state != .mandatory else {
            throw .notAllowed
        }
    }

    private func holder(of number: PhoneNumber, in realm: Realm) async throws -> Account? {
        try await accounts.find([.phoneNumber(number)], in: realm.id).first
    }

    private func proof(
        of request: Request, in realm: Realm, from context: RequestContext
    ) async throws -> PhoneProof {
        guard let temporaryProof = request.temporaryProof else {
            return try await codes.check(
                request.code, of: request.sessionInfo, for: .signIn, in: realm, from: context.network)
        }
        guard let text = request.phoneNumber else { throw PhoneRefusal.missingNumber }
        let number = try codes.number(text, in: realm)
        let (content, _) = try sealedTokens.decode(
            TemporaryProof.self, from: temporaryProof, at: clock.now(), in: realm.id)
        guard content.number == number.rawValue else { throw PhoneRefusal.invalidTemporaryProof }
        return PhoneProof(number: number, consumed: content.consumed)
    }

    private func signIn(
        with proof: PhoneProof, of holder: Account?, _ request: Request, _ asked: HookedSignIn?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        switch request.operation {
        case .link, .update: throw PhoneRefusal.missingIDToken
        case .unspecified, .signIn, .reauthenticate: break
        }
        guard let holder else {
            guard request.operation != .reauthenticate else {
                throw request.idToken == nil ? PhoneRefusal.accountUnknown : SignInRefusal.otherAccount
            }
            return try await signUp(with: proof, insteadOf: nil, asked, in: realm, from: context)
        }
        guard !proof.isOutdated(by: holder) else { throw PhoneRefusal.invalidTemporaryProof }
        if realm.isTestNumber(proof.number), holder.hasOtherMethodThanPhone { throw PhoneRefusal.testNumber }
        if holder.mayHaveRecycledNumber(by: realm.policy, at: clock.now()) {
            guard request.takesOver, request.operation != .reauthenticate else {
                return .phoneConflict(try conflict(over: proof, of: holder, isRecycled: true, in: realm))
            }
            return try await signUp(with: proof, insteadOf: holder, asked, in: realm, from: context)
        }
        guard holder.secondFactors.isEmpty else { throw PhoneRefusal.unsupportedFirstFactor }
        guard !holder.isDisabled else { throw PhoneRefusal.accountDisabled }
        var factor = FirstFactor(account: .existing(holder), method: .phone, secondFactor: .exempt)
        factor.reauthenticating = request.idToken
        factor.hook = asked.map { HookQuestion($0, about: holder) }
        return try await completion.signIn(factor, in: realm, from: context) { session in
            try await commit(.signIn(holder), with: proof, opening: session, in: realm, from: context)
        }
    }

    /// Signs in to a new account.
    ///
    /// - Parameter former: the account that loses the number, which was assigned to another person.
    private func signUp(
        with proof: PhoneProof, insteadOf former: Account?, _ asked: HookedSignIn?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        guard realm.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        return try await limiter.limitingSignUp(from: context.network, in: realm) {
            var factor = FirstFactor(account: .new, method: .phone, secondFactor: .exempt)
            factor.hook = asked.map {
                HookQuestion($0) { id, now in Self.newAccount(id, proof.number, at: now).account }
            }
            return try await completion.signIn(factor, in: realm, from: context) { session in
                let new = Self.newAccount(session.account, proof.number, at: session.openedAt)
                let notice = try former.map {
                    try emailFactory.phoneTakenNotice(to: $0, by: realm.policy, from: context, at: session.openedAt)
                }
                return try await commit(
                    .signUp(new, insteadOf: former), with: proof, opening: session, sending: notice ?? .none,
                    in: realm, from: context)
            }
        }
    }

    private static func newAccount(_ id: ID<Account>, _ number: PhoneNumber, at now: Instant) -> StoredAccount {
        var new = StoredAccount(new: id, at: now)
        new.account.phoneNumber = number
        (new.account.phoneProvenAt, new.account.phoneAddedAt) = (now, now)
        return new
    }

    private func link(
        _ proof: PhoneProof, of holder: Account?, to caller: Caller, _ operation: Operation, _ asked: HookedSignIn?,
        isFirstAttempt: Bool, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        let account = caller.account
        guard account.secondFactors.isEmpty else { throw PhoneRefusal.unsupportedFirstFactor }
        if operation == .link, account.phoneNumber != nil { throw PhoneRefusal.alreadyLinked }
        if realm.isTestNumber(proof.number), account.hasOtherMethodThanPhone { throw PhoneRefusal.testNumber }
        if let holder, holder.id != account.id {
            if case .temporaryProof = proof.consumed { throw PhoneRefusal.numberTaken }
            return .phoneConflict(try conflict(over: proof, of: holder, isRecycled: false, in: realm))
        }
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        if isFirstAttempt { try limiter.countCredentialChange(of: account.id, in: realm) }
        var change = CallerChange(
            caller: caller, method: .phone, authenticatedAt: caller.authenticatedAtAfterLinking)
        change.hook = asked.map {
            var linked = account
            linked.phoneNumber = proof.number
            return HookQuestion($0, about: linked)
        }
        return .signedIn(
            try await completion.renewSession(change, in: realm, from: context) { session in
                let method = AddedSignInMethod(
                    provider: .phone, subject: proof.number.rawValue, addedAt: session.openedAt)
                let notice =
                    account.phoneNumber == proof.number
                    ? .none
                    : try emailFactory.additionNotice(of: method, to: account, by: realm.policy, from: context)
                return try await commit(
                    .link(caller), with: proof, opening: session, sending: notice, in: realm, from: context)
            })
    }

    private func commit(
        _ step: PhoneCommit.Step, with proof: PhoneProof, opening session: NewSession,
        sending emailBatch: EmailBatch = .none, in realm: Realm, from context: RequestContext
    ) async throws -> OpenedSession {
        let commit = PhoneCommit(
            step, proof, opening: session, sending: emailBatch,
            recording: realm.recording(by: .user(context.trace)))
        let account = try await mappingConflicts(to: { $0.refusal(of: proof) }) {
            try await store.commit(commit, in: realm.id)
        }
        let isNewAccount = if case .signUp = step { true } else { false }
        return OpenedSession(session, of: account, isNewAccount: isNewAccount)
    }

    /// The answer to a proof of a number that does not sign in. The proof stays usable: for a link by the owner of the
    /// account, who signs in otherwise, or for the number's new holder.
    private func conflict(
        over proof: PhoneProof, of holder: Account, isRecycled: Bool, in realm: Realm
    ) throws -> PhoneConflict {
        let content = TemporaryProof(of: proof, at: clock.now())
        let hidesMethods = realm.policy.emailEnumerationProtection || !isRecycled
        return PhoneConflict(
            number: proof.number,
            temporaryProof: try sealedTokens.encode(
                content, until: Instant(microseconds: content.end), in: realm.id),
            needsConfirmation: isRecycled, verifiedProviders: hidesMethods ? nil : holder.signInMethods)
    }
}

extension Realm {
    /// Whether the number is a test number, whose fixed code other people know.
    func isTestNumber(_ number: PhoneNumber) -> Bool {
        !project.modeRules.listsPhoneCodes && project.sms.testCode(of: number) != nil
    }
}

/// The content of the wire's `temporaryProof`.
private struct TemporaryProof: SealedTokenContent {
    static let purpose = "temporary-proof"
    static let invalidRefusal: any Refusal = PhoneRefusal.invalidTemporaryProof

    let number: String
    /// The hash of the code's session in Base64url.
    let code: String
    /// In microseconds since 1970, as ``end``.
    let provenAt: Int64
    let end: Int64

    init(of proof: PhoneProof, at now: Instant) {
        number = proof.number.rawValue
        switch proof.consumed {
        case .code(let hash):
            code = Base64URL.encode(hash)
            provenAt = now.microseconds
            end = (now + PhoneConflict.proofLifetime).microseconds
        case .temporaryProof(let hash, let provenAt, let end):
            code = Base64URL.encode(hash)
            self.provenAt = provenAt.microseconds
            self.end = end.microseconds
        }
    }

    var consumed: PhoneProof.Consumed {
        .temporaryProof(
            code: Base64URL.decode(code) ?? [], provenAt: Instant(microseconds: provenAt),
            end: Instant(microseconds: end))
    }
}

extension PhoneProof {
    /// Whether the account has got or proven the number since the temporary proof was made. The proof may then be that
    /// of an earlier holder of the number.
    fileprivate func isOutdated(by holder: Account) -> Bool {
        guard case .temporaryProof(_, let provenAt, _) = consumed else { return false }
        return [holder.phoneProvenAt, holder.phoneAddedAt].contains { $0.map { $0 > provenAt } ?? false }
    }
}

/// A proof of a number that signs no user in.
public struct PhoneConflict: Hashable, Sendable {
    public let number: PhoneNumber
    public let temporaryProof: String
    /// Whether the number may have been assigned to another person since the account last proved it.
    public let needsConfirmation: Bool
    /// The other sign-in methods of the account; `nil` if the client must not learn them.
    public let verifiedProviders: [ProviderID]?

    public static let proofLifetime: Duration = .seconds(3600)
}

extension Account {
    /// Whether the user can sign in without the telephone number.
    var hasOtherMethodThanPhone: Bool {
        !identities.isEmpty || email != nil || usesCustomTokens || !passkeys.isEmpty
    }

    /// Whether the account's number may have been assigned to another person since the account last proved it, so that
    /// the proof of the number does not prove the owner. An account with the number alone has no other owner, unless it
    /// is disabled or has second factors: then nobody can sign in to it by the number, and it would keep the number from
    /// every later holder.
    func mayHaveRecycledNumber(by policy: Policy, at now: Instant) -> Bool {
        let hasOtherOwner = hasOtherMethodThanPhone || isDisabled || !secondFactors.isEmpty
        guard policy.recycledNumberAge > .zero, hasOtherOwner else { return false }
        return phoneProvenAt.map { now - $0 > policy.recycledNumberAge } ?? true
    }
}

/// A proven number to be committed with a session.
public struct PhoneCommit: Sendable {
    public enum Step: Sendable {
        case signIn(Account)
        /// - Parameter former: the account that loses the number.
        case signUp(StoredAccount, insteadOf: Account?)
        case link(Caller)
    }

    public let step: Step
    public let proof: PhoneProof
    public let session: NewSession
    public let emailBatch: EmailBatch
    public let recording: EventRecording

    init(
        _ step: Step, _ proof: PhoneProof, opening session: NewSession, sending emailBatch: EmailBatch,
        recording: EventRecording
    ) {
        self.step = step
        self.proof = proof
        self.session = session
        self.emailBatch = emailBatch
        self.recording = recording
    }

    /// The events of the change. A sign-in has none.
    public var events: [AccountEvent] {
        switch step {
        case .signIn, .signUp(_, insteadOf: nil): []
        case .signUp(_, let former?): [AccountEvent(.phoneTakenOver, of: former.id)]
        case .link(let caller) where caller.account.phoneNumber == proof.number: []
        case .link(let caller): [AccountEvent(.phoneAdded, of: caller.account.id)]
        }
    }
}

/// Stores sign-ins with telephone numbers. The call is one transaction, and may throw ``StoreUnavailable``.
public protocol PhoneStore: Sendable {
    /// Uses up the proof, applies the step and opens the session.
    ///
    /// - Returns: the account after the change.
    /// - Throws: ``StoreConflict/alreadyUsed``; ``StoreConflict/stale`` if the accounts have changed since the
    ///   decision; ``StoreConflict/taken(_:)``.
    func commit(_ commit: PhoneCommit, in realm: ID<Realm>) async throws -> Account
}

extension StoreConflict {
    /// - Returns: `nil` if the accounts have changed, so that the sign-in needs a new decision.
    fileprivate func refusal(of proof: PhoneProof) -> (any Refusal)? {
        switch self {
        case .alreadyUsed:
            switch proof.consumed {
            case .code: PhoneRefusal.invalidSessionInfo
            case .temporaryProof: PhoneRefusal.invalidTemporaryProof
            }
        case .stale, .taken, .notFound, .lastSignInMethod: nil
        }
    }
}
