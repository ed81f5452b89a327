/// What the proof of a mailbox is good for. Throws ``OOBCodeRefusal``, ``CredentialRefusal``, ``TokenRefusal`` and
/// ``EditRefusal``.
public struct OOBRedemption: Sendable {
    /// How often a decision is taken again because others changed what it rests on.
    private static let attempts = 5
    /// In characters; what is longer is no code of ours.
    private static let lengthLimit = 256

    let with: Collaborators
    let authenticator: Authenticator
    let codes: any OOBCodeStore

    public init(with collaborators: Collaborators, codes: any OOBCodeStore) {
        with = collaborators
        authenticator = Authenticator(with: collaborators)
        self.codes = codes
    }

    /// What a code is good for. Uses nothing up.
    ///
    /// - Parameter project: `nil` finds those of every project.
    public func check(_ code: String?, in project: ID<Project>?) async throws -> FoundCode {
        guard let code, !code.isEmpty else { throw OOBCodeRefusal.missing }
        guard code.utf8.count <= Self.lengthLimit,
            let found = try await codes.find(with.outOfBand.hash(code), in: project)
        else { throw OOBCodeRefusal.invalid }
        try found.requireStanding(at: with.clock.now())
        return found
    }

    /// Sets a password, which proves the address too. The password is judged, and hashed, before the code is used up.
    public func resetPassword(
        _ code: String?, to password: Secret, in project: Project, from origin: Origin
    ) async throws -> OOBCode {
        guard project.policy.allowsPasswords else { throw OOBCodeRefusal.notAllowed }
        let found = try await check(code, for: [.resetPassword], in: project)
        try await with.require(password, by: project.policy)
        let hash = try await with.passwords.hash(password, origin.prefix)
        _ = try await redeem(code, for: [.resetPassword], in: project, from: origin) { account, _, now in
            let change = MailboxChange.resetting(account, to: hash, by: project.policy)
            return (
                change, Mailing(letters: try notices(of: change, otherwise: .passwordChanged, from: origin, at: now))
            )
        }
        return found.code
    }

    /// Verifies or changes an address, or goes back to the one before.
    public func apply(_ code: String?, in project: Project, from origin: Origin) async throws -> Applied {
        try await redeem(code, for: [.verifyEmail, .changeEmail, .recoverEmail], in: project, from: origin) {
            account, code, now in
            switch code.purpose {
            case .changeEmail:
                let email = code.newEmail ?? code.email
                return (
                    .changing(account, to: email),
                    email == account.email
                        ? Mailing() : try with.farewell(to: account, for: email, from: origin, at: now)
                )
            case .recoverEmail: return (.recovering(account, by: code), Mailing())
            case .verifyEmail, .resetPassword, .signIn: return (.verifying(account), Mailing())
            }
        }
    }

    public struct Applied: Hashable, Sendable {
        /// As it is now.
        public let account: Account
        public let code: OOBCode
    }

    /// "This was not me", of whoever got a code that verifies an address. Nothing happens to an address proven before.
    public func disavow(_ code: String?, in project: Project, from origin: Origin) async throws {
        _ = try await redeem(code, for: [.verifyEmail], in: project, from: origin) { account, _, _ in
            guard !account.emailIsVerified else { throw OOBCodeRefusal.invalid }
            return (.disavowing(account), Mailing())
        }
    }

    /// Signs in whoever has the mailbox, to the account that holds the address or to a new one; with an ID token, gives the
    /// mailbox to that account.
    public func signIn(
        email: String?, code: String?, idToken: String?, in project: Project, from origin: Origin
    ) async throws -> (signedIn: SignedIn, isNewAccount: Bool) {
        guard project.policy.allowsEmailLinks else { throw OOBCodeRefusal.notAllowed }
        let email = try Email(presented: email)
        for _ in 0..<Self.attempts {
            let found = try await check(code, for: [.signIn], in: project)
            guard found.code.email == email else { throw OOBCodeRefusal.otherEmail }
            let caller: Caller? =
                if let idToken { try await authenticator.caller(showing: idToken, in: project) } else { nil }
            let entry = try entry(of: found, by: caller, in: project, from: origin)
            switch try await codes.redeem(entry.redemption, in: project.id) {
            case .done(let account):
                let signedIn = try await with.tokens.signedIn(
                    account, entry.session, in: project, at: entry.session.authenticatedAt)
                return (signedIn, entry.isNewAccount)
            case .stale: continue
            case .used: throw OOBCodeRefusal.invalid
            case .emailTaken: throw OOBCodeRefusal.emailTaken
            }
        }
        throw Overloaded()
    }

    private struct Entry {
        let redemption: Redemption
        let session: Session
        let isNewAccount: Bool
    }

    private func entry(
        of found: FoundCode, by caller: Caller?, in project: Project, from origin: Origin
    ) throws -> Entry {
        let now = with.clock.now()
        let email = found.code.email
        func entry(_ step: Redemption.Step, _ account: ID<Account>, _ generation: Int64, _ mailing: Mailing) -> Entry {
            let session = Session(
                id: with.entropy.sessionID(), account: account, generation: generation, method: .password,
                authenticatedAt: now, device: origin.device)
            let redemption = Redemption(
                code: found.code, step: step, session: session, caller: caller?.session, mailing: mailing,
                trace: origin.trace, redeemedAt: now)
            if case .create = step { return Entry(redemption: redemption, session: session, isNewAccount: true) }
            return Entry(redemption: redemption, session: session, isNewAccount: false)
        }
        if let caller {
            guard found.account == nil || found.account?.id == caller.account.id else { throw EditRefusal.emailTaken }
            let change = MailboxChange.linking(email, to: caller.account)
            if change.endsSessions { try caller.requireRecentLogin(by: project.policy, at: now) }
            let mailing =
                change.endsSessions
                ? try with.farewell(to: caller.account, for: email, from: origin, at: now) : Mailing()
            return entry(.change(change), caller.account.id, change.generation, mailing)
        }
        guard let account = found.account else {
            let new = NewAccount(id: with.entropy.accountID(), email: email, createdAt: now)
            return entry(.create(new), new.id, 1, Mailing())
        }
        guard !account.isDisabled else { throw OOBCodeRefusal.accountDisabled }
        let change = MailboxChange.signingIn(account)
        let letters = try notices(of: change, otherwise: nil, from: origin, at: now)
        return entry(.change(change), account.id, change.generation, Mailing(letters: letters))
    }
}

extension OOBRedemption {
    private func check(
        _ code: String?, for purposes: Set<OOBCode.Purpose>, in project: Project
    ) async throws -> FoundCode {
        let found = try await check(code, in: project.id)
        guard purposes.contains(found.code.purpose) else { throw OOBCodeRefusal.invalid }
        return found
    }

    private func redeem(
        _ code: String?, for purposes: Set<OOBCode.Purpose>, in project: Project, from origin: Origin,
        _ decide: (Account, OOBCode, Instant) throws -> (MailboxChange, Mailing)
    ) async throws -> Applied {
        for _ in 0..<Self.attempts {
            let found = try await check(code, for: purposes, in: project)
            guard let account = found.account else { throw OOBCodeRefusal.invalid }
            guard !account.isDisabled else { throw OOBCodeRefusal.accountDisabled }
            let now = with.clock.now()
            let (change, mailing) = try decide(account, found.code, now)
            let redemption = Redemption(
                code: found.code, step: .change(change), mailing: mailing, trace: origin.trace, redeemedAt: now)
            switch try await codes.redeem(redemption, in: project.id) {
            case .done(let account): return Applied(account: account, code: found.code)
            case .stale: continue
            case .used: throw OOBCodeRefusal.invalid
            case .emailTaken: throw OOBCodeRefusal.emailTaken
            }
        }
        throw Overloaded()
    }

    /// To the mailbox that was just proven.
    private func notices(
        of change: MailboxChange, otherwise kind: Letter.Kind?, from origin: Origin, at now: Instant
    ) throws -> [Letter] {
        guard let email = change.email, let kind = change.event == .reclaimed ? .accountReclaimed : kind else {
            return []
        }
        return try with.notice(kind, to: email, about: change.account.id, from: origin, at: now)
    }
}
