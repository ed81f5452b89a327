internal import Encoding

/// Sign-in and sign-up on the sign-in page by an email with a link and a code.
///
/// Throws ``SignInPageRefusal``, ``OOBSendingRefusal``, ``CredentialRefusal``, ``TooManyAttempts`` and what
/// ``EmailLinkMethod`` throws.
public struct SignInPageEmails: Sendable {
    private let sender: OOBCodeSender
    private let emailLink: EmailLinkMethod
    private let password: PasswordMethod
    private let steps: SignInPageSteps
    private let sealedTokens: any SealedTokens
    private let store: any AccountStore
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let secrets: FlowSecrets
    /// Returns six random digits.
    private let newCode: @Sendable () -> String
    private let clock: WallClock

    public init(
        sender: OOBCodeSender, emailLink: EmailLinkMethod, password: PasswordMethod, steps: SignInPageSteps,
        sealedTokens: any SealedTokens, store: any AccountStore, limiter: RateLimiter, networks: NetworkHashing,
        secrets: FlowSecrets, newCode: @escaping @Sendable () -> String, clock: WallClock
    ) {
        self.sender = sender
        self.emailLink = emailLink
        self.password = password
        self.steps = steps
        self.sealedTokens = sealedTokens
        self.store = store
        self.limiter = limiter
        self.networks = networks
        self.secrets = secrets
        self.newCode = newCode
        self.clock = clock
    }

    /// Whether the installation sends emails.
    public var sendsEmail: Bool { sender.sendsEmail }

    /// A flow, and the URL of the page without its query.
    public struct Visit: Sendable {
        let flow: SignInPageFlow
        let pageURL: String

        public init(of flow: SignInPageFlow, at pageURL: String) {
            self.flow = flow
            self.pageURL = pageURL
        }
    }

    /// Sends an email that signs its reader in to the account that has the address, or to a new account. The work is
    /// the same for every address.
    public func sendSignIn(
        to email: String?, stays: Bool, in visit: Visit, of realm: Realm, from context: RequestContext
    ) async throws -> SignInPageEmail {
        guard realm.policy.allowsEmailLinks else { throw OOBSendingRefusal.notAllowed }
        let email = try EmailAddress(required: email)
        return try await send(.signInCode, to: email, stays: stays, nil, in: visit, of: realm, from: context)
    }

    /// Sends an email that creates an account with the address and a password. If an account has the address when the
    /// email is sent, the email states that instead. The work of the request is the same for every address.
    public func sendSignUp(
        to email: String?, password text: Secret?, in visit: Visit, of realm: Realm, from context: RequestContext
    ) async throws -> SignInPageEmail {
        let (email, hash) = try await password.newCredential(email: email, password: text, in: realm, from: context)
        return try await send(.signUpCode, to: email, stays: false, hash, in: visit, of: realm, from: context)
    }

    /// Sends an email like a former one of the flow. The link and the code of the former one no longer work.
    public func sendAgain(
        _ former: SignInPageEmail, in visit: Visit, of realm: Realm, from context: RequestContext
    ) async throws -> SignInPageEmail {
        try await send(
            former.passwordHash == nil ? .signInCode : .signUpCode, to: former.recipient, stays: former.stays,
            former.passwordHash, in: visit, of: realm, from: context)
    }

    private func send(
        _ kind: OutgoingEmail.Kind, to email: EmailAddress, stays: Bool, _ passwordHash: String?, in visit: Visit,
        of realm: Realm, from context: RequestContext
    ) async throws -> SignInPageEmail {
        let (now, code, proof) = (clock.now(), newCode(), secrets.random())
        let end = now + SignInPageEmail.lifetime
        let link = SignInPageLink(flow: .init(visit.flow), tenant: realm.tenant?.id, email: proof)
        let sealed = try sealedTokens.encode(link, until: end, in: ID(realm.project.id))
        let payload = EmailPayload(
            page: .init(
                link: "\(visit.pageURL)?link=\(sealed)", code: code, keepsGuest: visit.flow.request.isForGuest))
        let actionCode = try await sender.sendForPage(kind, to: email, payload, in: realm, from: context)
        return SignInPageEmail(
            recipient: email, stays: stays, passwordHash: passwordHash, codeHash: hash(code, visit.flow),
            linkHash: hash(proof, visit.flow), actionCode: actionCode, expiresAt: end)
    }

    /// What a proven mailbox leads to. Each case has the email whose code or link was checked: another tab can have
    /// replaced the one that is stored.
    public enum Proof: Sendable {
        case signIn(SignInOutcome, SignInPageEmail)
        /// No account has the address, and the flow must not create one.
        case unknownAddress(SignInPageEmail)
    }

    /// Signs in with the code that the user entered.
    ///
    /// - Throws: ``SignInRefusal/otherAccount`` for a re-authentication.
    public func signIn(
        enteredCode code: String?, in flow: SignInPageFlow, of realm: Realm, from context: RequestContext
    ) async throws -> Proof {
        guard let state = try await steps.countAttempt(on: flow, in: realm), let email = email(of: state) else {
            throw SignInPageRefusal.emailExpired
        }
        var attempt = EmailCodeAttempt(on: email.recipient, from: context.network, in: realm, limiter: limiter)
        try await attempt.count {
            try await store.hasKnownNetwork(
                email.recipient, among: networks.hashes(context.network, realm.id),
                since: clock.now() - Policy.knownNetworkLifetime, in: realm.id)
        }
        let digits = String(decoding: (code ?? "").utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
        guard secrets.areEqual(hash(digits, flow), email.codeHash) else { throw SignInPageRefusal.wrongEmailCode }
        attempt.subtract()
        return try await signIn(with: email, in: flow, of: realm, from: context)
    }

    /// Signs in with the link that the user opened in the browser of the flow.
    public func signIn(
        with link: SignInPageLink, in flow: SignInPageFlow, of realm: Realm, from context: RequestContext
    ) async throws -> Proof {
        let email = try await email(of: link, in: flow, of: realm)
        return try await signIn(with: email, in: flow, of: realm, from: context)
    }

    /// Returns the email whose link was opened.
    ///
    /// - Throws: ``SignInPageRefusal/emailExpired`` unless it is the last email of the flow.
    public func email(
        of link: SignInPageLink, in flow: SignInPageFlow, of realm: Realm
    ) async throws -> SignInPageEmail {
        guard let proof = link.email, link.flow.id.isExactly(flow.id),
            let email = email(of: try await steps.state(of: flow, in: realm)),
            secrets.areEqual(hash(proof, flow), email.linkHash)
        else { throw SignInPageRefusal.emailExpired }
        return email
    }

    /// Only a plain sign-in may create an account. The identity of a conflict belongs to an existing one.
    private func target(in flow: SignInPageFlow) -> EmailLinkMethod.Target {
        switch flow.request.operation {
        case .signIn: flow.conflict == nil ? .any : .existing
        case .link: .existing
        case .reauthenticate: flow.request.subject.map { .only($0.account) } ?? .existing
        }
    }

    private func email(of state: SignInPageState) -> SignInPageEmail? {
        guard case .emailCode(let email) = state.step, clock.now() < email.expiresAt else { return nil }
        return email
    }

    private func signIn(
        with email: SignInPageEmail, in flow: SignInPageFlow, of realm: Realm, from context: RequestContext
    ) async throws -> Proof {
        do {
            guard let passwordHash = email.passwordHash else {
                let outcome = try await emailLink.signIn(
                    email: email.recipient.rawValue, code: email.actionCode, idToken: nil, to: target(in: flow),
                    in: realm, from: context)
                return .signIn(outcome, email)
            }
            guard flow.request.operation == .signIn else {
                // A guest keeps the account, which gets the address and the password at the exchange.
                guard try await emailLink.isFree(email.actionCode, in: realm) else { throw OOBCodeRefusal.expired }
                return .unknownAddress(email)
            }
            let outcome = try await emailLink.signUp(
                email: email.recipient, passwordHash: passwordHash, code: email.actionCode, in: realm, from: context)
            return .signIn(outcome, email)
        } catch SignInRefusal.unknownEmail {
            return .unknownAddress(email)
        } catch OOBCodeRefusal.invalid {
            throw SignInPageRefusal.emailExpired
        } catch OOBCodeRefusal.expired {
            throw SignInPageRefusal.emailExpired
        }
    }

    /// The ID of the flow is unguessable, so the hash of six digits cannot be inverted without it.
    private func hash(_ secret: String, _ flow: SignInPageFlow) -> [UInt8] { secrets.hash(flow.id + ":" + secret) }
}
