/// The operations of users on their own accounts. Throws ``EditRefusal``, ``CredentialRefusal``, ``TokenRefusal`` and
/// ``TooManyAttempts``.
public struct AccountEditor: Sendable {
    private let completion: SignInCompletion
    private let store: any AccountStore
    private let passwords: PasswordHasher
    private let breaches: BreachedPasswords
    let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let clock: WallClock

    public init(
        completion: SignInCompletion, store: any AccountStore, passwords: PasswordHasher, breaches: BreachedPasswords,
        emailFactory: EmailFactory, limiter: RateLimiter, clock: WallClock
    ) {
        self.completion = completion
        self.store = store
        self.passwords = passwords
        self.breaches = breaches
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }

    /// A requested change, unchecked.
    public struct Input: Sendable {
        public var profile = AccountUpdate.Profile()
        public var email: String?
        public var password: Secret?
        /// Removes the address, and with it the password and the sign-in by email link.
        public var removesEmail = false
        /// Removes the password only: the address and the sign-in by email link stay.
        public var removesPassword = false
        public var removesPhoneNumber = false
        /// Providers whose identities are unlinked; ``ProviderID/password`` stands for the password and the email link.
        /// An address that came from a removed method, and that no remaining method has, is replaced or removed (see
        /// ``Account/primaryEmail(without:)``).
        public var unlinked: Set<ProviderID> = []
        /// Passkeys to remove. IDs that the account does not have are ignored.
        public var removedPasskeys: Set<ID<Passkey>> = []
        /// Replaces the caller's session, while the account's other sessions continue.
        public var replacesOwnSession = false
        /// Whether the request confirms that the account may lose its last sign-in method.
        public var allowsNoSignInMethod = false
        /// Protects the last sign-in method whatever the policy is: the pages have no way to confirm its loss.
        public var keepsSignInMethod = false
        /// See ``OwnerChange/keepsRoles``.
        public var keepsRoles = false
        /// Ends all other sessions of the account, and replaces the caller's session with one that counts as a fresh
        /// login.
        public var renewsSession = false
        /// A secret with which the client can request the tokens of its new session again if the response is lost.
        public var resumptionKey: ResumptionKey?

        public init() {}

        var removesSignInMethods: Bool {
            removesEmail || removesPassword || removesPhoneNumber || !unlinked.isEmpty || !removedPasskeys.isEmpty
        }

        /// Whether the change removes the password. Without an address, a password cannot be used.
        var leavesNoPassword: Bool { removesPassword || removesEmail || unlinked.contains(.password) }

        /// The password to set. Removing the password takes precedence over setting it.
        var newPassword: Secret? { leavesNoPassword ? nil : password }
    }

    /// The account after the change, and new tokens if the change replaced the caller's session.
    public struct Edited: Sendable {
        public let account: Account
        public let signedIn: SignedIn?
    }

    /// Changes the caller's account.
    ///
    /// A change of address or password, and ``Input/renewsSession``, end every session of the account and replace the
    /// caller's session with a new one. The new session counts as a fresh login, so all of these changes require a
    /// recent login. Unlinking an identity and removing a passkey ends the other sessions that were opened with it.
    /// These changes and removing the phone number require a recent login only with
    /// ``Policy/requiresRecentLoginToLink``.
    public func edit(
        _ caller: Caller, _ input: Input, in realm: Realm, from context: RequestContext
    ) async throws -> Edited {
        let email = try input.email.map { text throws(CredentialRefusal) in try EmailAddress(required: text) }
        let isNewAddress = email != nil && email != caller.account.email
        let changesCredential = isNewAddress || input.newPassword != nil || input.leavesNoPassword
        guard input.newPassword == nil || realm.policy.allowsPasswords else { throw EditRefusal.passwordsNotAllowed }
        // Linked again, the identity would no longer be suspended.
        guard !caller.account.identities.contains(where: { $0.isSuspended && input.unlinked.contains($0.provider) })
        else { throw SignInRefusal.accountDisabled }
        let replacesSession = changesCredential || input.renewsSession
        try checkRecentLoginAndRateLimit(caller, input, replacesSession: replacesSession, in: realm)
        if isNewAddress, realm.policy.emailEnumerationProtection { throw EditRefusal.emailNeedsVerification }
        if let email, isNewAddress { try await store.requireFree(email, in: realm.id) }
        let passwordHash: AccountUpdate.Value<String>? =
            if let password = input.newPassword {
                .set(try await checkedHash(of: password, in: realm, from: context))
            } else {
                input.leavesNoPassword ? .remove : nil
            }
        var change = OwnerChange(changedAt: clock.now(), recording: realm.recording(by: .user(context.trace)))
        change.update.profile = input.profile
        change.update.email = input.removesEmail ? .remove : isNewAddress ? email.map { .set($0) } : nil
        change.update.passwordHash = passwordHash
        if input.removesPhoneNumber { change.update.phoneNumber = .remove }
        // If the account has neither a password nor email links, unlinking `password` must not remove the address.
        change.unlinked =
            caller.account.hasPassword || caller.account.usesEmailLinks
            ? input.unlinked : input.unlinked.subtracting([.password])
        if change.unlinked.contains(.password) { change.update.usesEmailLinks = false }
        change.removedPasskeys = input.removedPasskeys
        change.keepsRoles = input.keepsRoles
        if input.removesSignInMethods, !input.allowsNoSignInMethod,
            input.keepsSignInMethod || realm.policy.protectsLastSignInMethod
        {
            change.protectedMethods = UsableSignInMethods(for: caller.account, in: realm)
        }
        let passkey: CallerChange.Replacement<ID<Passkey>> =
            caller.session.passkey.map(input.removedPasskeys.contains) == true ? .replace(nil) : .keep
        guard replacesSession else {
            guard input.replacesOwnSession else {
                let account = try await apply(change, to: caller, in: realm, from: context)
                return Edited(account: account, signedIn: nil)
            }
            let signedIn = try await renewSession(of: caller, passkey, with: change, in: realm, from: context)
            return Edited(account: signedIn.account, signedIn: signedIn)
        }
        let method = input.newPassword == nil ? caller.session.method : .password
        let signedIn = try await replaceSession(
            of: caller, by: method, passkey, with: change, for: input.resumptionKey, in: realm, from: context)
        return Edited(account: signedIn.account, signedIn: signedIn)
    }

    /// Whether the caller has logged in so recently that every change of the account is accepted.
    public func hasRecentLogin(_ caller: Caller, in realm: Realm) -> Bool {
        // The reason does not matter: the user signs in again.
        (try? caller.requireRecentLogin(by: realm.policy, at: clock.now())) != nil
    }

    /// Sets the address and the password of an account. An anonymous account becomes a permanent one and keeps its ID.
    ///
    /// - Parameter resumptionKey: see ``Input/resumptionKey``.
    public func addPassword(
        to caller: Caller, email: String?, password: Secret?, profile: AccountUpdate.Profile,
        resumptionKey: ResumptionKey? = nil, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        guard realm.policy.allowsPasswords else { throw EditRefusal.passwordsNotAllowed }
        let credential = try PasswordCredential(email: email, password: password)
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        let isNewAddress = credential.email != caller.account.email
        if isNewAddress, caller.account.email != nil, realm.policy.emailEnumerationProtection {
            throw EditRefusal.emailNeedsVerification
        }
        guard isNewAddress else {
            return try await storePassword(
                credential, newEmail: nil, profile: profile, to: caller, for: resumptionKey, in: realm,
                from: context)
        }
        return try await limiter.limitingAddressChange(from: context.network, in: realm) {
            try await storePassword(
                credential, newEmail: credential.email, profile: profile, to: caller, for: resumptionKey,
                in: realm, from: context)
        }
    }

    /// Stores the password and, if it is new, the address.
    ///
    /// - Parameter newEmail: the address of `credential`; `nil` if the account already has this address.
    private func storePassword(
        _ credential: PasswordCredential, newEmail: EmailAddress?, profile: AccountUpdate.Profile,
        to caller: Caller, for resumptionKey: ResumptionKey?, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        // Checks the password, and that the address is free.
        try await realm.policy.require(credential.password, unknownTo: breaches) {
            if let newEmail { try await store.requireFree(newEmail, in: realm.id) }
        }
        let passwordHash = try await passwords.hash(credential.password, context.hashingClient(in: realm))
        var change = OwnerChange(changedAt: clock.now(), recording: realm.recording(by: .user(context.trace)))
        change.update.email = newEmail.map { .set($0) }
        change.update.passwordHash = .set(passwordHash)
        change.update.profile = profile
        return try await replaceSession(
            of: caller, by: .password, with: change, for: resumptionKey, in: realm, from: context)
    }

    /// Deletes the caller's account. Requires a recent login.
    ///
    /// - Parameter appleRevocation: whether the deletion revokes Apple's tokens. If they cannot be revoked, the emailed
    ///   notice explains how to disconnect the app from the Apple Account.
    public func delete(
        _ caller: Caller, appleRevocation: AppleRevocation = .none, in realm: Realm, from context: RequestContext
    ) async throws {
        guard realm.policy.allowsDeletion else { throw EditRefusal.deletionNotAllowed }
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        let now = clock.now()
        var emails: [OutgoingEmail] = []
        if let recipient = NoticeRecipient(of: caller.account, by: realm.policy) {
            var payload = EmailPayload()
            payload.staysConnectedToApple = appleRevocation == .notPossible ? true : nil
            emails = try emailFactory.notice(
                .accountDeleted, to: recipient, about: nil, payload, from: context, at: now)
        }
        let emailBatch = EmailBatch(emails: emails)
        try await mappingConflicts(to: \.refusalOfEdit) {
            try await store.deleteAccount(
                of: caller.session,
                by: AccountDeletion(at: now, recording: realm.recording(by: .user(context.trace))),
                emailBatch: emailBatch, in: realm.id)
        }
    }

    /// Checks nothing if the change neither replaces the caller's session nor removes a sign-in method.
    private func checkRecentLoginAndRateLimit(
        _ caller: Caller, _ input: Input, replacesSession: Bool, in realm: Realm
    ) throws {
        guard replacesSession || input.removesSignInMethods else { return }
        let now = clock.now()
        if replacesSession {
            try caller.requireRecentLogin(by: realm.policy, at: now)
        } else {
            try caller.requireRecentLoginToLink(by: realm.policy, at: now)
        }
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
    }

    private func checkedHash(
        of password: Secret, in realm: Realm, from context: RequestContext
    ) async throws -> String {
        try await realm.policy.require(password, unknownTo: breaches)
        return try await passwords.hash(password, context.hashingClient(in: realm))
    }

    /// Applies `change`, ends every session of the account, and opens a new one for the caller.
    private func replaceSession(
        of caller: Caller, by method: ProviderID, _ passkey: CallerChange.Replacement<ID<Passkey>> = .keep,
        with change: OwnerChange, for resumptionKey: ResumptionKey?,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        let callerChange = CallerChange(
            caller: caller, method: method, authenticatedAt: nil, endsSessions: true, resumptionKey: resumptionKey,
            passkey: passkey)
        return try await completion.renewSession(callerChange, in: realm, from: context) { session in
            var change = change
            change.replaceSession(with: session)
            return OpenedSession(session, of: try await apply(change, to: caller, in: realm, from: context))
        }
    }

    /// Applies `change`, and replaces the caller's session by one with the same `auth_time`.
    private func renewSession(
        of caller: Caller, _ passkey: CallerChange.Replacement<ID<Passkey>>, with change: OwnerChange,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        let callerChange = CallerChange(
            caller: caller, method: caller.session.method, authenticatedAt: caller.session.authenticatedAt,
            passkey: passkey)
        return try await completion.renewSession(callerChange, in: realm, from: context) { session in
            var change = change
            change.renewSession(with: session)
            return OpenedSession(session, of: try await apply(change, to: caller, in: realm, from: context))
        }
    }

    private func apply(
        _ change: OwnerChange, to caller: Caller, in realm: Realm, from context: RequestContext
    ) async throws -> Account {
        var change = change
        change.emailBatch = try notices(of: change, to: caller.account, by: realm.policy, from: context)
        change.events = change.events(about: caller.account)
        return try await mappingConflicts(to: \.refusalOfEdit) { [change] in
            try await store.update(change, by: caller.session, in: realm.id)
        }
    }
}

extension StoreConflict {
    /// The refusal if the owner of an account changes or deletes it, or ends all its sessions.
    var refusalOfEdit: (any Refusal)? {
        switch self {
        case .stale: TokenRefusal.sessionEnded
        case .taken(.email): EditRefusal.emailTaken
        case .lastSignInMethod: EditRefusal.lastSignInMethod
        case .taken, .alreadyUsed, .notFound: nil
        }
    }
}
