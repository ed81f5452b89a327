internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The enrolment of the second factor that the policy demands of every account, before the page returns to the app.
extension SignInVisit {
    private typealias Enrolment = SignInPageStep.Enrolment

    private var answerCookie: PageCookie { .passkeyOffer(in: realm.project.id, origin: call.origin(in: realm)) }

    /// Stores the enrolment as the next step of the flow, and leads to its page.
    ///
    /// - Returns: `nil` if the page cannot add a factor to the account, and the app gets a restricted session, with which
    ///   it can.
    func enrolment(after signedIn: SignedIn, stays: Bool, afterForm: Bool) async throws -> PageResponse? {
        let answer = services.secrets.random()
        let enrolment = Enrolment(
            account: signedIn.account.id, session: signedIn.session.id, isNewAccount: signedIn.isNewAccount,
            stays: stays, answerHash: services.secrets.hash(answer),
            endsAt: signedIn.session.authenticatedAt + Enrolment.lifetime)
        guard try await caller(of: enrolment).map({ try canEnrol($0) }) == true else {
            guard app.isAccountPage || request.isForGuest else { return nil }
            try await services.codes.discard(signedIn.session.id, in: realm)
            return factorMissing(afterForm: afterForm)
        }
        try await keep(.enrolment(enrolment))
        var page = PageResponse(.redirect(to: pageURL), of: realm.id)
        page.response.headers.add("Set-Cookie", answerCookie.header(answer, maxAge: Enrolment.lifetime))
        return page
    }

    /// The account page would lead here again.
    private func factorMissing(afterForm: Bool) -> PageResponse {
        let refusal = FactorRefusal.enrolmentRequired
        guard !app.isAccountPage else {
            return response(
                .signInFailure(.factorMissing, returningTo: nil, pageContext), status: 400, because: refusal)
        }
        return returnToApp(.factorMissing, error: .notAvailable, afterForm: afterForm, because: refusal)
    }

    /// Shows the page to the browser that was led to it, once.
    func showEnrolment(_ enrolment: SignInPageStep.Enrolment) async throws -> PageResponse? {
        let answer = answerCookie.value(in: call.request) ?? ""
        guard !enrolment.isShown, let caller = try await caller(of: enrolment, answeredBy: answer, answer) else {
            return nil
        }
        var shown = enrolment
        shown.isShown = true
        try await keep(.enrolment(shown))
        return try show(to: caller, until: enrolment.endsAt, Secret(answer))
    }

    private func show(
        to caller: Caller, until end: Instant, _ answer: Secret, _ pending: PendingOneTimePassword? = nil,
        isEmailSent: Bool = false, problem: SignInProblem? = nil, because refusal: (any Refusal)? = nil
    ) throws -> PageResponse {
        var screen = try ways(of: caller)
        screen.oneTimePassword = pending ?? screen.oneTimePassword
        screen.isEmailSent = isEmailSent
        var pageContext = pageContext
        // The same page in another language would be another request.
        pageContext.repeatingQuery = nil
        let minutes = max(1, Int((end - services.clock.now()).components.seconds / 60))
        let page = response(
            .enrolSecondFactor(screen, answer: answer, minutes: minutes, step(problem), pageContext),
            status: problem?.status ?? 200, because: refusal)
        return refusal.map(page.retriable) ?? page
    }

    private func canEnrol(_ caller: Caller) throws -> Bool {
        let screen = try ways(of: caller)
        return screen.oneTimePassword != nil || screen.passkey != nil || screen.unverified != nil
    }

    /// How the account can get the factor on this page.
    private func ways(of caller: Caller) throws -> EnrolmentScreen {
        var screen = EnrolmentScreen()
        let account = caller.account
        if realm.policy.secondFactors.allowsTOTP {
            do {
                let started = try call.services.accounts.factors.start(for: caller, in: realm)
                screen.oneTimePassword = PendingOneTimePassword(
                    secret: started.secret, enrolment: started.sessionInfo, of: account, in: realm,
                    named: pageContext.projectName)
            } catch FactorRefusal.unverifiedEmail {
                if services.emails.sendsEmail { screen.unverified = account.email }
            } catch is any Refusal {}
        }
        screen.hasPasskey = !account.passkeys.isEmpty
        screen.passkey = screen.hasPasskey ? try passkeyCeremony() : creationCeremony(for: caller)
        return screen
    }

    /// Adds the one-time password that the page has shown; or shows the page again, after the address was verified.
    func enrolFactor(_ fields: FormFields) async throws -> PageResponse {
        guard let (enrolment, answer, caller) = try await answeredEnrolment(fields), !enrolment.isEnrolled else {
            return try await expiredOffer()
        }
        guard let secret = fields[signIn: .secret], let sealed = fields[signIn: .enrolment],
            secret.wholeMatch(of: /[A-Z2-7]{16,128}/) != nil
        else {
            let isWaiting = !caller.account.emailIsVerified
            return try show(to: caller, until: enrolment.endsAt, answer, isEmailSent: isWaiting)
        }
        let signedIn: SignedIn
        do {
            try realm.requireTOTPAllowed()
            let code = Secret((fields[signIn: .code] ?? "").filter { $0 != " " })
            signedIn = try await call.services.accounts.factors.finalize(
                for: caller, FactorEnrolment.Verification(sessionInfo: sealed, code: code), displayName: nil, in: realm,
                from: context)
        } catch let refusal as any Refusal {
            let isWrong = refusal as? FactorRefusal == .invalidCode
            let pending = PendingOneTimePassword(
                secret: secret, enrolment: sealed, of: caller.account, in: realm, named: pageContext.projectName)
            return try show(
                to: caller, until: enrolment.endsAt, answer, isWrong ? pending : nil, problem: SignInProblem(refusal),
                because: refusal)
        }
        return try await showRecoveryCodes(of: signedIn, enrolment, answer)
    }

    private func showRecoveryCodes(
        of signedIn: SignedIn, _ former: SignInPageStep.Enrolment, _ answer: Secret
    ) async throws -> PageResponse {
        let linked = try await linking(try await state(), to: signedIn)
        var enrolment = former
        enrolment.session = linked.session.id
        enrolment.isEnrolled = true
        enrolment.endsAt = services.clock.now() + Enrolment.lifetime
        try await keep(.enrolment(enrolment))
        guard let caller = try await caller(of: enrolment) else { return try await expiredOffer() }
        let codes: [String]
        do {
            codes = try await call.services.accounts.factors.generateRecoveryCodes(
                for: caller, in: realm, from: context)
        } catch is any Refusal {
            // The login is no longer recent. The account page offers the codes.
            return try await complete(enrolment, for: caller)
        }
        var pageContext = pageContext
        pageContext.repeatingQuery = nil
        var page = response(.enrolledSecondFactor(recoveryCodes: codes, answer: answer, step(), pageContext))
        page.response.headers.add("Set-Cookie", answerCookie.header(answer.expose(), maxAge: Enrolment.lifetime))
        return page
    }

    /// Sends an email that verifies the address of the account.
    func verifyEmailOfEnrolment(_ fields: FormFields) async throws -> PageResponse {
        guard let (enrolment, answer, caller) = try await answeredEnrolment(fields) else {
            return try await expiredOffer()
        }
        do {
            _ = try await call.services.emailActions.sending.sendVerification(to: caller, in: realm, from: context)
            return try show(to: caller, until: enrolment.endsAt, answer, isEmailSent: true)
        } catch let refusal as any Refusal {
            return try show(
                to: caller, until: enrolment.endsAt, answer, problem: SignInProblem(refusal), because: refusal)
        }
    }

    /// Continues after the user has saved the recovery codes.
    func finishEnrolment(_ fields: FormFields) async throws -> PageResponse {
        guard let (enrolment, _, caller) = try await answeredEnrolment(fields), enrolment.isEnrolled else {
            return try await expiredOffer()
        }
        return try await complete(enrolment, for: caller)
    }

    private func complete(
        _ enrolment: SignInPageStep.Enrolment, for caller: Caller
    ) async throws -> PageResponse {
        if request.isForGuest {
            return try await previewMerge(
                into: IDTokenContents(account: enrolment.account, session: enrolment.session), afterForm: true)
        }
        return try await complete(
            in: caller.session, of: caller.account, isNewAccount: enrolment.isNewAccount,
            browser: isOwnOrigin ? browserWish(for: caller.account.id, stays: enrolment.stays) : nil, afterForm: true)
    }

    /// Adds a passkey. It counts when the user signs in with it, on the same page.
    func createPasskeyOfEnrolment(_ fields: FormFields) async throws -> PageResponse {
        guard let (enrolment, answer, caller) = try await answeredEnrolment(fields), usesPasskeys else {
            return try await expiredOffer()
        }
        do {
            let response = try AuthenticatorResponseInput(field: fields[signIn: .credential]).registration()
            let signedIn = try await call.services.accounts.passkeys.finalize(
                for: caller, response, name: nil, for: app, in: realm, from: context)
            var renewed = enrolment
            renewed.session = signedIn.session.id
            try await keep(.enrolment(renewed))
            guard let owner = try await self.caller(of: renewed) else { return try await expiredOffer() }
            return try show(to: owner, until: enrolment.endsAt, answer)
        } catch let refusal as any Refusal {
            let problem: SignInProblem = refusal is PasskeyRefusal ? .passkeyNotCreated : SignInProblem(refusal)
            return try show(to: caller, until: enrolment.endsAt, answer, problem: problem, because: refusal)
        }
    }

    /// Ends the session of an enrolment that the user cancels.
    func withdrawEnrolment(answeredBy fields: FormFields) async throws -> Bool {
        guard let (enrolment, _, _) = try await answeredEnrolment(fields) else { return false }
        try await withdraw(enrolment)
        return true
    }

    private func withdraw(_ enrolment: SignInPageStep.Enrolment) async throws {
        try await services.codes.discard(enrolment.session, in: realm)
        try await services.steps.remove(of: flow, in: realm)
    }

    /// The step that a form answers, the secret of its page, and the caller that the session on the page is of.
    ///
    /// - Returns: `nil` if the form is not of the page of the step. Also if the step has ended, with its session: the
    ///   time is over, or the browser has since completed another sign-in or signed out, which removes the cookie.
    private func answeredEnrolment(
        _ fields: FormFields
    ) async throws -> (enrolment: SignInPageStep.Enrolment, answer: Secret, caller: Caller)? {
        let answer = fields[signIn: .offer] ?? ""
        guard case .enrolment(let enrolment) = try await state().step,
            services.secrets.areEqual(services.secrets.hash(answer), enrolment.answerHash)
        else { return nil }
        let cookie = answerCookie.value(in: call.request) ?? ""
        guard let caller = try await caller(of: enrolment, answeredBy: answer, cookie) else {
            try await withdraw(enrolment)
            return nil
        }
        return (enrolment, Secret(answer), caller)
    }

    /// - Returns: `nil` if the time of the step is over, its session has ended, or a secret is wrong.
    private func caller(
        of enrolment: SignInPageStep.Enrolment, answeredBy answers: String...
    ) async throws -> Caller? {
        guard services.clock.now() <= enrolment.endsAt else { return nil }
        for answer in answers {
            guard services.secrets.areEqual(services.secrets.hash(answer), enrolment.answerHash) else { return nil }
        }
        return try await services.codes.caller(
            IDTokenContents(account: enrolment.account, session: enrolment.session), in: realm,
            acceptsRestricted: true)
    }
}
