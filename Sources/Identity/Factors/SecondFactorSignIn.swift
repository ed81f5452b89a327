/// The second step of a sign-in to an account with second factors: proves a factor, and continues the sign-in whose
/// first factor was proven before.
///
/// Throws ``FactorRefusal``, ``TooManyAttempts``, and the errors of the sign-in method.
public struct SecondFactorSignIn: Sendable {
    private let store: any AccountStore
    private let factors: any FactorStore
    private let secrets: FactorSecrets
    private let phoneCodes: PhoneCodes
    private let sealedTokens: any SealedTokens
    private let password: PasswordMethod
    private let emailLink: EmailLinkMethod
    private let federated: FederatedMethod
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let clock: WallClock
    private let countEvent: @Sendable (SecondFactorEvent) -> Void

    public init(
        store: any AccountStore, factors: any FactorStore, secrets: FactorSecrets, phoneCodes: PhoneCodes,
        sealedTokens: any SealedTokens,
        password: PasswordMethod, emailLink: EmailLinkMethod, federated: FederatedMethod, emailFactory: EmailFactory,
        limiter: RateLimiter, networks: NetworkHashing, clock: WallClock,
        countEvent: @escaping @Sendable (SecondFactorEvent) -> Void
    ) {
        self.store = store
        self.factors = factors
        self.secrets = secrets
        self.phoneCodes = phoneCodes
        self.sealedTokens = sealedTokens
        self.password = password
        self.emailLink = emailLink
        self.federated = federated
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.networks = networks
        self.clock = clock
        self.countEvent = countEvent
    }

    /// What the user presents, unchecked.
    public enum Presented: Sendable {
        case totp(ID<Factor>, code: Secret)
        case phone(sessionInfo: String, code: Secret)
        case recoveryCode(Secret)
    }

    /// Sends a code to the number of a factor.
    ///
    /// - Returns: the wire's `sessionInfo`.
    public func start(
        _ pendingCredential: String, with id: ID<Factor>, in realm: Realm, from context: RequestContext
    ) async throws -> String {
        let (account, _, _) = try await account(of: pendingCredential, in: realm, from: context)
        guard let factor = account.secondFactors.factor(id) else { throw FactorRefusal.factorUnknown }
        guard let number = factor.phoneNumber else { throw FactorRefusal.providerNotSupported }
        // The message would cost money, and the sign-in fails.
        guard !account.isDisabled else { throw PhoneRefusal.accountDisabled }
        let isKnown = try await isFromKnownNetwork(account, in: realm, from: context)
        return try await phoneCodes.send(
            to: number, for: .secondFactor, of: PhoneCode.AccountBinding(account, factor: id),
            in: account.language, requestedBy: isKnown ? .knownNetwork(context.network) : .provenFirstFactor,
            in: realm, from: context)
    }

    /// Returns the account of a pending credential, if it has not changed since.
    private func account(
        of pendingCredential: String, in realm: Realm, from context: RequestContext
    ) async throws -> (Account, PendingSignIn, ReplayKey) {
        let (pending, replayKey) = try sealedTokens.decode(
            PendingSignIn.self, from: pendingCredential, at: clock.now(), in: realm.id)
        try pending.requireSameClient(as: context)
        guard let account = try await store.find([.id(pending.account)], in: realm.id).first,
            account.generation == pending.generation
        else { throw FactorRefusal.invalidPendingCredential }
        return (account, pending, replayKey)
    }

    /// Signs the user in with a code of the account's authenticator app, or with a recovery code. A one-time password
    /// has six digits, and a recovery code has more.
    func finalize(
        _ pendingCredential: String, withCode code: String, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        let (account, _, _) = try await account(of: pendingCredential, in: realm, from: context)
        let totp = account.secondFactors.factors.first { $0.kind == .totp }
        let presented: Presented =
            if let totp, code.utf8.count <= OneTimePassword.digits { .totp(totp.id, code: Secret(code)) } else {
                .recoveryCode(Secret(code))
            }
        return try await finalize(pendingCredential, with: presented, for: app, in: realm, from: context)
    }

    /// Signs the user in. A wrong code leaves the pending credential valid; the sign-in consumes it.
    public func finalize(
        _ pendingCredential: String, with presented: Presented, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        let (account, pending, replayKey) = try await account(of: pendingCredential, in: realm, from: context)
        let attempt = SecondFactorAttempt(
            account: account, realm: realm, context: context, limiter: limiter,
            isFromKnownNetwork: { try await isFromKnownNetwork(account, in: realm, from: context) })
        do {
            let proven = try await prove(presented, by: attempt)
            let use = SecondFactorUse(
                proven.proof, of: account, pendingCredential: replayKey,
                emailBatch: try notice(of: proven.proof, to: account, in: realm, from: context),
                recording: realm.recording(by: .user(context.trace)))
            let signedIn = try await signIn(
                pending.firstFactor, to: account, with: use, for: app, in: realm, from: context)
            if let key = proven.countedKey { attempt.discountRecoveryFailure(key) }
            countEvent(.passed)
            return signedIn
        } catch FactorRefusal.invalidCode {
            // The commit throws this too, for a code that was used before.
            countEvent(.wrong)
            if case .totp(let factor, _) = presented { try await recordFailure(of: factor, by: attempt) }
            throw FactorRefusal.invalidCode
        } catch PhoneRefusal.invalidCode {
            countEvent(.wrong)
            throw PhoneRefusal.invalidCode
        }
    }

    private func signIn(
        _ firstFactor: FirstFactorProof, to account: Account, with use: SecondFactorUse, for app: App,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        let outcome =
            switch firstFactor {
            case .password: try await password.signIn(to: account, with: use, in: realm, from: context)
            case .emailLink(let email, let code):
                try await emailLink.signIn(
                    email: email, code: code, idToken: nil, secondFactor: use, in: realm, from: context)
            case .identity(let proof, let autoCreate):
                try await federated.signIn(
                    with: proof, autoCreate: autoCreate, secondFactor: use, for: app, in: realm, from: context)
            }
        // Otherwise the accounts have changed since the first step.
        guard case .signedIn(let signedIn) = outcome else { throw FactorRefusal.invalidPendingCredential }
        return signedIn
    }

    /// A proof that the commit has to accept.
    private struct Proven {
        let proof: SecondFactorUse.Proof
        /// The limit that has counted a recovery code as wrong in advance; `nil` for a one-time password.
        var countedKey: LimitKey?
    }

    private func prove(_ presented: Presented, by attempt: SecondFactorAttempt) async throws -> Proven {
        switch presented {
        case .totp(let factor, let code): try await prove(code, of: factor, by: attempt)
        case .phone(let sessionInfo, let code): try await prove(code, of: sessionInfo, by: attempt)
        case .recoveryCode(let code): try await prove(code, by: attempt)
        }
    }

    private func prove(
        _ code: Secret, of sessionInfo: String, by attempt: SecondFactorAttempt
    ) async throws -> Proven {
        let account = attempt.account
        let proof = try await phoneCodes.check(
            code, of: sessionInfo, for: .secondFactor,
            boundTo: { $0?.account == account.id && $0?.generation == account.generation }, in: attempt.realm,
            from: attempt.context.network)
        // An administrator may have given the factor another number.
        guard let id = proof.factor, account.secondFactors.factor(id)?.phoneNumber == proof.number else {
            throw FactorRefusal.factorUnknown
        }
        return Proven(proof: .phone(id, proof))
    }

    private func prove(
        _ code: Secret, of id: ID<Factor>, by attempt: SecondFactorAttempt
    ) async throws -> Proven {
        let (account, realm) = (attempt.account, attempt.realm)
        guard let factor = account.secondFactors.factor(id) else { throw FactorRefusal.factorUnknown }
        guard factor.kind == .totp else { throw FactorRefusal.providerNotSupported }
        try await attempt.requireAllowed()
        guard let stored = try await factors.totp(id, of: account.id, at: clock.now(), in: realm.id) else {
            throw FactorRefusal.factorUnknown
        }
        if stored.failures >= SecondFactorPolicy.failuresUntilDailyLimits { try await attempt.countDailyAttempt() }
        let secret = try secrets.open(stored.sealedSecret, id, realm.id)
        guard let step = try secrets.step(of: code.expose(), with: secret, at: stored.readAt, by: realm.policy) else {
            throw FactorRefusal.invalidCode
        }
        try await attempt.requireAllowed()
        return Proven(proof: .totp(id, step: step))
    }

    /// Counts a wrong one-time password. Announces to the owner that someone is guessing, once there were so many that
    /// the daily limits apply.
    private func recordFailure(of factor: ID<Factor>, by attempt: SecondFactorAttempt) async throws {
        try await attempt.recordFailure()
        let (account, realm, context, now) = (attempt.account, attempt.realm, attempt.context, clock.now())
        try await factors.recordFailure(of: factor, of: account.id, in: realm.id) { [emailFactory] failures in
            guard failures == SecondFactorPolicy.failuresUntilDailyLimits else { return .none }
            return EmailBatch(
                emails: try emailFactory.notice(
                    .manyWrongCodes, about: account, by: realm.policy, from: context, at: now))
        }
    }

    /// The store checks whether the account has the code when it consumes the code with the sign-in. The attempt is
    /// counted as a failure in advance, so that concurrent attempts do not exceed the limit.
    private func prove(_ code: Secret, by attempt: SecondFactorAttempt) async throws -> Proven {
        // A text that cannot be a code is not counted, so that it does not use up the owner's attempts.
        guard let digits = RecoveryCode.digits(of: code.expose()) else { throw FactorRefusal.invalidCode }
        let key = try await attempt.countRecoveryFailure()
        let hash = secrets.hash(digits, attempt.account.id, attempt.realm.id)
        return Proven(proof: .recoveryCode(hash: hash), countedKey: key)
    }

    private func isFromKnownNetwork(
        _ account: Account, in realm: Realm, from context: RequestContext
    ) async throws -> Bool {
        try await factors.hasKnownNetwork(
            account.id, among: networks.hashes(context.network, realm.id),
            since: clock.now() - Policy.knownNetworkLifetime, in: realm.id)
    }

    private func notice(
        of proof: SecondFactorUse.Proof, to account: Account, in realm: Realm, from context: RequestContext
    ) throws -> EmailBatch {
        guard case .recoveryCode = proof else { return .none }
        return EmailBatch(
            emails: try emailFactory.notice(
                .recoveryCodeUsed, about: account, by: realm.policy, from: context, at: clock.now()))
    }
}
