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

    /// Stores the offer as the next step of the flow, and shows it.
    ///
    /// - Returns: `nil` if nothing is offered: the browser cannot create passkeys, its user has declined recently, or
    ///   the account has a passkey. Nor is it offered if the app's `max_age` is less than the time for the answer.
    func passkeyOffer(after signedIn: SignedIn, stays: Bool) async throws -> PageResponse? {
        guard usesPasskeys, request.operation == .signIn, signedIn.session.method == .password,
            FormFields(call.request)?[signIn: .passkeys] == "on", pauseCookie.value(in: call.request) == nil,
            signedIn.account.passkeys.isEmpty, request.maxAge.map({ $0 >= HeldSignIn.lifetime }) ?? true
        else { return nil }
        let (held, secret) = holding(signedIn, asking: .passkey, stays: stays)
        try await discardingOnError(signedIn.session.id) { try await keep(.held(held)) }
        guard let caller = try await caller(of: held) else { return nil }
        return allowingAnswer(
            secret, to: held, showPasskeyOffer(HeldSignInAnswer(held: held, secret: secret, caller: caller), nil))
    }

    func showPasskeyOffer(
        _ answer: HeldSignInAnswer, _ problem: SignInProblem?, because refusal: (any Refusal)? = nil
    ) -> PageResponse {
        response(
            .passkeyOffer(
                creationCeremony(for: answer.caller), isNewAccount: answer.held.isNewAccount,
                step(problem, answer: answer.secret), contextOfQuestion),
            status: problem?.status ?? 200, because: refusal)
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

    /// Returns to the app without a passkey.
    func skipPasskey(_ fields: FormFields) async throws -> PageResponse {
        guard let answer = try await answer(fields, to: .passkey) else { return try await questionExpired() }
        var page = try await complete(answer.held, in: answer.caller.session, of: answer.caller.account)
        page.response.headers.add("Set-Cookie", pauseCookie.header("1", maxAge: Self.pause))
        return page
    }
}
