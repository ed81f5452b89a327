/// The second step of a sign-in to an account with second factors: proves a factor, and continues the sign-in whose
/// first factor was proven before.
///
/// Throws ``FactorRefusal``, ``TooManyAttempts``, and the errors of the sign-in method.
public struct SecondFactorSignIn: Sendable {
    private let store: any AccountStore
    private let factors: any FactorStore
    private let secrets: FactorSecrets
    private let sealedTokens: any SealedTokens
    private let password: PasswordMethod
    private let emailLink: EmailLinkMethod
    private let federated: FederatedMethod
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let clock: WallClock

    public init(
        store: any AccountStore, factors: any FactorStore, secrets: FactorSecrets, sealedTokens: any SealedTokens,
        password: PasswordMethod, emailLink: EmailLinkMethod, federated: FederatedMethod, emailFactory: EmailFactory,
        limiter: RateLimiter, networks: NetworkHashing, clock: WallClock
    ) {
        self.store = store
        self.factors = factors
        self.secrets = secrets
        self.sealedTokens = sealedTokens
        self.password = password
        self.emailLink = emailLink
        self.federated = federated
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.networks = networks
        self.clock = clock
    }

    /// What the user presents, unchecked.
    public enum Presented: Sendable {
        case totp(ID<Factor>, code: Secret)
        case recoveryCode(Secret)
    }

    /// Signs the user in. A wrong code leaves the pending credential valid; the sign-in consumes it.
    public func finalize(
        _ pendingCredential: String, with presented: Presented, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        let (pending, replayKey) = try sealedTokens.decode(
            PendingSignIn.self, from: pendingCredential, at: clock.now(), in: realm.id)
        try pending.requireSameClient(as: context)
        guard let account = try await store.find([.id(pending.account)], in: realm.id).first,
            account.generation == pending.generation
        else { throw FactorRefusal.invalidPendingCredential }
        let proof = try await prove(presented, of: account, in: realm, from: context)
        let emails = try notice(of: proof, to: account, in: realm, from: context)
        let use = SecondFactorUse(
            proof, of: account.id, pendingCredential: replayKey, emailBatch: emails,
            recording: realm.recording(by: .user(context.trace)))
        switch try await signIn(pending.firstFactor, to: account, with: use, for: app, in: realm, from: context) {
        case .signedIn(let signedIn):
            if case .recoveryCode = presented {
                attempt(.recoveryCode, at: account, in: realm, from: context).discountFailure()
            }
            return signedIn
        // The accounts have changed since the first step.
        case .secondFactorRequired, .confirmationNeeded, .conflict: throw FactorRefusal.invalidPendingCredential
        }
    }

    private func signIn(
        _ firstFactor: FirstFactorProof, to account: Account, with use: SecondFactorUse, for app: App,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        switch firstFactor {
        case .password: try await password.signIn(to: account, with: use, in: realm, from: context)
        case .emailLink(let email, let code):
            try await emailLink.signIn(
                email: email, code: code, idToken: nil, secondFactor: use, in: realm, from: context)
        case .identity(let proof, let autoCreate):
            try await federated.signIn(
                with: proof, autoCreate: autoCreate, secondFactor: use, for: app, in: realm, from: context)
        }
    }

    private func prove(
        _ presented: Presented, of account: Account, in realm: Realm, from context: RequestContext
    ) async throws -> SecondFactorUse.Proof {
        switch presented {
        case .totp(let factor, let code):
            try await prove(code, by: factor, of: account, in: realm, from: context)
        case .recoveryCode(let code): try prove(code, of: account, in: realm, from: context)
        }
    }

    private func prove(
        _ code: Secret, by id: ID<Factor>, of account: Account, in realm: Realm, from context: RequestContext
    ) async throws -> SecondFactorUse.Proof {
        guard let factor = account.secondFactors.factor(id) else { throw FactorRefusal.factorUnknown }
        let attempt = attempt(.totp, at: account, in: realm, from: context)
        try attempt.requireAllowed()
        guard let stored = try await factors.totp(factor.id, of: account.id, at: clock.now(), in: realm.id) else {
            throw FactorRefusal.factorUnknown
        }
        if stored.failures >= SecondFactorPolicy.failuresUntilDailyLimits {
            try attempt.countDailyAttempt(
                isFromKnownNetwork: try await isFromKnownNetwork(account, in: realm, from: context))
        }
        let secret = try secrets.open(stored.sealedSecret, factor.id, realm.id)
        guard let step = try secrets.step(of: code.expose(), with: secret, at: stored.readAt, by: realm.policy) else {
            try attempt.recordFailure()
            _ = try await factors.recordFailure(of: factor.id, of: account.id, in: realm.id)
            throw FactorRefusal.invalidCode
        }
        try attempt.requireAllowed()
        return .totp(factor.id, step: step)
    }

    /// The store checks whether the account has the code when it consumes the code with the sign-in. The attempt is
    /// counted as a failure in advance, so that concurrent attempts do not exceed the limit.
    private func prove(
        _ code: Secret, of account: Account, in realm: Realm, from context: RequestContext
    ) throws -> SecondFactorUse.Proof {
        // A text that cannot be a code is not counted, so that it does not use up the owner's attempts.
        guard let digits = RecoveryCode.digits(of: code.expose()) else { throw FactorRefusal.invalidCode }
        try attempt(.recoveryCode, at: account, in: realm, from: context).recordFailure()
        return .recoveryCode(hash: secrets.hash(digits, account.id, realm.id))
    }

    private func attempt(
        _ kind: SecondFactorAttempt.Kind, at account: Account, in realm: Realm, from context: RequestContext
    ) -> SecondFactorAttempt {
        SecondFactorAttempt(kind: kind, account: account.id, realm: realm, context: context, limiter: limiter)
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
