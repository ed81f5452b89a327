internal import HTTP
internal import Identity
internal import Pages

/// The offer to create a passkey, after a sign-in by password.
extension SignInVisit {
    /// How long the browser is not asked again after "Not now".
    private static let pause: Duration = .seconds(30 * 86_400)

    private var pauseCookie: PageCookie {
        .withoutPasskey(in: realm.project.id, origin: call.origin(in: realm))
    }

    private var offerCookie: PageCookie {
        .passkeyOffer(in: realm.project.id, origin: call.origin(in: realm))
    }

    /// Stores the offer as the next step of the flow, and shows it. No other request shows it again, because another
    /// person can load the page from the history of the browser.
    ///
    /// - Returns: `nil` if nothing is offered: the browser cannot create passkeys, its user has declined recently, or the
    ///   account has a passkey. Nor is it offered if the app's `max_age` is less than the time for the answer.
    func passkeyOffer(after signedIn: SignedIn, stays: Bool) async throws -> PageResponse? {
        guard usesPasskeys, request.operation == .signIn, signedIn.session.method == .password,
            FormFields(call.request)?[signIn: .passkeys] == "on", pauseCookie.value(in: call.request) == nil,
            signedIn.account.passkeys.isEmpty,
            request.maxAge.map({ $0 >= SignInPageStep.PasskeyOffer.lifetime }) ?? true
        else { return nil }
        let answer = Secret(services.secrets.random())
        let offer = SignInPageStep.PasskeyOffer(
            account: signedIn.account.id, session: signedIn.session.id, isNewAccount: signedIn.isNewAccount,
            stays: stays, answerHash: services.secrets.hash(answer.expose()))
        try await keep(.passkeyOffer(offer))
        guard let caller = try await services.codes.caller(of: offer, in: realm) else { return nil }
        var page = show(offer, to: caller, answer, nil, status: 200)
        page.response.headers.add(
            "Set-Cookie", offerCookie.header(answer.expose(), maxAge: SignInPageStep.PasskeyOffer.lifetime))
        return page
    }

    private func show(
        _ offer: SignInPageStep.PasskeyOffer, to caller: Caller, _ answer: Secret, _ problem: SignInProblem?,
        status: Int, because refusal: (any Refusal)? = nil
    ) -> PageResponse {
        var pageContext = pageContext
        // The same page in another language would be another request.
        pageContext.repeatingQuery = nil
        return response(
            .passkeyOffer(
                creationCeremony(for: caller), answer: answer, isNewAccount: offer.isNewAccount, step(problem),
                pageContext), status: status,
            because: refusal)
    }

    /// The ceremony that creates a passkey; `nil` if the page cannot add one to the account now.
    func creationCeremony(for caller: Caller) -> PasskeyCeremony? {
        guard usesPasskeys,
            let started = try? call.services.accounts.passkeys.start(
                for: caller, isConditional: false, for: app, in: realm),
            let options = try? PasskeyCreation(started).credentialCreationOptions.jsonText
        else { return nil }
        return PasskeyCeremony(options: options)
    }

    /// Adds the created passkey to the account, and returns to the app.
    func createPasskey(_ fields: FormFields) async throws -> PageResponse {
        guard usesPasskeys, let (offer, answer, caller) = try await answeredOffer(fields) else {
            return try await expiredOffer()
        }
        do {
            let response = try AuthenticatorResponseInput(field: fields[signIn: .credential]).registration()
            let signedIn = try await call.services.accounts.passkeys.finalize(
                for: caller, response, name: nil, for: app, in: realm, from: context)
            return try await complete(offer, in: signedIn.session, of: signedIn.account)
        } catch let refusal as any Refusal {
            let problem: SignInProblem = refusal is PasskeyRefusal ? .passkeyNotCreated : SignInProblem(refusal)
            return show(offer, to: caller, answer, problem, status: problem.status, because: refusal)
                .retriable(after: refusal)
        }
    }

    /// Returns to the app without a passkey.
    func skipPasskey(_ fields: FormFields) async throws -> PageResponse {
        guard let (offer, _, caller) = try await answeredOffer(fields) else { return try await expiredOffer() }
        var page = try await complete(offer, in: caller.session, of: caller.account)
        page.response.headers.add("Set-Cookie", pauseCookie.header("1", maxAge: Self.pause))
        return page
    }

    private func complete(
        _ offer: SignInPageStep.PasskeyOffer, in session: Session, of account: Account
    ) async throws -> PageResponse {
        try await issueCode(
            for: PageSignIn(
                session: session, isNewAccount: offer.isNewAccount,
                browser: try await browserWish(for: account.id, stays: offer.stays)),
            of: account, afterForm: true)
    }

    /// Ends the session of a sign-in that waits for an answer, and returns to the app with `access_denied`.
    func cancelSignIn(_ fields: FormFields) async throws -> PageResponse {
        switch try await state().step {
        case .passkeyOffer:
            guard let (offer, _, _) = try await answeredOffer(fields) else { return try await expiredOffer() }
            try await withdraw(offer)
        case .guest(let preview): try await withdraw(preview)
        case .enrolment:
            guard try await withdrawEnrolment(answeredBy: fields) else { return try await expiredOffer() }
        default: return try await expiredOffer()
        }
        return returnToApp(.cancelled, error: .cancelled, afterForm: true)
    }

    func expiredOffer() async throws -> PageResponse {
        try await show(screen: .signIn, .codeExpired, status: 400)
    }

    /// Ends the session of a sign-in whose offer the user has not answered, and forgets the offer.
    private func withdraw(_ offer: SignInPageStep.PasskeyOffer) async throws {
        try await services.codes.discard(offer.session, in: realm)
        try await services.steps.remove(of: flow, in: realm)
    }

    /// The offer that a form answers, the secret of its page, and the caller that the session on the page is of.
    ///
    /// - Returns: `nil` if the form is not of the page with the offer, or if the offer has ended with its session. The
    ///   offer ends when the login is older than ``SignInPageStep/PasskeyOffer/lifetime``, and when the browser completes
    ///   another sign-in or signs out, which removes the cookie.
    private func answeredOffer(
        _ fields: FormFields
    ) async throws -> (offer: SignInPageStep.PasskeyOffer, answer: Secret, caller: Caller)? {
        let answer = fields[signIn: .offer] ?? ""
        guard case .passkeyOffer(let offer) = try await state().step,
            services.secrets.areEqual(services.secrets.hash(answer), offer.answerHash)
        else { return nil }
        guard let caller = try await services.codes.caller(of: offer, in: realm) else { return nil }
        let cookie = services.secrets.hash(offerCookie.value(in: call.request) ?? "")
        let age = services.clock.now() - caller.session.authenticatedAt
        guard services.secrets.areEqual(cookie, offer.answerHash), age <= SignInPageStep.PasskeyOffer.lifetime else {
            try await withdraw(offer)
            return nil
        }
        return (offer, Secret(answer), caller)
    }
}

extension SignInCodes {
    fileprivate func caller(of offer: SignInPageStep.PasskeyOffer, in realm: Realm) async throws -> Caller? {
        try await caller(IDTokenContents(account: offer.account, session: offer.session), in: realm)
    }
}
