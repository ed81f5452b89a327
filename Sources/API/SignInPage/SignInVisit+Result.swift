internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension SignInVisit {
    /// Completes the flow, or shows the next step.
    ///
    /// - Parameter afterForm: `false` after the redirect of a provider, which no action of the user precedes.
    func finish(
        _ outcome: SignInOutcome, of provider: ProviderID? = nil, isGuest: Bool = false, stays: Bool = false,
        afterForm: Bool = true
    ) async throws -> PageResponse {
        switch outcome {
        case .signedIn(let signedIn):
            return try await finish(signedIn, isGuest: isGuest, stays: stays, afterForm: afterForm)
        case .secondFactorRequired(let challenge):
            return try await store(
                .secondFactor(
                    pendingCredential: challenge.pendingCredential,
                    factors: challenge.account.secondFactors.factors.map(SignInPageStep.Factor.init), stays: stays,
                    sessionInfo: nil, passkeyOwner: challenge.account.passkeys.isEmpty ? nil : challenge.account.id))
        case .confirmationNeeded(let existing, _, let pendingToken):
            guard let provider, request.operation == .signIn else {
                return try await show(screen: .signIn, .rejected, status: 400)
            }
            // An account has one identity of a provider. If it has one, its owner only signs in.
            let isLinked = existing?.identities.contains { $0.provider == provider } != true
            return try await store(
                SignInPageConflict(
                    id: services.secrets.random(), pendingToken: isLinked ? pendingToken : nil, provider: provider,
                    email: existing?.email?.rawValue, methods: existing?.signInMethodsOnPage ?? []))
        case .conflict, .phoneConflict:
            return try await show(screen: .signIn, .rejected, status: 400)
        }
    }

    private func finish(
        _ signedIn: SignedIn, isGuest: Bool, stays: Bool, afterForm: Bool
    ) async throws -> PageResponse {
        if !request.isForGuest, let subject = request.subject, subject.account != signedIn.account.id {
            try await services.codes.discard(signedIn.session.id, in: realm)
            return returnToApp(
                .otherAccount, error: .userMismatch, afterForm: afterForm, because: SignInRefusal.otherAccount)
        }
        let state = try await state()
        // A form that was sent twice, or another tab. The former page can no longer be answered.
        if case .held(let former) = state.step { try await services.codes.discard(former.session, in: realm) }
        // Otherwise the wrong account would get a factor.
        if signedIn.isRestricted { _ = try await pendingTokenOfConflict(state, for: signedIn) }
        if signedIn.isRestricted, let page = try await enrolment(after: signedIn, stays: stays, afterForm: afterForm) {
            return page
        }
        if mergesGuest(into: signedIn.account.id) {
            return try await previewMerge(
                into: IDTokenContents(account: signedIn.account.id, session: signedIn.session.id), afterForm: afterForm)
        }
        let signedIn = try await linking(state, to: signedIn)
        let hasBrowser = isOwnOrigin && !isGuest && !signedIn.isRestricted && request.operation != .link
        if hasBrowser, let offer = try await passkeyOffer(after: signedIn, stays: stays) { return offer }
        return try await complete(
            in: signedIn.session, of: signedIn.account, isNewAccount: signedIn.isNewAccount, isGuest: isGuest,
            browser: hasBrowser ? browserWish(for: signedIn.account.id, stays: stays) : nil, afterForm: afterForm)
    }

    /// Returns to the app with a code, or to the account page with a session of the browser.
    func complete(
        in session: Session, of account: Account, isNewAccount: Bool, isGuest: Bool = false,
        browser: PageSignIn.BrowserWish?, afterForm: Bool
    ) async throws -> PageResponse {
        if app.isAccountPage, browser == nil {
            try await services.codes.discard(session.id, in: realm)
            return PageResponse(
                .redirect(to: appReturn(error: .userMismatch).url), of: realm.id, because: SignInRefusal.otherAccount)
        }
        return try await issueCode(
            for: PageSignIn(session: session, isNewAccount: isNewAccount, browser: browser),
            of: isGuest ? nil : account, afterForm: afterForm)
    }

    /// The session that the browser gets. If it replaces one of the same account, it lasts no shorter: pages on which a
    /// user proves an account again have no box for that.
    ///
    /// - Returns: `nil` for a re-authentication in a browser without a session of the account. That is no sign-in, and
    ///   only the account page needs a session.
    func browserWish(for account: ID<Account>, stays: Bool) async throws -> PageSignIn.BrowserWish? {
        let former = try await call.browserSession(in: realm)
        let isRenewed = former?.caller.account.id == account
        if request.operation == .reauthenticate, !isRenewed, former != nil || !app.isAccountPage { return nil }
        let stays = stays || isRenewed && former?.staysSignedIn == true
        return PageSignIn.BrowserWish(lifetime: stays ? .stay : .visit, replaced: call.browserSessionValue(in: realm))
    }

    /// Returns to the app with an error.
    func returnToApp(
        _ failure: SignInFailure, error: SignInPageError, afterForm: Bool, because refusal: (any Refusal)? = nil
    ) -> PageResponse {
        let back = appReturn(error: error)
        let isWebPage = request.isWebPage(of: app)
        // After a form, the policy of the page does not permit a redirect to a web page of the app.
        guard afterForm, !app.isAccountPage, isWebPage || request.target.formTargets.isEmpty else {
            return PageResponse(.redirect(to: back.url), of: realm.id, because: refusal)
        }
        return response(
            .signInFailure(failure, returningTo: back, isAutomatic: isWebPage, pageContext), because: refusal)
    }

    /// Links the identity of the conflict that the page shows to the account that its owner has proven. A restricted
    /// session links nothing.
    func linking(_ state: SignInPageState, to signedIn: SignedIn) async throws -> SignedIn {
        let pendingToken = try await pendingTokenOfConflict(state, for: signedIn)
        guard let pendingToken, !signedIn.isRestricted else { return signedIn }
        let outcome = try await discardingOnError(signedIn.session.id) {
            try await call.services.signIn.federated.signIn(
                .pendingToken(pendingToken), linkingTo: signedIn.idToken, autoCreate: false, for: app, in: realm,
                from: context
            ).outcome
        }
        guard case .signedIn(let renewed) = outcome else { return signedIn }
        try await services.codes.discard(signedIn.session.id, in: realm)
        return renewed
    }

    /// Returns the token that links the identity of the conflict to the account. Links nothing.
    ///
    /// - Returns: `nil` without a conflict.
    /// - Throws: ``SignInRefusal/otherAccount`` if the conflict is with another account.
    private func pendingTokenOfConflict(_ state: SignInPageState, for signedIn: SignedIn) async throws -> String? {
        guard flow.conflict != nil else { return nil }
        guard let conflict = state.conflict(of: flow) else {
            try await services.codes.discard(signedIn.session.id, in: realm)
            throw SignInPageRefusal.previewOutdated
        }
        guard let pendingToken = conflict.pendingToken else { return nil }
        return try await discardingOnError(signedIn.session.id) {
            try await call.services.signIn.federated.renew(
                pendingToken, for: signedIn.account, of: app, in: realm, from: context)
        }
    }

    /// Ends the session on the page if `work` fails.
    func discardingOnError<Value>(
        _ session: ID<Session>, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            try await services.codes.discard(session, in: realm)
            guard case ProviderRefusal.invalidPendingToken = error else { throw error }
            try await forgetState()
            throw SignInPageRefusal.stepExpired
        }
    }

    /// Issues the code of the flow, and returns to the app.
    ///
    /// - Parameter account: the account that the browser remembers, if its user wants that.
    func issueCode(
        for signIn: PageSignIn, of account: Account? = nil, afterForm: Bool
    ) async throws -> PageResponse {
        guard let issued = try await services.codes.issue(signIn, of: flow, in: realm) else {
            return finished()
        }
        let url =
            app.isAccountPage ? request.target.text : SignInResult(request, issuer: issuer).url(code: issued.code)
        var page = returnToApp(CheckedReturn(request.target, url: url), afterForm: afterForm)
        if let value = issued.browser {
            let cookie = PageCookie.session(in: realm.project.id, origin: call.origin(in: realm))
            let maxAge = signIn.browser?.lifetime == .stay ? BrowserSessionLifetime.stay.absolute : nil
            page.response.headers.add("Set-Cookie", cookie.header(value.text, maxAge: maxAge))
        }
        call.removeAnswer(in: realm, &page.response)
        if let account, let cookie = try rememberingCookie(of: account, method: signIn.session.method) {
            page.response.headers.add("Set-Cookie", cookie)
        }
        return page
    }

    /// The page after a sign-in that another request has completed.
    func finished() -> PageResponse {
        let back = CheckedReturn(request.target, url: request.target.text)
        return response(
            .signInFailure(.finished, returningTo: back, pageContext), status: 400, because: SignInPageRefusal.finished)
    }

    /// A web page opens from a page that refreshes itself, because `form-action` would cover every redirect after our
    /// form, also the app's own. An app opens only after an action of the user: by a redirect after our form, otherwise
    /// by a button.
    private func returnToApp(_ back: CheckedReturn, afterForm: Bool) -> PageResponse {
        if app.isAccountPage { return PageResponse(.redirect(to: back.url), of: realm.id) }
        let isWebPage = request.isWebPage(of: app)
        if !isWebPage, afterForm, !request.target.formTargets.isEmpty {
            return PageResponse(.redirect(to: back.url), of: realm.id)
        }
        return response(.signedIn(returningTo: back, isAutomatic: isWebPage, pageContext))
    }
}
