/// Sign-in with an emailed link.
///
/// Throws ``OOBCodeRefusal``, ``CredentialRefusal``, ``SignInRefusal``, ``SignUpRefusal``, ``TokenRefusal``,
/// ``EditRefusal`` and ``TooManyAttempts``.
public struct EmailLinkMethod: Sendable {
    private let completion: SignInCompletion
    private let codes: any OOBCodeStore
    private let redemption: OOBCodeRedeemer
    private let authenticator: Authenticator
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let clock: WallClock

    public init(
        completion: SignInCompletion, codes: any OOBCodeStore, redemption: OOBCodeRedeemer,
        authenticator: Authenticator, emailFactory: EmailFactory, limiter: RateLimiter, clock: WallClock
    ) {
        self.completion = completion
        self.codes = codes
        self.redemption = redemption
        self.authenticator = authenticator
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }

    /// Signs the user who controls the mailbox in to the account that has the address, or to a new account. With an ID
    /// token, the account of the token gets the address, in place of its former one.
    ///
    /// - Parameter use: the second factor that was proven after the link was opened; `nil` for the first request.
    public func signIn(
        email: String?, code: String?, idToken: String?, secondFactor use: SecondFactorUse? = nil, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        try await signIn(
            email: email, code: code, idToken: idToken, to: .any, secondFactor: use, in: realm, from: context)
    }

    /// - Throws: without an account that the target permits, ``SignInRefusal/unknownEmail`` or
    ///   ``SignInRefusal/otherAccount``, and changes nothing.
    func signIn(
        email: String?, code: String?, idToken: String?, to target: Target, secondFactor use: SecondFactorUse? = nil,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        guard realm.policy.allowsEmailLinks else { throw OOBCodeRefusal.notAllowed }
        let email = try EmailAddress(required: email)
        let hooked = HookedSignIn(in: realm, HookSignIn(method: "emailLink"))
        return try await retryingConflicts { attempt in
            let found = try await redemption.check(code, for: [.signIn], in: realm)
            guard found.code.email == email else { throw OOBCodeRefusal.otherEmail }
            guard let idToken else {
                try target.requirePermitted(found)
                let rule = use.map { SecondFactorRule.proven($0) }
                let proof = FirstFactorProof.emailLink(email: email.rawValue, code: code ?? "")
                return try await signIn(with: found, rule ?? .demanded(proof), hooked, in: realm, from: context)
            }
            let caller = try await authenticator.authenticate(idToken: idToken, in: realm)
            return .signedIn(
                try await link(found, to: caller, hooked, isFirstAttempt: attempt == 1, in: realm, from: context))
        }
    }

    /// Signs in to a new account with a password. The user proved the address, and chose the password before.
    ///
    /// - Throws: ``OOBCodeRefusal/expired`` if an account has got the address since the code was issued.
    func signUp(
        email: EmailAddress, passwordHash: String, code: String, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        guard realm.policy.allowsPasswords else { throw SignUpRefusal.passwordsNotAllowed }
        let hooked = HookedSignIn(in: realm, HookSignIn(method: "password"))
        return try await retryingConflicts { _ in
            let found = try await redemption.check(code, for: [.signIn], in: realm)
            guard found.code.email == email else { throw OOBCodeRefusal.otherEmail }
            guard found.account == nil else { throw OOBCodeRefusal.expired }
            return try await signUp(
                with: found, passwordHash: passwordHash, .exempt, hooked, in: realm, from: context)
        }
    }

    /// Links the address of the code to the account of a session that the page has authenticated.
    ///
    /// - Parameter passwordHash: the password that a guest has chosen; `nil` for an account that signs in by email
    ///   links.
    func link(
        email: EmailAddress, passwordHash: String?, code: String, to contents: IDTokenContents, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        let isAllowed = passwordHash == nil ? realm.policy.allowsEmailLinks : realm.policy.allowsPasswords
        guard isAllowed else { throw OOBCodeRefusal.notAllowed }
        let hooked = HookedSignIn(in: realm, HookSignIn(method: passwordHash == nil ? "emailLink" : "password"))
        return try await retryingConflicts { attempt in
            let found = try await redemption.check(code, for: [.signIn], in: realm)
            guard found.code.email == email else { throw OOBCodeRefusal.otherEmail }
            let caller = try await authenticator.authenticate(contents, in: realm)
            // To others, a password is added with a recent login; see ``AccountEditor``.
            guard passwordHash == nil || caller.account.isAnonymous else { throw OOBCodeRefusal.notAllowed }
            return try await link(
                found, passwordHash: passwordHash, to: caller, hooked, isFirstAttempt: attempt == 1, in: realm,
                from: context)
        }
    }

    /// Whether no account has the address of a code.
    ///
    /// - Throws: ``OOBCodeRefusal`` if the code is no longer valid.
    func isFree(_ code: String, in realm: Realm) async throws -> Bool {
        try await redemption.check(code, for: [.signIn], in: realm).account == nil
    }

    private func signIn(
        with found: FoundCode, _ secondFactor: SecondFactorRule, _ hooked: HookedSignIn?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        guard let account = found.account, !found.newAccountChoice.createsAccount(isChosen: false) else {
            return try await signUp(with: found, secondFactor.withoutFactors, hooked, in: realm, from: context)
        }
        let change = MailboxChange.signingIn(account)
        // As in Firebase, a sign-in by email link is a sign-in with `password` in tokens.
        let factor = FirstFactor(
            account: .existing(account, endsSessions: change.update.endsSessions), method: .password,
            secondFactor: change.loss == .reclaimed ? secondFactor.withoutFactors : secondFactor,
            hook: HookCall(hooked, about: account.afterApplying(change)))
        return try await completion.signIn(factor, in: realm, from: context) { session in
            let emails = try redemption.reclaimNotice(of: change, from: context, at: session.openedAt)
            return try await redeem(
                found.code, .change(change), opening: session, sending: EmailBatch(emails: emails), in: realm,
                from: context)
        }
    }

    /// Signs in to a new account with the address of the code. An account that has the address now loses it.
    ///
    /// - Parameter passwordHash: `nil` for an account that signs in by email links.
    private func signUp(
        with found: FoundCode, passwordHash: String? = nil, _ secondFactor: SecondFactorRule, _ hooked: HookedSignIn?,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        if let former = found.account, former.isDisabled { throw OOBCodeRefusal.accountDisabled }
        guard realm.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        let hook = HookCall(hooked) { id, now in
            Self.newAccount(id, found.code.email, passwordHash, at: now).account
        }
        let factor = FirstFactor(account: .new, method: .password, secondFactor: secondFactor, hook: hook)
        return try await completion.signIn(factor, in: realm, from: context) { session in
            let new = Self.newAccount(session.account, found.code.email, passwordHash, at: session.openedAt)
            let emailBatch =
                found.account == nil
                ? .none : try redemption.replacementNotice(of: new, from: context, at: session.openedAt)
            return try await redeem(
                found.code, .create(new, inPlaceOf: found.account), opening: session, sending: emailBatch,
                in: realm, from: context)
        }
    }

    private static func newAccount(
        _ id: ID<Account>, _ email: EmailAddress, _ passwordHash: String?, at now: Instant
    ) -> StoredAccount {
        var new = StoredAccount(new: id, email: email, passwordHash: passwordHash, at: now)
        (new.account.emailIsVerified, new.account.usesEmailLinks) = (true, passwordHash == nil)
        return new
    }

    /// Links the address of the code to the caller's account.
    ///
    /// - Parameter isFirstAttempt: `false` if the same request is tried again, which is not counted.
    private func link(
        _ found: FoundCode, passwordHash: String? = nil, to caller: Caller, _ hooked: HookedSignIn?,
        isFirstAttempt: Bool, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        let email = found.code.email
        let change = MailboxChange.linking(
            email, passwordHash: passwordHash, to: caller.account,
            endsSessions: realm.policy.secondFactors.endsGuestSessions(of: caller.account))
        // If the link was sent to the account's own address, the link is itself a sufficient login, unless a second
        // factor or a passkey protects the account. To replace the address always requires a recent login. To add an
        // address requires it only if the policy says so.
        let isLogin =
            email == caller.account.email && !realm.policy.secondFactors.demandsProof(of: caller.account)
        if change.replacesAddress {
            try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        } else if !isLogin {
            try caller.requireRecentLoginToLink(by: realm.policy, at: clock.now())
        }
        guard found.account == nil || found.account?.id == caller.account.id else { throw EditRefusal.emailTaken }
        if isFirstAttempt { try limiter.countCredentialChange(of: caller.account.id, in: realm) }
        let callerChange = CallerChange(
            caller: caller, method: .password,
            authenticatedAt: isLogin ? nil : caller.authenticatedAtAfterLinking,
            endsSessions: change.update.endsSessions,
            hook: HookCall(hooked, about: caller.account.afterApplying(change)))
        return try await completion.renewSession(callerChange, in: realm, from: context) { session in
            let emailBatch = try emailsAboutLinking(email, by: change, in: realm, from: context, at: session.openedAt)
            return try await redeem(
                found.code, .change(change), by: caller, opening: session, sending: emailBatch, in: realm,
                from: context)
        }
    }

    private func redeem(
        _ code: OOBCode, _ step: Redemption.Step, by caller: Caller? = nil, opening session: NewSession,
        sending emailBatch: EmailBatch, in realm: Realm, from context: RequestContext
    ) async throws -> OpenedSession {
        let redemption = Redemption(
            code: code, step: step, session: session, callerSession: caller?.session, emailBatch: emailBatch,
            recording: realm.recording(by: .user(context.trace)), redeemedAt: session.openedAt)
        let account = try await mappingConflicts(to: \.refusalOfCodeRedemption) {
            try await codes.redeem(redemption, in: realm.id)
        }
        let isNewAccount = if case .create = step { true } else { false }
        return OpenedSession(session, of: account, isNewAccount: isNewAccount)
    }

    /// Returns the notices about an address that is added for email links. They go to the address that the account had
    /// before. Returns none if the account already used email links to the added address.
    private func emailsAboutLinking(
        _ email: EmailAddress, by change: MailboxChange, in realm: Realm, from context: RequestContext,
        at now: Instant
    ) throws -> EmailBatch {
        let (account, policy) = (change.account, realm.policy)
        guard account.email != email || !account.usesEmailLinks else { return .none }
        let notice =
            change.replacesAddress
            ? try emailFactory.emailChangedNotice(
                to: account, newEmail: email, by: policy, from: context, at: now) : .none
        let provider: ProviderID = change.update.passwordHash == nil ? .emailLink : .password
        let method = AddedSignInMethod(provider: provider, subject: nil, addedAt: now)
        return notice + (try emailFactory.additionNotice(of: method, to: account, by: policy, from: context))
    }
}

extension Account {
    /// The account as the change will leave it, as far as blocking functions see it.
    fileprivate func afterApplying(_ change: MailboxChange) -> Account {
        var account = self
        let update = change.update
        account.apply(update.profile)
        if let email = update.email { account.email = email.content }
        account.emailIsVerified = update.emailIsVerified ?? emailIsVerified
        if update.phoneNumber == .remove { account.phoneNumber = nil }
        if update.passwordHash == .remove { account.passwordUpdatedAt = nil }
        let additions = change.removedAdditions
        account.identities.removeAll { identity in
            change.unlinkedProviders.contains(identity.provider)
                || additions?.includes(.identities, addedAt: identity.linkedAt) == true
        }
        account.passkeys.removeAll { additions?.includes(.passkeys, addedAt: $0.addedAt) == true }
        account.secondFactors = SecondFactors(
            factors: secondFactors.factors.filter { additions?.includes(.factors, addedAt: $0.enrolledAt) != true },
            recoveryCodes: secondFactors.recoveryCodes)
        return account
    }
}
