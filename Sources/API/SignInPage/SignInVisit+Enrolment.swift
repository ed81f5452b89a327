internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The enrolment of the second factor that the policy demands of every account, before the page returns to the app.
extension SignInVisit {
    /// Stores the enrolment as the next step of the flow, and leads to its page.
    ///
    /// - Returns: `nil` if the page cannot add a factor to the account, and the app gets a restricted session, with
    ///   which it can.
    func enrolment(after signedIn: SignedIn, stays: Bool, afterForm: Bool) async throws -> PageResponse? {
        let (held, secret) = holding(signedIn, asking: .secondFactor, stays: stays)
        guard try await caller(of: held).map({ try canEnrol($0) }) == true else {
            guard app.isAccountPage || mergesGuest(into: signedIn.account.id) else { return nil }
            try await services.codes.discard(signedIn.session.id, in: realm)
            return factorMissing(afterForm: afterForm)
        }
        // No other screen follows, which could begin with the address.
        var flow = flow
        flow.email = nil
        let visit = try with(flow)
        let page = try await discardingOnError(signedIn.session.id) { try await visit.store(.held(held)) }
        return allowingAnswer(secret, to: held, page)
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
    ///
    /// - Returns: `nil` for another browser, and for the page of another question.
    func showEnrolment(_ held: HeldSignIn) async throws -> PageResponse? {
        guard held.question == .secondFactor, var answer = try await answer(ofBrowserAsked: held) else { return nil }
        answer.held.question = .shownSecondFactor
        // The browser does not show the response to a HEAD request.
        if call.request.method != .head { try await keep(.held(answer.held)) }
        return try showEnrolment(answer)
    }

    func showEnrolment(
        _ answer: HeldSignInAnswer, _ pending: PendingOneTimePassword? = nil, isEmailSent: Bool = false,
        problem: SignInProblem? = nil, because refusal: (any Refusal)? = nil
    ) throws -> PageResponse {
        var screen = try ways(of: answer.caller)
        screen.oneTimePassword = pending ?? screen.oneTimePassword
        screen.isEmailSent = isEmailSent
        return response(
            .enrolSecondFactor(
                screen, minutes: minutes(for: answer.held), step(problem, answer: answer.secret), contextOfQuestion),
            status: problem?.status ?? 200, because: refusal)
    }

    /// How many minutes are left for the answer.
    private func minutes(for held: HeldSignIn) -> Int {
        max(1, Int((held.endsAt - services.clock.now()).components.seconds / 60))
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
        screen.passkey = screen.hasPasskey ? try ceremonyOfNewPasskey() : creationCeremony(for: caller)
        return screen
    }

    /// Adds the one-time password that the page has shown; or shows the page again, after the address was verified.
    ///
    /// A repeated form leads on, because the browser may not have shown the recovery codes: its user gets new ones.
    func enrolFactor(_ fields: FormFields) async throws -> PageResponse {
        let answer = try await answer(fields, to: .shownSecondFactor, .recoveryCodes)
        guard let answer else { return try await questionExpired() }
        guard answer.held.question != .recoveryCodes else { return try await showRecoveryCodes(answer) }
        guard let secret = fields[signIn: .secret], let sealed = fields[signIn: .enrolment],
            secret.wholeMatch(of: /[A-Z2-7]{16,128}/) != nil
        else {
            guard !answer.caller.account.emailIsVerified else { return try showEnrolment(answer) }
            return try showEnrolment(
                answer, isEmailSent: true, problem: .unverifiedAddress, because: FactorRefusal.unverifiedEmail)
        }
        let signedIn: SignedIn
        do {
            try realm.requireTOTPAllowed()
            let code = Secret((fields[signIn: .code] ?? "").filter { $0 != " " })
            signedIn = try await call.services.accounts.factors.finalize(
                for: answer.caller, FactorEnrolment.Verification(sessionInfo: sealed, code: code), displayName: nil,
                in: realm, from: context)
        } catch FactorRefusal.invalidCode {
            let pending = PendingOneTimePassword(
                secret: secret, enrolment: sealed, of: answer.caller.account, in: realm, named: pageContext.projectName)
            return try showEnrolment(answer, pending, problem: .wrongCode, because: FactorRefusal.invalidCode)
        } catch let refusal as any Refusal {
            // The same form, sent at the same time, may have added the factor.
            if let later = try await answerAfterEnrolment(fields) { return try await showRecoveryCodes(later) }
            return try askAgain(answer, because: refusal)
        }
        let linked = try await linking(try await state(), to: signedIn)
        var held = answer.held
        held.session = linked.session.id
        held.question = .recoveryCodes
        // To write down the codes takes time, and both factors are proven.
        held.endsAt = end
        try await keep(.held(held))
        guard let caller = try await caller(of: held) else { return try await questionExpired() }
        return try await showRecoveryCodes(HeldSignInAnswer(held: held, secret: answer.secret, caller: caller))
    }

    /// - Returns: `nil` if no other request has added the factor, within a fraction of a second.
    private func answerAfterEnrolment(_ fields: FormFields) async throws -> HeldSignInAnswer? {
        for _ in 1...5 {
            if let answer = try await answer(fields, to: .recoveryCodes) { return answer }
            try await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    /// The email about the added factor suffices: the account had no recovery codes before.
    private func showRecoveryCodes(_ answer: HeldSignInAnswer) async throws -> PageResponse {
        let codes: [String]
        do {
            codes = try await call.services.accounts.factors.generateRecoveryCodes(
                for: answer.caller, isAnnounced: false, in: realm, from: context)
        } catch is any Refusal {
            // The login is no longer recent. The account page offers the codes.
            return try await complete(answer.held, in: answer.caller.session, of: answer.caller.account)
        }
        return allowingAnswer(
            answer.secret, to: answer.held,
            response(
                .enrolledSecondFactor(
                    recoveryCodes: codes, minutes: minutes(for: answer.held), step(answer: answer.secret),
                    contextOfQuestion)))
    }

    /// Sends an email that verifies the address of the account.
    func verifyEmailOfEnrolment(_ fields: FormFields) async throws -> PageResponse {
        guard let answer = try await answer(fields, to: .shownSecondFactor) else { return try await questionExpired() }
        do {
            _ = try await call.services.emailActions.sending.sendVerification(
                to: answer.caller, in: realm, from: context)
            return try showEnrolment(answer, isEmailSent: true)
        } catch let refusal as any Refusal {
            return try askAgain(answer, because: refusal)
        }
    }

    /// Asks the user to sign in with the created passkey.
    func askForPasskey(of signedIn: SignedIn, _ answer: HeldSignInAnswer) async throws -> PageResponse {
        var held = answer.held
        held.session = signedIn.session.id
        try await keep(.held(held))
        guard let caller = try await caller(of: held) else { return try await questionExpired() }
        return try showEnrolment(HeldSignInAnswer(held: held, secret: answer.secret, caller: caller))
    }

    /// Continues after the user has saved the recovery codes.
    func finishEnrolment(_ fields: FormFields) async throws -> PageResponse {
        guard let answer = try await answer(fields, to: .recoveryCodes) else { return try await questionExpired() }
        return try await complete(answer.held, in: answer.caller.session, of: answer.caller.account)
    }
}
