internal import HTTP
internal import Identity
internal import Pages

/// A form that answers the question of a ``HeldSignIn``.
struct HeldSignInAnswer {
    var held: HeldSignIn
    /// The secret of the page.
    let secret: Secret
    /// Whom the session on the page is of.
    let caller: Caller
}

/// Questions that the page asks after the proof of the first factor, and before it returns to the app.
extension SignInVisit {
    private var answerCookie: PageCookie { .answer(in: realm.project.id, origin: call.origin(in: realm)) }

    /// Returns a sign-in with a question, and the secret of the page that asks it.
    func holding(
        _ signedIn: SignedIn, asking question: HeldSignIn.Question, stays: Bool
    ) -> (held: HeldSignIn, secret: Secret) {
        let secret = Secret(services.secrets.random())
        let hash = services.secrets.hash(secret.expose())
        return (HeldSignIn(signedIn, asking: question, answerHash: hash, stays: stays), secret)
    }

    /// Returns the response with the cookie without which the browser cannot answer.
    func allowingAnswer(_ secret: Secret, to held: HeldSignIn, _ response: PageResponse) -> PageResponse {
        var page = response
        page.response.headers.add(
            "Set-Cookie", answerCookie.header(secret.expose(), maxAge: held.endsAt - services.clock.now()))
        return page
    }

    /// Returns the answer of a browser that loads the page of a question.
    ///
    /// - Returns: `nil` if another browser loads the page, or the sign-in is no longer held.
    func answer(ofBrowserAsked held: HeldSignIn) async throws -> HeldSignInAnswer? {
        let secret = Secret(answerCookie.value(in: call.request) ?? "")
        guard isSecret(secret, of: held), let caller = try await caller(of: held) else { return nil }
        return HeldSignInAnswer(held: held, secret: secret, caller: caller)
    }

    /// Returns the answer of a form to one of `questions`.
    ///
    /// - Returns: `nil` if the form is not of the page that asks. Also if the sign-in is no longer held, and then its
    ///   session ends: the time is over, or the browser has since completed another sign-in or signed out, which
    ///   removes the cookie.
    func answer(_ fields: FormFields, to questions: HeldSignIn.Question...) async throws -> HeldSignInAnswer? {
        let secret = Secret(fields[signIn: .offer] ?? "")
        guard case .held(let held) = try await state().step, questions.contains(held.question),
            isSecret(secret, of: held)
        else { return nil }
        guard let answer = try await answer(ofBrowserAsked: held) else {
            try await withdraw(.held(held))
            return nil
        }
        return answer
    }

    private func isSecret(_ secret: Secret, of held: HeldSignIn) -> Bool {
        services.secrets.areEqual(services.secrets.hash(secret.expose()), held.answerHash)
    }

    /// Returns the user to whom a question is asked.
    ///
    /// - Returns: `nil` if the time for the answer is over, or the session has ended.
    func caller(of held: HeldSignIn) async throws -> Caller? {
        guard services.clock.now() <= held.endsAt else { return nil }
        return try await services.codes.caller(
            IDTokenContents(account: held.account, session: held.session), in: realm,
            acceptsRestricted: held.question != .passkey)
    }

    /// Shows the question again, with what was wrong with the answer.
    func askAgain(_ answer: HeldSignInAnswer, because refusal: any Refusal) throws -> PageResponse {
        let problem: SignInProblem = refusal is PasskeyRefusal ? .passkeyNotCreated : SignInProblem(refusal)
        let page =
            answer.held.question == .passkey
            ? showPasskeyOffer(answer, problem, because: refusal)
            : try showEnrolment(answer, problem: problem, because: refusal)
        return page.retriable(after: refusal)
    }

    /// The context of a page that asks. The same page in another language would be another request.
    var contextOfQuestion: Page.Context {
        var pageContext = pageContext
        pageContext.repeatingQuery = nil
        return pageContext
    }

    /// Adds the created passkey to the account. As a second factor, it counts when the user signs in with it, on the
    /// same page; otherwise the page returns to the app.
    func createPasskey(_ fields: FormFields) async throws -> PageResponse {
        guard usesPasskeys, let answer = try await answer(fields, to: .passkey, .shownSecondFactor) else {
            return try await questionExpired()
        }
        do {
            let response = try AuthenticatorResponseInput(field: fields[signIn: .credential]).registration()
            let signedIn = try await call.services.accounts.passkeys.finalize(
                for: answer.caller, response, name: nil, for: app, in: realm, from: context)
            guard answer.held.question == .passkey else { return try await askForPasskey(of: signedIn, answer) }
            return try await complete(answer.held, in: signedIn.session, of: signedIn.account)
        } catch let refusal as any Refusal {
            return try askAgain(answer, because: refusal)
        }
    }

    /// Returns to the app, or shows the merge of a guest account.
    func complete(_ held: HeldSignIn, in session: Session, of account: Account) async throws -> PageResponse {
        if mergesGuest(into: account.id) {
            return try await previewMerge(
                into: IDTokenContents(account: account.id, session: session.id), afterForm: true)
        }
        return try await complete(
            in: session, of: account, isNewAccount: held.isNewAccount,
            browser: isOwnOrigin && request.operation != .link ? browserWish(for: account.id, stays: held.stays) : nil,
            afterForm: true)
    }

    /// Ends the sign-in on the page, whichever tab asks, and returns to the app with `access_denied`.
    func cancelSignIn() async throws -> PageResponse {
        if let contents = try await state().step?.session {
            guard try await endFlow(with: contents) else { return finished() }
            try await services.codes.discard(contents.session, in: realm)
        }
        try await forgetState()
        return returnToApp(.cancelled, error: .cancelled, afterForm: true)
    }

    /// Uses up the only code of the flow, and tells it nobody. A request that answers the step at the same time gets no
    /// code.
    ///
    /// - Returns: `false` if the flow has a code.
    private func endFlow(with contents: IDTokenContents) async throws -> Bool {
        guard let caller = try await services.codes.caller(contents, in: realm, acceptsRestricted: true) else {
            return true
        }
        let signIn = PageSignIn(session: caller.session, isNewAccount: false, browser: nil)
        return try await services.codes.issue(signIn, of: flow, in: realm) != nil
    }

    func questionExpired() async throws -> PageResponse {
        try await show(screen: .signIn, .codeExpired, status: 400)
    }
}
