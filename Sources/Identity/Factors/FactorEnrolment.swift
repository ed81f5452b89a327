internal import Encoding

/// The operations of users on the second factors of their own accounts.
///
/// Throws ``FactorRefusal``, ``EditRefusal``, ``TokenRefusal`` and ``TooManyAttempts``.
public struct FactorEnrolment: Sendable {
    private let completion: SignInCompletion
    private let authenticator: Authenticator
    private let factors: any FactorStore
    let secrets: FactorSecrets
    let phoneCodes: PhoneCodes
    private let sealedTokens: any SealedTokens
    let emailFactory: EmailFactory
    let limiter: RateLimiter
    let clock: WallClock

    public init(
        completion: SignInCompletion, authenticator: Authenticator, factors: any FactorStore, secrets: FactorSecrets,
        phoneCodes: PhoneCodes, sealedTokens: any SealedTokens, emailFactory: EmailFactory, limiter: RateLimiter,
        clock: WallClock
    ) {
        self.completion = completion
        self.authenticator = authenticator
        self.factors = factors
        self.secrets = secrets
        self.phoneCodes = phoneCodes
        self.sealedTokens = sealedTokens
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }

    /// What a user enters in an authenticator app.
    public struct StartedTOTP: Sendable {
        /// In base32.
        public let secret: String
        public let digits = OneTimePassword.digits
        public let hashAlgorithm = OneTimePassword.hashAlgorithm
        public let period = OneTimePassword.period
        /// The secret, encrypted, which the client sends back with the first password.
        public let sessionInfo: String
        public let expiresAt: Instant
    }

    /// Creates the secret of a one-time password. Stores nothing.
    ///
    /// - Parameter namesKind: whether the request names the kind of factor.
    public func start(idToken: String, namesKind: Bool, in realm: Realm) async throws -> StartedTOTP {
        try start(
            for: try await authenticator.authenticate(idToken: idToken, in: realm, acceptsRestricted: true),
            namesKind: namesKind, in: realm)
    }

    /// See ``start(idToken:namesKind:in:)``.
    public func start(for caller: Caller, namesKind: Bool = true, in realm: Realm) throws -> StartedTOTP {
        try requireSupported(caller)
        guard namesKind else { throw FactorRefusal.missingMember("totpEnrollmentInfo") }
        let factors = caller.account.secondFactors.factors
        guard !factors.contains(where: { $0.kind == .totp }) else { throw FactorRefusal.exists }
        guard factors.count < SecondFactors.limit else { throw FactorRefusal.limitExceeded }
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        let expiresAt = clock.now() + SecondFactorPolicy.enrolmentLifetime
        let secret = secrets.newSecret()
        let enrolment = PendingTOTP(
            account: caller.account.id, generation: caller.account.generation, secret: Base64URL.encode(secret))
        return StartedTOTP(
            secret: Base32.encode(secret),
            sessionInfo: try sealedTokens.encode(enrolment, until: expiresAt, in: realm.id), expiresAt: expiresAt)
    }

    /// The members of a request that prove an enrolment, unchecked.
    public struct Verification: Sendable {
        public let sessionInfo: String?
        public let code: Secret?

        public init(sessionInfo: String?, code: Secret?) {
            self.sessionInfo = sessionInfo
            self.code = code
        }
    }

    /// Enrols the one-time password, if the code of `verification` proves that the authenticator app has its secret.
    /// The caller's session is replaced by one with the second factor; other sessions continue.
    public func finalize(
        idToken: String, _ verification: Verification?, displayName: String?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        try await finalize(
            for: try await authenticator.authenticate(idToken: idToken, in: realm, acceptsRestricted: true),
            verification, displayName: displayName, in: realm, from: context)
    }

    /// See ``finalize(idToken:_:displayName:in:from:)``.
    public func finalize(
        for caller: Caller, _ verification: Verification?, displayName: String?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        try requireSupported(caller)
        guard let verification else { throw FactorRefusal.missingMember("totpVerificationInfo") }
        guard let code = verification.code else { throw FactorRefusal.missingCode }
        guard let sessionInfo = verification.sessionInfo else { throw FactorRefusal.missingSessionInfo }
        let (enrolment, replayKey) = try sealedTokens.decode(
            PendingTOTP.self, from: sessionInfo, at: clock.now(), in: realm.id)
        guard enrolment.account == caller.account.id, enrolment.generation == caller.account.generation,
            let secret = Base64URL.decode(enrolment.secret)
        else { throw FactorRefusal.invalidSessionInfo }
        let now = try await factors.time(at: clock.now())
        guard let step = try secrets.step(of: code.expose(), with: secret, at: now, by: realm.policy) else {
            throw FactorRefusal.invalidCode
        }
        guard caller.account.secondFactors.factors.allSatisfy({ $0.kind != .totp }) else { throw FactorRefusal.exists }
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        let enrolledAt = clock.now()
        let factor = Factor(id: secrets.newID(), kind: .totp, displayName: displayName, enrolledAt: enrolledAt)
        let totp = NewTOTP(
            factor: factor, sealedSecret: try secrets.seal(secret, factor.id, realm.id), lastStep: step)
        let notice = try emailFactory.factorAddedNotice(
            of: factor, to: caller.account, by: realm.policy, from: context)
        return try await replaceSession(
            of: caller, secondFactor: SessionFactor(.totp, factor.id),
            with: .enroll(totp, enrolment: replayKey), sending: notice, in: realm, from: context)
    }

    /// Withdraws a factor, in every state of the policy. With the last factor, the recovery codes go.
    public func withdraw(
        _ id: ID<Factor>, idToken: String, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        try await withdraw(
            id, for: try await authenticator.authenticate(idToken: idToken, in: realm, acceptsRestricted: true),
            in: realm, from: context)
    }

    /// See ``withdraw(_:idToken:in:from:)``.
    public func withdraw(
        _ id: ID<Factor>, for caller: Caller, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        guard let factor = caller.account.secondFactors.factor(id) else { throw FactorRefusal.factorUnknown }
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        let notice = EmailBatch(
            emails: try emailFactory.notice(
                .factorRemoved, about: caller.account, by: realm.policy, from: context, at: clock.now()))
        let isLast = caller.account.secondFactors.factors.count == 1
        let keeps = !isLast && caller.session.secondFactor?.factor != id
        return try await replaceSession(
            of: caller, secondFactor: keeps ? caller.session.secondFactor : nil, with: .withdraw(factor),
            sending: notice, in: realm, from: context)
    }

    /// Replaces the recovery codes of the caller's account.
    ///
    /// - Returns: the new codes, which are shown once: the gateway stores only their hashes.
    public func generateRecoveryCodes(
        idToken: String, in realm: Realm, from context: RequestContext
    ) async throws -> [String] {
        try await generateRecoveryCodes(
            for: try await authenticator.authenticate(idToken: idToken, in: realm), in: realm, from: context)
    }

    /// See ``generateRecoveryCodes(idToken:in:from:)``.
    ///
    /// - Parameter isAnnounced: whether an email tells the owner; `false` directly after another email about the
    ///   factor.
    public func generateRecoveryCodes(
        for caller: Caller, isAnnounced: Bool = true, in realm: Realm, from context: RequestContext
    ) async throws -> [String] {
        let account = caller.account
        guard !account.secondFactors.isEmpty else { throw FactorRefusal.factorUnknown }
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        try limiter.countCredentialChange(of: account.id, in: realm)
        let codes = (0..<RecoveryCode.count).map { _ in secrets.newRecoveryCode() }
        let now = clock.now()
        let emails =
            isAnnounced
            ? try emailFactory.notice(
                .recoveryCodesRenewed, about: account, by: realm.policy, from: context, at: now) : []
        let change = FactorChange(
            .replaceRecoveryCodes(codes.map { secrets.hash($0, account.id, realm.id) }), opening: nil,
            sending: EmailBatch(emails: emails), recording: realm.recording(by: .user(context.trace)), at: now)
        _ = try await mappingConflicts(to: \.refusalOfEdit) {
            try await factors.apply(change, by: caller.session, in: realm.id)
        }
        return codes.map(RecoveryCode.text)
    }

    /// Returns the caller, whose first factor supports second factors, and whose address is verified: otherwise an
    /// attacker could lock the owner of the address out of an account.
    func supportedCaller(_ idToken: String, in realm: Realm) async throws -> Caller {
        let caller = try await authenticator.authenticate(idToken: idToken, in: realm, acceptsRestricted: true)
        try requireSupported(caller)
        return caller
    }

    /// Requires that the first factor of the caller's session supports second factors, and that the address is
    /// verified.
    func requireSupported(_ caller: Caller) throws(FactorRefusal) {
        guard ![.anonymous, .phone, .custom, ProviderID("gc.apple.com")].contains(caller.session.method) else {
            throw .unsupportedFirstFactor
        }
        guard caller.account.emailIsVerified else { throw .unverifiedEmail }
    }

    /// Stores the change, and replaces the caller's session by one with the same `auth_time`.
    func replaceSession(
        of caller: Caller, secondFactor: SessionFactor?, with step: FactorChange.Step, sending emailBatch: EmailBatch,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        let change = CallerChange(
            caller: caller, method: caller.session.method, authenticatedAt: caller.session.authenticatedAt,
            secondFactor: .replace(secondFactor))
        return try await completion.renewSession(change, in: realm, from: context) { session in
            let change = FactorChange(
                step, opening: session, sending: emailBatch, recording: realm.recording(by: .user(context.trace)),
                at: session.openedAt)
            let account = try await mappingConflicts(to: \.refusalOfEdit) {
                try await factors.apply(change, by: caller.session, in: realm.id)
            }
            return OpenedSession(session, of: account)
        }
    }
}

extension Realm {
    /// - Throws: ``FactorRefusal/notAllowed(_:)`` unless users can enrol telephone numbers.
    public func requireSMSFactorsAllowed() throws(FactorRefusal) {
        guard policy.secondFactors.state != .disabled, policy.secondFactors.allowsSMS else {
            throw .notAllowed("SMS based MFA not enabled.")
        }
    }

    /// - Throws: ``FactorRefusal/notAllowed(_:)`` unless users can enrol one-time passwords.
    public func requireTOTPAllowed() throws(FactorRefusal) {
        guard policy.secondFactors.state != .disabled, policy.secondFactors.allowsTOTP else {
            throw .notAllowed("TOTP based MFA not enabled.")
        }
    }
}

/// A one-time password whose enrolment was started: the content of the wire's `sessionInfo`.
private struct PendingTOTP: SealedTokenContent {
    static let purpose = "totp-enrolment"
    static let invalidRefusal: any Refusal = FactorRefusal.invalidSessionInfo

    let account: ID<Account>
    /// The generation that the account must still have.
    let generation: Int64
    /// In base64url.
    let secret: String
}
