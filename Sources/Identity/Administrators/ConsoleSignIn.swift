/// Signs administrators in to the console, with an email address, a password and a second factor, or with a passkey.
///
/// A session of the console is a session of the person's account in the operators' project, so it ends with that
/// session: when the person signs out, the password changes, the account is disabled, or the role changes. The browser
/// keeps a sealed reference to it.
///
/// Throws the refusals of ``PasswordMethod``, ``SecondFactorSignIn``, ``FactorEnrolment``, ``PasskeyMethod``,
/// ``PasskeyEnrolment``, ``AccountEditor`` and ``Administrators``, and ``ConsoleRefusal``.
public struct ConsoleSignIn: Sendable {
    /// How long a session of the console lasts without a request.
    public static let idleLifetime: Duration = .seconds(30 * 60)
    /// How long a session of the console lasts after the sign-in.
    public static let lifetime: Duration = .seconds(12 * 3600)
    /// How long after the proof of both factors a person may do what needs it.
    public static let proofLifetime: Duration = .seconds(5 * 60)

    public let administrators: Administrators
    private let password: PasswordMethod
    private let secondFactor: SecondFactorSignIn
    let enrolment: FactorEnrolment
    let passkeys: PasskeyMethod
    let passkeyEnrolment: PasskeyEnrolment
    let editor: AccountEditor
    private let emails: OOBCodeSender
    let authenticator: Authenticator
    private let store: any AccountStore
    private let sealedTokens: any SealedTokens
    let clock: WallClock

    public init(
        administrators: Administrators, password: PasswordMethod, secondFactor: SecondFactorSignIn,
        enrolment: FactorEnrolment, passkeys: PasskeyMethod, passkeyEnrolment: PasskeyEnrolment,
        editor: AccountEditor, emails: OOBCodeSender, authenticator: Authenticator, store: any AccountStore,
        sealedTokens: any SealedTokens, clock: WallClock
    ) {
        self.administrators = administrators
        self.password = password
        self.secondFactor = secondFactor
        self.enrolment = enrolment
        self.passkeys = passkeys
        self.passkeyEnrolment = passkeyEnrolment
        self.editor = editor
        self.emails = emails
        self.authenticator = authenticator
        self.store = store
        self.sealedTokens = sealedTokens
        self.clock = clock
    }

    /// What a right password leads to.
    public enum Step: Sendable {
        /// The person enters a code of the authenticator app, or a recovery code.
        case code(pendingCredential: String)
        /// The person signs in with a passkey of the account instead.
        case passkey
        /// The account has no second factor and no passkey yet.
        case enrolment(idToken: String)
    }

    public func start(email: String, password: Secret, from context: RequestContext) async throws -> Step {
        let realm = try await administrators.realm()
        let outcome = try await self.password.signIn(email: email, password: password, in: realm, from: context)
        switch outcome {
        case .signedIn(let signedIn):
            guard !signedIn.account.passkeys.isEmpty else { return .enrolment(idToken: signedIn.idToken) }
            try await end(signedIn.session, in: realm, from: context)
            guard administrators.hasUsablePasskey(signedIn.account, in: realm) else {
                throw ConsoleRefusal.passkeyNotAccepted
            }
            return .passkey
        case .secondFactorRequired(let challenge): return .code(pendingCredential: challenge.pendingCredential)
        case .confirmationNeeded, .conflict, .phoneConflict: throw ConsoleRefusal.signInFailed
        }
    }

    /// Proves the second factor of a sign-in.
    ///
    /// - Parameters:
    ///   - code: of the authenticator app, or a recovery code.
    ///   - invitation: the code of an invitation to accept; `nil` without one.
    /// - Returns: the sealed reference to the session.
    public func finish(
        _ pendingCredential: String, code: String, accepting invitation: String?, from context: RequestContext
    ) async throws -> String {
        let realm = try await administrators.realm()
        let signedIn = try await secondFactor.finalize(
            pendingCredential, withCode: code, for: .console, in: realm, from: context)
        return try await open(signedIn, accepting: invitation, in: realm, from: context)
    }

    /// Creates the secret of the authenticator app for an account without a second factor.
    public func startEnrolment(idToken: String) async throws -> FactorEnrolment.StartedTOTP {
        let realm = try await administrators.realm()
        return try await enrolment.start(idToken: idToken, namesKind: true, in: realm)
    }

    /// Enrols the authenticator app, and signs the person in with an invitation. A role that the account has already
    /// is not sufficient, because nothing but the password protected the account before.
    public func finishEnrolment(
        idToken: String, sessionInfo: String, code: String, accepting invitation: String?,
        from context: RequestContext
    ) async throws -> String {
        let realm = try await administrators.realm()
        let signedIn = try await enrolment.finalize(
            for: try await newcomer(idToken, in: realm),
            FactorEnrolment.Verification(sessionInfo: sessionInfo, code: Secret(code)),
            displayName: nil, in: realm, from: context)
        return try await open(
            signedIn, accepting: invitation, needsInvitation: true, in: realm, from: context)
    }

    /// Returns the caller who adds the first factor to an account that has no role yet. Only a password protects such
    /// an account, and a role must not depend on the password alone.
    func newcomer(_ idToken: String, in realm: Realm) async throws -> Caller {
        let caller = try await authenticator.authenticate(idToken: idToken, in: realm, acceptsRestricted: true)
        guard !administrators.hasUsablePasskey(caller.account, in: realm) else { throw ConsoleRefusal.factorRequired }
        guard try await administrators.roles(of: caller.account.id).isEmpty else { throw ConsoleRefusal.noRole }
        return caller
    }

    func open(
        _ signedIn: SignedIn, accepting invitation: String?, needsInvitation: Bool = false, in realm: Realm,
        from context: RequestContext
    ) async throws -> String {
        let caller = try await authenticator.authenticate(idToken: signedIn.idToken, in: realm)
        let (account, session) = (caller.account, caller.session)
        guard session.hasSecondFactor(of: account) else { throw ConsoleRefusal.factorRequired }
        var isAccepted = false
        if let invitation { isAccepted = try await administrators.accept(invitation, by: session, from: context) }
        // An old link does not prevent the sign-in of a person who has a role.
        guard isAccepted || !needsInvitation, try await !administrators.roles(of: account.id).isEmpty else {
            try await end(session, in: realm, from: context)
            throw ConsoleRefusal.noRole
        }
        return try reference(to: session, in: realm)
    }

    /// Returns the person whose browser sent the reference, and a new reference that expires later.
    ///
    /// - Returns: `nil` if the session has ended or expired.
    public func person(_ reference: String) async throws -> (person: ConsolePerson, reference: String)? {
        let (realm, now) = (try await administrators.realm(), clock.now())
        // A forged or expired reference is like none.
        guard let content = try? sealedTokens.decode(ConsoleReference.self, from: reference, at: now, in: realm.id).0,
            let found = try await store.find(
                IDTokenContents(account: content.account, session: content.session), in: realm.id),
            let session = found.session, !found.account.isDisabled, session.hasSecondFactor(of: found.account),
            now - session.authenticatedAt < Self.lifetime
        else { return nil }
        let roles = try await administrators.roles(of: found.account.id)
        guard !roles.isEmpty else { return nil }
        return (
            ConsolePerson(account: found.account, session: session, roles: roles),
            try self.reference(to: session, in: realm)
        )
    }

    func reference(to session: Session, in realm: Realm) throws -> String {
        let end = min(clock.now() + Self.idleLifetime, session.authenticatedAt + Self.lifetime)
        return try sealedTokens.encode(
            ConsoleReference(account: session.account, session: session.id), until: end, in: realm.id)
    }

    public func signOut(_ person: ConsolePerson, from context: RequestContext) async throws {
        try await end(person.session, in: try await administrators.realm(), from: context)
    }

    func end(_ session: Session, in realm: Realm, from context: RequestContext) async throws {
        try await store.end(
            session.id, by: session, events: [AccountEvent(.sessionRevoked(session.id), of: session.account)],
            recording: realm.recording(by: .user(context.trace)), at: clock.now(), in: realm.id)
    }

    /// Sends an email with which a person sets a password, and so proves the mailbox.
    ///
    /// - Parameter code: of the invitation that the person accepts, which the email then names; otherwise empty.
    public func sendPasswordEmail(
        to email: String, accepting code: String, from context: RequestContext
    ) async throws {
        var request = OOBCodeSender.Request(purpose: .resetPassword, email: email)
        request.continueURL = administrators.signInURL
        if !code.isEmpty, let address = EmailAddress(email) {
            request.invitation = try await administrators.invitation(code, to: address)
        }
        _ = try await emails.send(request, in: try await administrators.realm(), from: context)
    }
}

/// A signed-in administrator.
public struct ConsolePerson: Sendable {
    public let account: Account
    public let session: Session
    public let roles: AdministratorRoles
}

extension ConsolePerson {
    /// Whether the person has proven both factors recently.
    public func isProven(at now: Instant) -> Bool {
        now - session.authenticatedAt <= ConsoleSignIn.proofLifetime
    }

    /// What the person may do in a project now; `nil` without a role.
    public func permissions(in project: ID<Project>, at now: Instant) -> (role: AdministratorRole, ServiceKeyScopes)? {
        roles.role(in: project).map { role in
            let unproven = Set(ServiceKeyScope.allCases.filter(\.needsRecentProof))
            return (role, isProven(at: now) ? role.scopes : role.scopes.subtracting(unproven))
        }
    }
}

/// What a browser keeps of a session of the console.
private struct ConsoleReference: SealedTokenContent {
    static let purpose = "console-session"
    static let invalidRefusal: any Refusal = ConsoleRefusal.signInFailed

    let account: ID<Account>
    let session: ID<Session>
}

/// Why a person was not signed in to the console.
public enum ConsoleRefusal: Refusal, Hashable {
    case signInFailed
    case factorRequired
    /// The person has no role, and accepted no invitation.
    case noRole
    /// The account has only passkeys that pages of the console do not accept. The password alone replaces none.
    case passkeyNotAccepted
    /// The operation needs a proof of both factors of the last five minutes.
    case proofNeeded
}

extension ConsoleRefusal {
    public var code: ErrorCode {
        switch self {
        case .signInFailed: .invalidLoginCredentials
        case .factorRequired, .noRole, .passkeyNotAccepted: .permissionDenied
        case .proofNeeded: .credentialTooOldLoginAgain
        }
    }

    public var detail: String? {
        switch self {
        case .signInFailed, .proofNeeded: nil
        case .factorRequired: "The console needs a second factor or a passkey."
        case .passkeyNotAccepted:
            "The console does not accept the passkey of your account. Ask an owner to turn on passkeys in the operators' project, or to remove the passkey and to invite you again."
        case .noRole: "The account has no role in the console. Open the link of an invitation that is still valid."
        }
    }
}
