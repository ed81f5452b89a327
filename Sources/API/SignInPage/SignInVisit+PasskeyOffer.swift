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
    ///   account has a passkey.
    func passkeyOffer(after signedIn: SignedIn, stays: Bool) async throws -> PageResponse? {
        guard usesPasskeys, request.operation == .signIn, signedIn.session.method == .password,
            FormFields(call.request)?[signIn: .passkeys] == "on", pauseCookie.value(in: call.request) == nil,
            signedIn.account.passkeys.isEmpty
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

    /// - Returns: `nil` if the session on the page has ended.
    private func caller(of offer: SignInPageStep.PasskeyOffer) async throws -> Caller? {
        try await services.codes.caller(
            IDTokenContents(account: offer.account, session: offer.session), in: realm)
    }
}
