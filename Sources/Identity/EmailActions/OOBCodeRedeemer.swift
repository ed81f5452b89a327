/// Redeems email action codes, except that ``EmailLinkMethod`` redeems those of sign-in links. Throws
/// ``OOBCodeRefusal`` and ``CredentialRefusal``.
public struct OOBCodeRedeemer: Sendable {
    /// The maximum length of a code in bytes. A longer text is not a code of the gateway.
    private static let lengthLimit = 256

    let codes: any OOBCodeStore
    let store: any AccountStore
    let passwords: PasswordHasher
    let breaches: BreachedPasswords
    let emailFactory: EmailFactory
    let networks: NetworkHashing
    let clock: WallClock
    let entropy: Entropy

    public init(
        codes: any OOBCodeStore, store: any AccountStore, passwords: PasswordHasher, breaches: BreachedPasswords,
        emailFactory: EmailFactory, networks: NetworkHashing, clock: WallClock, entropy: Entropy
    ) {
        self.codes = codes
        self.store = store
        self.passwords = passwords
        self.breaches = breaches
        self.emailFactory = emailFactory
        self.networks = networks
        self.clock = clock
        self.entropy = entropy
    }

    /// Returns a valid code with its account. Does not consume the code.
    ///
    /// - Parameter realm: `nil` searches the codes of every realm.
    public func check(_ code: String?, in realm: ID<Realm>?) async throws -> FoundCode {
        guard let code, !code.isEmpty else { throw OOBCodeRefusal.missing }
        guard code.utf8.count <= Self.lengthLimit,
            case let now = clock.now(),
            var found = try await codes.find(emailFactory.hash(code), at: now, in: realm)
        else { throw OOBCodeRefusal.invalid }
        try found.requireValid(at: now)
        // Recovery codes then also go to unproven addresses.
        if emailFactory.restoresFirstAddress { found.earlierMailbox = nil }
        return found
    }

    /// Returns the realm of a stored code, valid or not.
    public func realm(ofStored code: String) async throws -> ID<Realm>? {
        guard (1...Self.lengthLimit).contains(code.utf8.count) else { return nil }
        return try await codes.find(emailFactory.hash(code), at: clock.now(), in: nil)?.realm
    }

    /// Sets a password, which also verifies the address. The password is checked and hashed before the code is
    /// consumed. The user may get a new account; see ``EarlierMailbox``.
    ///
    /// - Parameters:
    ///   - selection: what the user did not add.
    ///   - choosesNewAccount: whether the user wants a new account because of an ``EarlierMailbox``.
    /// - Returns: the redeemed code.
    public func resetPassword(
        _ code: String?, to password: Secret, removing selection: MethodSelection, choosesNewAccount: Bool = false,
        in realm: Realm, from context: RequestContext
    ) async throws -> OOBCode {
        guard realm.policy.allowsPasswords else { throw OOBCodeRefusal.notAllowed }
        let found = try await check(code, for: [.resetPassword], in: realm)
        try await realm.policy.require(password, unknownTo: breaches)
        let hash = try await passwords.hash(password, context.hashingClient(in: realm))
        // The client's network becomes a known network. Otherwise wrong passwords of other clients could block the
        // owner's next sign-in. A known network also allows more one-time passwords, so a reset, which proves only the
        // mailbox, adds none to an account with second factors.
        let networkHash = networks.hash(of: context, in: realm)
        _ = try await redeem(
            code, for: [.resetPassword], fromNetwork: networkHash, in: realm, from: context
        ) { account, found, now in
            if found.newAccountChoice.createsAccount(isChosen: choosesNewAccount) {
                guard realm.policy.allowsSignUp else { throw OOBCodeRefusal.notAllowed }
                var new = StoredAccount(
                    new: entropy.accountID(), email: found.code.email, passwordHash: hash, at: now)
                new.account.emailIsVerified = true
                return (.create(new, inPlaceOf: account), try replacementNotice(of: new, from: context, at: now))
            }
            let change = MailboxChange.resetting(account, to: hash, removing: selection, by: realm.policy)
            let emails = try emailsAboutReset(
                change, by: realm.policy, earlier: found.earlierMailbox, from: context, at: now)
            return (.change(change), emails)
        }
        return found.code
    }

    /// Redeems a code that verifies, changes or restores an address, or that removes an added second factor.
    public func apply(_ code: String?, in realm: Realm, from context: RequestContext) async throws -> AppliedCode {
        let result = try await redeem(
            code, for: [.verifyEmail, .changeEmail, .recoverEmail, .revertFactorAddition], in: realm, from: context
        ) { account, found, now in
            if found.code.purpose == .revertFactorAddition {
                return (.change(try await removal(from: account, by: found.code, in: realm)), .none)
            }
            guard found.code.purpose == .recoverEmail else {
                let (change, emailBatch) = try confirmation(
                    of: account, by: found.code, removing: .none, in: realm, from: context, at: now)
                return (.change(change), emailBatch)
            }
            return (.change(try await recovery(of: account, by: found.code, removing: .none, in: realm)), .none)
        }
        return AppliedCode(account: result.account, code: result.redemption.code)
    }

    public struct AppliedCode: Hashable, Sendable {
        /// The account after the change.
        public let account: Account
        public let code: OOBCode
    }

    /// Removes the address from an account at the request of the mailbox's owner ("this was not me"). The code is one
    /// that verifies an address. Rejects the code if the address is already verified.
    public func disavow(_ code: String?, in realm: Realm, from context: RequestContext) async throws {
        _ = try await redeem(code, for: [.verifyEmail], in: realm, from: context) { account, _, _ in
            guard !account.emailIsVerified else { throw OOBCodeRefusal.invalid }
            return (.change(.disavowing(account)), .none)
        }
    }
}

extension OOBCodeRedeemer {
    /// Returns a valid code that has one of `purposes`, with its account. Does not consume the code.
    public func check(
        _ code: String?, for purposes: Set<OOBCode.Purpose>, in realm: Realm
    ) async throws -> FoundCode {
        let found = try await check(code, in: realm.id)
        guard purposes.contains(found.code.purpose) else { throw OOBCodeRefusal.invalid }
        return found
    }

    /// A redemption, and the account after it.
    struct RedemptionResult {
        let redemption: Redemption
        let account: Account
    }

    /// Consumes a code and applies the step that `decide` returns. If the account has changed in the meantime, checks
    /// the code again, and calls `decide` again.
    ///
    /// - Parameter networkHash: see ``Redemption/networkHash``.
    func redeem(
        _ code: String?, for purposes: Set<OOBCode.Purpose>, fromNetwork networkHash: [UInt8]? = nil,
        in realm: Realm, from context: RequestContext,
        _ decide: (Account, FoundCode, Instant) async throws -> (Redemption.Step, EmailBatch)
    ) async throws -> RedemptionResult {
        try await retryingConflicts { _ in
            let found = try await check(code, for: purposes, in: realm)
            guard let account = found.account else { throw OOBCodeRefusal.invalid }
            guard !account.isDisabled else { throw OOBCodeRefusal.accountDisabled }
            let now = clock.now()
            let (step, emailBatch) = try await decide(account, found, now)
            let redemption = Redemption(
                code: found.code, step: step, emailBatch: emailBatch,
                networkHash: account.secondFactors.isEmpty ? networkHash : nil,
                recording: realm.recording(by: .user(context.trace)), redeemedAt: now)
            let updated = try await mappingConflicts(to: \.refusalOfCodeRedemption) {
                try await codes.redeem(redemption, in: realm.id)
            }
            return RedemptionResult(redemption: redemption, account: updated)
        }
    }

    /// Returns the notice to the mailbox that the reset has just proven. If the account was reclaimed, because its
    /// address was never verified, the notice states that. Otherwise it states that the password was changed.
    private func emailsAboutReset(
        _ reset: MailboxChange, by policy: Policy, earlier: EarlierMailbox?, from context: RequestContext,
        at now: Instant
    ) throws -> EmailBatch {
        guard reset.loss != .reclaimed, let email = reset.email else {
            return EmailBatch(emails: try reclaimNotice(of: reset, from: context, at: now))
        }
        return try emailFactory.resetNotice(
            to: email, about: reset.account.id, withRemovalLinksFor: reset.remainingRemovableIdentities,
            removed: reset.account.methodsRemovedByReset(by: policy), earlier: earlier, from: context, at: now)
    }

    /// Returns the notice that the owner of the mailbox has a new account; see ``EarlierMailbox``.
    func replacementNotice(of new: StoredAccount, from context: RequestContext, at now: Instant) throws -> EmailBatch {
        guard let email = new.account.email else { return .none }
        return EmailBatch(
            emails: try emailFactory.notice(
                .accountReplaced, to: .proven(email), about: new.account.id, from: context, at: now))
    }

    /// - Returns: the notice that the account now belongs to the owner of the mailbox; none if `change` does not
    ///   reclaim the account.
    func reclaimNotice(of change: MailboxChange, from context: RequestContext, at now: Instant) throws
        -> [OutgoingEmail]
    {
        guard change.loss == .reclaimed, let email = change.email else { return [] }
        return try emailFactory.notice(
            .accountReclaimed, to: .proven(email), about: change.account.id, from: context, at: now)
    }
}

extension StoreConflict {
    var refusalOfCodeRedemption: (any Refusal)? {
        switch self {
        case .alreadyUsed, .notFound: OOBCodeRefusal.invalid
        case .taken(.email): OOBCodeRefusal.emailTaken
        case .stale, .taken, .lastSignInMethod: nil
        }
    }
}
