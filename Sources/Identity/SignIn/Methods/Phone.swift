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

    /// Sends a code for a sign-in, in the language of the account that has the number if that account may be looked up.
    ///
    /// - Parameter language: the language of the signed-in user who adds the number; `nil` for a sign-in.
    /// - Returns: the wire's `sessionInfo`.
    public func sendCode(
        to text: String?, language: Language? = nil, in realm: Realm, from context: RequestContext
    ) async throws -> String {
        var language = language
        try requireAllowed(in: realm)
        let number = try codes.number(text, in: realm)
        // With email enumeration protection, the account is looked up only after a right code.
        if !realm.policy.emailEnumerationProtection {
            if let holder = try await holder(of: number, in: realm),
                !holder.mayHaveRecycledNumber(by: realm.policy, at: clock.now())
            {
                guard holder.secondFactors.isEmpty else { throw PhoneRefusal.unsupportedFirstFactor }
                language = language ?? holder.language
            }
        }
        return try await codes.send(to: number, for: .signIn, in: language, in: realm, from: context)
    }

    /// Signs in to the account that has the proven number or to a new one, or gives the number to the caller's account.
    public func signIn(
        _ request: Request, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        try requireAllowed(in: realm)
        let proof = try await proof(of: request, in: realm, from: context)
        let hooked = HookedSignIn(in: realm, HookSignIn(method: "phone"))
        return try await retryingConflicts { attempt in
            let holder = try await holder(of: proof.number, in: realm)
            if let idToken = request.idToken, request.operation != .reauthenticate {
                let caller = try await authenticator.authenticate(idToken: idToken, in: realm)
                return try await link(
                    proof, of: holder, to: caller, request.operation, hooked, method: .phone,
                    isFirstAttempt: attempt == 1, in: realm, from: context)
            }
            return try await signIn(with: proof, of: holder, request, hooked, in: realm, from: context)
        }
    }

    /// Whether the account can get a number.
    public func canLink(to account: Account, in realm: Realm) -> Bool {
        // The reason does not matter: the page does not offer the number.
        account.secondFactors.isEmpty && (try? requireAllowed(in: realm)) != nil
    }

    /// Gives the number that a code proves to the account of a session of the gateway's own pages. The user has not
    /// signed in by the number, so the session keeps its method: a session by telephone number has no second factor.
    ///
    /// - Parameter sessionInfo: as ``sendCode(to:language:in:from:)`` has returned it.
    public func link(
        code: Secret, of sessionInfo: String, to session: IDTokenContents, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        try requireAllowed(in: realm)
        let proof = try await codes.check(code, of: sessionInfo, for: .signIn, in: realm, from: context.network)
        let hooked = HookedSignIn(in: realm, HookSignIn(method: "phone"))
        return try await retryingConflicts { attempt in
            let caller = try await authenticator.authenticate(session, in: realm)
            return try await link(
                proof, of: try await holder(of: proof.number, in: realm), to: caller, .link, hooked,
                method: caller.session.method, isFirstAttempt: attempt == 1, in: realm, from: context)
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
        with proof: PhoneProof, of holder: Account?, _ request: Request, _ hooked: HookedSignIn?, in realm: Realm,
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
            return try await signUp(with: proof, insteadOf: nil, hooked, in: realm, from: context)
        }
        return try await signIn(with: proof, to: holder, request, hooked, in: realm, from: context)
    }

    private func signIn(
        with proof: PhoneProof, to holder: Account, _ request: Request, _ hooked: HookedSignIn?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        guard !proof.isOutdated(by: holder) else { throw PhoneRefusal.invalidTemporaryProof }
        if realm.isTestNumber(proof.number), holder.hasOtherMethodThanPhone { throw PhoneRefusal.testNumber }
        if holder.mayHaveRecycledNumber(by: realm.policy, at: clock.now()) {
            guard request.takesOver, request.operation != .reauthenticate else {
                return .phoneConflict(try conflict(over: proof, of: holder, isRecycled: true, in: realm))
            }
            return try await signUp(with: proof, insteadOf: holder, hooked, in: realm, from: context)
        }
        guard holder.secondFactors.isEmpty else { throw PhoneRefusal.unsupportedFirstFactor }
        guard !holder.isDisabled else { throw PhoneRefusal.accountDisabled }
        let factor = FirstFactor(
            account: .existing(holder), method: .phone, secondFactor: .exempt, reauthenticating: request.idToken,
            hook: HookCall(hooked, about: holder))
        return try await completion.signIn(factor, in: realm, from: context) { session in
            try await commit(.signIn(holder), with: proof, opening: session, in: realm, from: context)
        }
    }

    /// Signs in to a new account.
    ///
    /// - Parameter former: the account that loses the number, which was assigned to another person.
    private func signUp(
        with proof: PhoneProof, insteadOf former: Account?, _ hooked: HookedSignIn?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        guard realm.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        return try await limiter.limitingSignUp(from: context.network, in: realm) {
            let hook = HookCall(hooked) { id, now in Self.newAccount(id, proof.number, at: now).account }
            let factor = FirstFactor(account: .new, method: .phone, secondFactor: .exempt, hook: hook)
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
        _ proof: PhoneProof, of holder: Account?, to caller: Caller, _ operation: Operation, _ hooked: HookedSignIn?,
        method: ProviderID, isFirstAttempt: Bool, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        let account = caller.account
        try requireLink(proof.number, to: account, operation, in: realm)
        if let holder, holder.id != account.id {
            if case .temporaryProof = proof.consumed { throw PhoneRefusal.numberTaken }
            return .phoneConflict(try conflict(over: proof, of: holder, isRecycled: false, in: realm))
        }
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        if isFirstAttempt { try limiter.countCredentialChange(of: account.id, in: realm) }
        var linked = account
        linked.phoneNumber = proof.number
        let change = CallerChange(
            caller: caller, method: method, authenticatedAt: caller.authenticatedAtAfterLinking,
            endsSessions: realm.policy.secondFactors.endsGuestSessions(of: account),
            hook: HookCall(hooked, about: linked))
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

    private func requireLink(
        _ number: PhoneNumber, to account: Account, _ operation: Operation, in realm: Realm
    ) throws(PhoneRefusal) {
        guard account.secondFactors.isEmpty else { throw .unsupportedFirstFactor }
        if operation == .link, account.phoneNumber != nil { throw .alreadyLinked }
        if realm.isTestNumber(number), account.hasOtherMethodThanPhone { throw .testNumber }
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
