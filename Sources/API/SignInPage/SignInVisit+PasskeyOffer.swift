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

    /// Stores the offer as the next step of the flow.
    ///
    /// - Returns: `nil` if nothing is offered: the browser cannot create passkeys, its user has declined recently, or the
    ///   account has a passkey. Nor is it offered if the app's `max_age` is less than the time for the answer.
    func passkeyOffer(after signedIn: SignedIn, stays: Bool) async throws -> PageResponse? {
        guard usesPasskeys, request.operation == .signIn, signedIn.session.method == .password,
            FormFields(call.request)?[signIn: .passkeys] == "on", pauseCookie.value(in: call.request) == nil,
            signedIn.account.passkeys.isEmpty,
            request.maxAge.map({ $0 >= SignInPageStep.PasskeyOffer.lifetime }) ?? true
        else { return nil }
        return try await store(
            .passkeyOffer(
                SignInPageStep.PasskeyOffer(
                    account: signedIn.account.id, session: signedIn.session.id, isNewAccount: signedIn.isNewAccount,
                    stays: stays)))
    }

    func show(
        _ offer: SignInPageStep.PasskeyOffer, _ problem: SignInProblem?, status: Int, because refusal: (any Refusal)?
    ) async throws -> PageResponse {
        guard let caller = try await caller(of: offer) else {
            return try await show(screen: .signIn, .codeExpired, status: 400)
        }
        let ceremony: PasskeyCeremony?
        do {
            let started = try call.services.accounts.passkeys.start(
                for: caller, isConditional: false, for: app, in: realm)
            ceremony = PasskeyCeremony(options: try PasskeyCreation(started).credentialCreationOptions.jsonText)
        } catch is any Refusal {
            ceremony = nil
        }
        return response(.passkeyOffer(ceremony, step(problem), pageContext), status: status, because: refusal)
    }

    /// Adds the created passkey to the account, and returns to the app.
    func createPasskey(_ fields: FormFields) async throws -> PageResponse {
        guard usesPasskeys, case .passkeyOffer(let offer) = try await state().step,
            let caller = try await caller(of: offer)
        else { return try await show(screen: .signIn, .codeExpired, status: 400) }
        do {
            let response = try AuthenticatorResponseInput(field: fields[signIn: .credential]).registration()
            let signedIn = try await call.services.accounts.passkeys.finalize(
                for: caller, response, name: nil, for: app, in: realm, from: context)
            return try await complete(offer, in: signedIn.session, of: signedIn.account)
        } catch let refusal as PasskeyRefusal {
            return try await show(offer, .passkeyNotCreated, status: 400, because: refusal)
        }
    }

    /// Returns to the app without a passkey.
    func skipPasskey() async throws -> PageResponse {
        guard case .passkeyOffer(let offer) = try await state().step, let caller = try await caller(of: offer) else {
            return try await show(screen: .signIn, .codeExpired, status: 400)
        }
        var page = try await complete(offer, in: caller.session, of: caller.account)
        page.response.headers.add("Set-Cookie", pauseCookie.header("1", maxAge: Self.pause))
        return page
    }

    private func complete(
        _ offer: SignInPageStep.PasskeyOffer, in session: Session, of account: Account
    ) async throws -> PageResponse {
        try await issueCode(
            for: PageSignIn(
                session: session, isNewAccount: offer.isNewAccount, browser: browserWish(stays: offer.stays)),
            of: account, afterForm: true)
    }

    /// Ends the session of a sign-in that waits for an answer, and returns to the app with `access_denied`.
    func cancelSignIn() async throws -> PageResponse {
        switch try await state().step {
        case .passkeyOffer(let offer): try await withdraw(offer)
        case .guest(let preview): try await withdraw(preview)
        default: return try await show(screen: .signIn, .codeExpired, status: 400)
        }
        return returnToApp(.cancelled, error: .cancelled, afterForm: true)
    }

    /// Ends the session of a sign-in whose offer the user has not answered, and forgets the offer.
    private func withdraw(_ offer: SignInPageStep.PasskeyOffer) async throws {
        try await services.codes.discard(offer.session, in: realm)
        try await services.steps.remove(of: flow, in: realm)
    }

    /// - Returns: `nil` if the session on the page has ended, or is too old; see
    ///   ``SignInPageStep/PasskeyOffer/lifetime``. It ends then.
    private func caller(of offer: SignInPageStep.PasskeyOffer) async throws -> Caller? {
        let caller = try await services.codes.caller(
            IDTokenContents(account: offer.account, session: offer.session), in: realm)
        guard let caller else { return nil }
        let age = services.clock.now() - caller.session.authenticatedAt
        guard age <= SignInPageStep.PasskeyOffer.lifetime else {
            try await withdraw(offer)
            return nil
        }
        return caller
    }
}
