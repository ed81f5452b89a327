/// Sends email action codes. Throws ``OOBSendingRefusal``, ``CredentialRefusal``, ``TokenRefusal``, ``EditRefusal``,
/// ``ContinueURLRefusal`` and ``TooManyAttempts``.
public struct OOBCodeSender: Sendable {
    let codes: any OOBCodeStore
    private let store: any AccountStore
    private let authenticator: Authenticator
    let emailFactory: EmailFactory
    private let limiter: RateLimiter
    let clock: WallClock
    private let hooks: Hooks

    public init(
        codes: any OOBCodeStore, store: any AccountStore, authenticator: Authenticator, emailFactory: EmailFactory,
        limiter: RateLimiter, clock: WallClock, hooks: Hooks
    ) {
        self.codes = codes
        self.store = store
        self.authenticator = authenticator
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
        self.hooks = hooks
    }

    /// A requested email, unchecked.
    public struct Request: Sendable {
        public var purpose: OOBCode.Purpose
        public var email: String?
        public var newEmail: String?
        public var idToken: String?
        public var continueURL: String?
        /// See ``EmailPayload/signInPage``.
        public var signInPage: String?
        /// See ``EmailPayload/invitation``.
        public var invitation: EmailPayload.ConsoleInvitation?
        /// The app that is to open the link; `nil` for a browser.
        public var appLink: AppLink.Request?
        /// The API key for the link.
        public var apiKey: String?

        public init(
            purpose: OOBCode.Purpose, email: String? = nil, newEmail: String? = nil, idToken: String? = nil,
            continueURL: String? = nil, appLink: AppLink.Request? = nil, apiKey: String? = nil
        ) {
            self.purpose = purpose
            self.email = email
            self.newEmail = newEmail
            self.idToken = idToken
            self.continueURL = continueURL
            self.appLink = appLink
            self.apiKey = apiKey
        }
    }

    /// Whether the installation sends emails.
    var sendsEmail: Bool { emailFactory.sendsEmail }

    /// Sends an email of the sign-in page.
    ///
    /// - Parameter payload: has the link and the code of the page.
    /// - Returns: the email action code that they stand for. The recipient does not get it.
    func sendForPage(
        _ kind: OutgoingEmail.Kind, to email: EmailAddress, _ payload: EmailPayload, in realm: Realm,
        from context: RequestContext
    ) async throws -> String {
        guard sendsEmail else { throw OOBSendingRefusal.emailNotConfigured }
        try limiter.countEmail(.signIn, to: email, from: context.network, in: realm)
        try await hooks.requireEmailAllowed(to: email, .signIn, in: realm, from: context)
        var draft = Draft(.signIn, about: email)
        (draft.kind, draft.emailLifetime) = (kind, SignInPageEmail.lifetime)
        return try await issue(draft, payload, in: realm, from: context)
    }

    /// Sends the email that a client requested. Returns the caller's current address if the code verifies or changes
    /// it, otherwise the requested address. The first address of an account is a change too.
    public func send(_ request: Request, in realm: Realm, from context: RequestContext) async throws -> EmailAddress {
        let content = try content(of: request, in: realm)
        guard emailFactory.sendsEmail else { throw OOBSendingRefusal.emailNotConfigured }
        switch request.purpose {
        case .resetPassword: return try await sendReset(request, content, in: realm, from: context)
        case .signIn:
            guard realm.policy.allowsEmailLinks else { throw OOBSendingRefusal.notAllowed }
            let email = try EmailAddress(required: request.email)
            try limiter.countEmail(request.purpose, to: email, from: context.network, in: realm)
            try await hooks.requireEmailAllowed(to: email, request.purpose, in: realm, from: context)
            try await issue(Draft(.signIn, about: email), content, in: realm, from: context)
            return email
        case .verifyEmail, .changeEmail: return try await sendToOwner(request, content, in: realm, from: context)
        case .recoverEmail, .removeSignInMethod, .revertFactorAddition, .undoMerge: throw OOBSendingRefusal.notOnRequest
        }
    }

    /// Issues the code that a backend requested, and sends it. The request names the account by address or, if the code
    /// verifies or changes an address, by ID token. The backend learns whether the account exists.
    ///
    /// - Parameter sendsEmail: `false` if the link is only returned.
    public func send(
        _ request: Request, sendsEmail: Bool, for administrator: AuditActor, of realm: Realm,
        from context: RequestContext
    ) async throws -> Issued {
        let content = try content(of: request, in: realm)
        guard emailFactory.sendsEmail || !sendsEmail else { throw OOBSendingRefusal.emailNotConfigured }
        guard !request.purpose.isRemedy else { throw OOBSendingRefusal.notOnRequest }
        if request.purpose == .signIn, !realm.policy.allowsEmailLinks { throw OOBSendingRefusal.notAllowed }
        if request.purpose == .resetPassword, !realm.policy.allowsPasswords { throw OOBSendingRefusal.notAllowed }
        let newEmail = try request.checkedNewEmail()
        let (email, holder) = try await subject(of: request, newEmail: newEmail, in: realm)
        if holder == nil, request.purpose != .signIn {
            if request.purpose == .resetPassword, realm.project.modeRules.hidesAccountsFromBackends,
                realm.policy.emailEnumerationProtection
            {
                return Issued(email: email)
            }
            throw request.purpose == .resetPassword ? OOBSendingRefusal.emailUnknown : .accountUnknown
        }
        if let newEmail { try await requireAvailable(newEmail, for: holder, in: realm) }
        let draft = Draft(
            request.purpose, of: request.purpose == .signIn ? nil : holder, about: email, newEmail: newEmail)
        let note = AuditNote(
            AuditNote.AccountAction.codeIssued.rawValue, holder?.id.rawValue ?? realm.id.rawValue,
            ["requestType": request.purpose.rawValue, "linkReturned": String(!sendsEmail)])
        let code = try await issue(
            draft, content, sendsEmail: sendsEmail, for: (note, administrator), in: realm, from: context)
        let mode = ActionLink.Mode(request.purpose)
        let link = ActionLink(
            mode, code: code, in: realm.id, at: content.appLinkBase ?? emailFactory.actionBase(realm, mode),
            apiKey: content.apiKey, language: context.language ?? realm.project.emailSettings.language,
            continueURL: content.continueURL)
        return Issued(email: email, code: code, link: link)
    }

    /// Returns the address that a backend's code is about, and the account that the request names by address or by ID
    /// token.
    ///
    /// - Parameter newEmail: the address of an account that has none yet.
    private func subject(
        of request: Request, newEmail: EmailAddress?, in realm: Realm
    ) async throws -> (email: EmailAddress, account: Account?) {
        guard let idToken = request.idToken, request.purpose == .verifyEmail || request.purpose == .changeEmail else {
            let email = try EmailAddress(required: request.email)
            return (email, try await store.holder(of: email, in: realm.id)?.account)
        }
        let caller = try await authenticator.authenticate(idToken: idToken, in: realm)
        guard let email = caller.account.email ?? newEmail else { throw CredentialRefusal.missingEmail }
        return (email, caller.account)
    }

    /// The result for a backend. It has no code and no link if it hides that the account does not exist.
    public struct Issued: Hashable, Sendable {
        public let email: EmailAddress
        public var code: String?
        public var link: ActionLink?
    }

    /// Sends a password reset. If the project has email enumeration protection, the work does not depend on whether an
    /// account has the address: the account is looked up when the email is sent.
    private func sendReset(
        _ request: Request, _ content: EmailPayload, in realm: Realm, from context: RequestContext
    ) async throws -> EmailAddress {
        guard realm.policy.allowsPasswords else { throw OOBSendingRefusal.notAllowed }
        let email = try EmailAddress(required: request.email)
        try limiter.countEmail(request.purpose, to: email, from: context.network, in: realm)
        try await hooks.requireEmailAllowed(to: email, request.purpose, in: realm, from: context)
        if !realm.policy.emailEnumerationProtection, try await store.holder(of: email, in: realm.id) == nil {
            throw OOBSendingRefusal.emailUnknown
        }
        var content = content
        content.code = emailFactory.newCode()
        let now = clock.now()
        let outgoing = try emailFactory.outgoingEmail(
            .resetPassword, to: email, about: nil, content, from: context, at: now,
            until: now + realm.policy.resetLifetime)
        try await codes.enqueue(outgoing, in: realm.id)
        return email
    }

    /// Sends a code to the caller's current address, or to the requested new one.
    private func sendToOwner(
        _ request: Request, _ content: EmailPayload, in realm: Realm, from context: RequestContext
    ) async throws -> EmailAddress {
        let newEmail = try request.checkedNewEmail()
        guard let idToken = request.idToken else {
            // The two refusals are those of Firebase.
            guard newEmail == nil else { throw OOBSendingRefusal.missingIDToken }
            throw TokenRefusal.invalidIDToken
        }
        let caller = try await authenticator.authenticate(
            idToken: idToken, in: realm, acceptsRestricted: request.purpose == .verifyEmail)
        return try await send(request.purpose, content, to: newEmail, of: caller, in: realm, from: context)
    }

    /// Sends a code to the caller's current address, which verifies it.
    public func sendVerification(
        to caller: Caller, in realm: Realm, from context: RequestContext
    ) async throws -> EmailAddress {
        guard emailFactory.sendsEmail else { throw OOBSendingRefusal.emailNotConfigured }
        return try await send(.verifyEmail, EmailPayload(), to: nil, of: caller, in: realm, from: context)
    }

    /// Sends a code to a new address, which becomes the caller's when its mailbox confirms it.
    public func sendAddressChange(
        to newEmail: EmailAddress, of caller: Caller, in realm: Realm, from context: RequestContext
    ) async throws {
        guard emailFactory.sendsEmail else { throw OOBSendingRefusal.emailNotConfigured }
        _ = try await send(.changeEmail, EmailPayload(), to: newEmail, of: caller, in: realm, from: context)
    }

    /// - Parameter newEmail: `nil` for the caller's current address.
    private func send(
        _ purpose: OOBCode.Purpose, _ content: EmailPayload, to newEmail: EmailAddress?, of caller: Caller,
        in realm: Realm, from context: RequestContext
    ) async throws -> EmailAddress {
        guard let email = caller.account.email ?? newEmail else { throw CredentialRefusal.missingEmail }
        if let newEmail {
            try caller.requireRecentLogin(by: realm.policy, at: clock.now())
            // With email enumeration protection, a taken address is rejected only when the code is redeemed.
            if !realm.policy.emailEnumerationProtection {
                try await requireAvailable(newEmail, for: caller.account, in: realm)
            }
        }
        try limiter.countEmail(purpose, to: newEmail ?? email, from: context.network, in: realm)
        let draft = Draft(purpose, of: caller.account, by: caller.session, about: email, newEmail: newEmail)
        try await issue(draft, content, in: realm, from: context)
        return email
    }

    private func requireAvailable(_ newEmail: EmailAddress, for account: Account?, in realm: Realm) async throws {
        if newEmail != account?.email { try await store.requireFree(newEmail, in: realm.id) }
    }

    private func content(of request: Request, in realm: Realm) throws(ContinueURLRefusal) -> EmailPayload {
        let url = try request.continueURL.map { text throws(ContinueURLRefusal) in
            try ContinueURL(text, in: realm)
        }
        var payload = EmailPayload(
            apiKey: request.apiKey, continueURL: url?.text,
            appLinkBase: request.appLink.flatMap { emailFactory.appLinkBase($0, realm) })
        payload.signInPage = request.signInPage
        payload.invitation = request.invitation
        return payload
    }
}
