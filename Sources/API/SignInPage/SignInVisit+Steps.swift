internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension SignInVisit {
    /// Shows the first step of the flow.
    func begin() async throws -> PageResponse {
        if let result = resultWithoutPage() { return result }
        let session = try await usableSession()
        if request.prompt == SignInPageRequest.Prompt.none { return try await signInSilently(session) }
        if let session, request.screen == .signIn, let name = session.caller.account.visibleName {
            return response(.continueAs(name, step(), pageContext))
        }
        return try await show(screen: request.screen)
    }

    /// Signs in without a page, if the app may do so and the browser has a session.
    private func signInSilently(_ session: BrowserSession?) async throws -> PageResponse {
        guard app.settings.allowsSilentSignIn, let session else {
            return PageResponse(.redirect(to: appReturn(error: .loginRequired).url), of: realm.id)
        }
        let signIn = PageSignIn(continuing: session)
        guard let issued = try await services.codes.issue(signIn, of: flow, in: realm) else {
            throw SignInPageRefusal.finished
        }
        return PageResponse(.redirect(to: SignInResult(request, issuer: issuer).url(code: issued.code)), of: realm.id)
    }

    /// The session of the browser, if the app can continue with it: the app offers its method and names no other
    /// address, the tenant is the same, and the account has the factors that the policy demands.
    func usableSession() async throws -> BrowserSession? {
        guard request.operation == .signIn, request.prompt != .login,
            let session = try await call.browserSession(in: realm)
        else { return nil }
        let (account, opened) = (session.caller.account, session.caller.session)
        if let hint = request.loginHint, account.email?.rawValue.isExactly(hint) != true { return nil }
        guard offers(opened.method), session.meetsFactorPolicy(of: realm) else { return nil }
        if let maxAge = request.maxAge, services.clock.now() - opened.authenticatedAt > maxAge { return nil }
        return session
    }

    func offers(_ method: ProviderID) -> Bool {
        method == .passkey ? usesPasskeys : LoginServices(of: app, in: realm).offered.contains(method)
    }

    /// - Parameter screen: `nil` for the one that the app asked for.
    func show(
        screen: SignInPageRequest.Screen?, _ problem: SignInProblem? = nil, email: String? = nil, stays: Bool = false,
        unknownPasskey: ID<Passkey>? = nil, status: Int = 200, because refusal: (any Refusal)? = nil
    ) async throws -> PageResponse {
        if let page = try await storedPage(screen, problem, status: status, because: refusal) { return page }
        let offer = offer
        var form = offer.screen
        if let email { form.email = email } else { form.email = try await suggestedEmail() }
        switch screen ?? .signIn {
        case .signUp where offer.offersSignUp:
            return response(
                .signUp(form, PasswordRules(realm.policy), step(problem), pageContext), status: status,
                because: refusal)
        case .reset where offer.screen.offersPassword:
            return response(
                .requestReset(
                    email: form.email, removesMethods: realm.policy.resetUnlinksIdentities, step(problem), pageContext),
                status: status, because: refusal)
        case .accounts where !rememberedAccounts.isEmpty:
            return response(.rememberedAccounts(rememberedAccountsWithProviders, step(problem), pageContext))
        case .signIn, .signUp, .reset, .emailCode, .accounts:
            form.stays = stays
            form.remembers = flow.remembersAccount
            form.focusesPassword = call.request.query("account").flatMap { rememberedEmail($0) } != nil
            form.passkey = try passkeyCeremony(unknown: unknownPasskey)
            form.remembered = rememberedAccounts
            form.offersStaying = isOwnOrigin && request.operation == .signIn
            guard screen != .emailCode || !form.offersEmail || form.emailsOwner else {
                return response(.requestEmailCode(form, step(problem), pageContext), status: status, because: refusal)
            }
            return response(
                .signIn(form, step(problem), pageContext), status: status, because: refusal ?? offer.refusal)
        }
    }

    /// - Parameter screen: `nil` for the step that the flow has reached.
    private func storedPage(
        _ screen: SignInPageRequest.Screen?, _ problem: SignInProblem?, status: Int, because refusal: (any Refusal)?
    ) async throws -> PageResponse? {
        switch screen {
        case nil: return try await show(try await state(), problem, status: status, because: refusal)
        case .signIn:
            // The page says why the user signs in.
            guard flow.conflict != nil, let conflict = try await state().conflict(of: flow) else { return nil }
            return try show(conflict, problem, status: status, because: refusal)
        case .signUp, .reset, .emailCode, .accounts: return nil
        }
    }

    /// Performs the step that a form requests.
    func submit(_ fields: FormFields) async throws -> PageResponse {
        guard let action = fields[signIn: .step].flatMap(SignInAction.init) else {
            return try await show(screen: nil, .rejected, status: 400)
        }
        let email = fields[signIn: .email].map { String($0.prefix(320)) }
        let stays = fields[signIn: .stay] != nil
        do {
            if action != .notNow, action != .cancel, try await isOutdated() { return try await showOutdated() }
            return try await perform(action, fields, email: email, stays: stays)
        } catch let refusal as any Refusal {
            return try await show(refusal, of: action, email: email, stays: stays)
        } catch is ProviderUnreachable {
            return try await show(screen: nil, .providerUnavailable, status: 503)
        }
    }

    private func perform(
        _ action: SignInAction, _ fields: FormFields, email: String?, stays: Bool
    ) async throws -> PageResponse {
        let signIn = call.services.signIn
        switch action {
        case .signIn:
            try LoginServices.requireListed(.password, for: app)
            return try await finish(
                signIn.password.signIn(
                    email: email, password: fields[signIn: .password].map(Secret.init), in: realm, from: context),
                stays: stays)
        case .signUp: return try await signUp(email: email, password: fields[signIn: .password].map(Secret.init))
        case .guest:
            try LoginServices.requireListed(.anonymous, for: app)
            guard offer.screen.offersGuest else { throw SignUpRefusal.anonymousNotAllowed }
            return try await finish(signIn.anonymous.signUp(in: realm, from: context), isGuest: true)
        case .resume: return try await resumeSession()
        case .secondFactor: return try await submitSecondFactor(fields)
        case .passkey: return try await submitPasskey(fields, stays: stays)
        case .createPasskey: return try await createPasskey(fields)
        case .skipPasskey: return try await skipPasskey(fields)
        case .cancel: return try await cancelSignIn()
        case .confirm: return try await confirmPreview(fields[signIn: .preview])
        case .reset: return try await sendReset(to: email)
        case .notNow: return try await startOver()
        case .remember: return try chooseRemembering(true)
        case .dontRemember: return try chooseRemembering(false)
        case .forget: return try forgetAccount(ID(fields[signIn: .account] ?? ""))
        case .emailCode: return try await sendEmail(to: email, stays: stays)
        case .emailAgain: return try await sendEmailAgain()
        case .enterCode: return try await enterEmailCode(fields[signIn: .code])
        case .openLink: return try await submitEmailLink(fields[signIn: .link])
        case .enrolFactor: return try await enrolFactor(fields)
        case .verifyEmail: return try await verifyEmailOfEnrolment(fields)
        case .finishEnrolment: return try await finishEnrolment(fields)
        }
    }

    /// Creates an account with a password. With email enumeration protection, a mailbox has to be proven first, so that
    /// the page does not reveal whether an account has the address. A guest keeps the account, and always proves the
    /// mailbox.
    private func signUp(email: String?, password: Secret?) async throws -> PageResponse {
        try LoginServices.requireListed(.password, for: app)
        guard offer.offersSignUp else { throw SignUpRefusal.notAllowed }
        guard !request.isForGuest, !realm.policy.emailEnumerationProtection else {
            return try await sendSignUp(to: email, password: password)
        }
        return try await finish(
            call.services.signIn.password.signUp(
                email: email, password: password, profile: AccountUpdate.Profile(), in: realm, from: context))
    }

    /// Emails a link for a new password, after which the user returns to this flow. The page is the same whether or not
    /// an account has the address.
    private func sendReset(to email: String?) async throws -> PageResponse {
        guard let email = email.flatMap(EmailAddress.init) else { throw CredentialRefusal.invalidEmail }
        do {
            try await call.services.emailActions.pageService.sendReset(
                to: email.rawValue, signInPage: try await returnLink(), in: realm, from: context)
        } catch OOBSendingRefusal.emailUnknown {}
        return response(.resetSent(to: email.rawValue, step(), pageContext))
    }

    /// Continues with the session of the browser.
    private func resumeSession() async throws -> PageResponse {
        guard let session = try await usableSession() else { return try await show(screen: .signIn) }
        return try await issueCode(for: PageSignIn(continuing: session), afterForm: true)
    }

    private func show(
        _ refusal: any Refusal, of action: SignInAction, email: String?, stays: Bool
    ) async throws -> PageResponse {
        let screen: SignInPageRequest.Screen? =
            switch action {
            case .signUp: .signUp
            case .reset: .reset
            case .signIn, .guest, .resume: .signIn
            case .emailCode: .emailCode
            case .secondFactor, .passkey, .createPasskey, .skipPasskey, .cancel, .confirm, .notNow, .remember,
                .dontRemember, .forget, .emailAgain, .enterCode, .openLink, .enrolFactor, .verifyEmail,
                .finishEnrolment:
                nil
            }
        let problem = SignInProblem(refusal)
        let visit = try await isOutdated() ? showing(nil) : self
        let isOver =
            refusal as? FactorRefusal == .invalidPendingCredential || problem == .accountDisabled
            // The code or the proof of a stored step would be rejected again.
            || screen == nil && problem.isVeto
        if isOver { try await forgetStep() }
        return try await visit.show(
            screen: isOver ? .signIn : screen, problem, email: email, stays: stays, status: problem.status,
            because: refusal
        ).retriable(after: refusal)
    }
}

extension PageResponse {
    /// Returns the response with the time after which the browser can try again.
    func retriable(after refusal: any Refusal) -> PageResponse {
        var page = self
        if let delay = refusal.retryDelay { page.response.headers.add("Retry-After", String(delay.delaySeconds)) }
        return page
    }
}
