internal import HTTP
internal import Identity
internal import Pages

/// The ways from the account page to the sign-in page, for a user who is signed in. What the sign-in page gets names
/// the account, is sealed, and is valid for ten minutes.
extension AccountPageRequest {
    /// Leads to the sign-in page, which proves the same account again, and then back to this part.
    func reauthenticate() throws -> PageResponse {
        try signIn(.reauthenticate, returningTo: AccountContinuation(path, method: reference?.text))
    }

    /// Leads to the sign-in page, on which the user proves the identity to add.
    func startLinking() throws -> PageResponse { try signIn(.link, returningTo: AccountContinuation(.methods)) }

    private func signIn(
        _ operation: AuthorizationFlow.Operation, returningTo continuation: AccountContinuation
    ) throws -> PageResponse {
        let services = services.signInPage
        let base = call.pipeline.publicURL(of: call.request, in: realm)
        let target = "\(base)/\(realm.project.id)/__/auth/\(AccountPath.root)" + continuation.suffix
        // No app exchanges the code, so no verifier exists.
        var request = SignInPageRequest(
            app: App.accountPage.id, target: .accountPage(target), state: "account",
            challenge: services.secrets.hash(services.secrets.random()))
        request.tenant = realm.tenant?.id
        request.language = context.language
        request.operation = operation
        request.subject = SignInPageRequest.Subject(caller)
        request.hasLostForm = operation == .reauthenticate && path.hasText && call.request.method == .post
        let sealed = try services.sealedTokens.encode(
            request, until: services.clock.now() + SignInPageRequest.urlLifetime, in: ID(realm.project.id))
        let page = path == .overview ? "signIn" : "../signIn"
        return PageResponse(.redirect(to: "\(page)?request=\(sealed)"), of: realm.id)
    }
}

extension SignInVisit {
    /// Links an identity that the user has proven for the account page. No app exchanges a code, so the link takes
    /// effect at once. The session of the browser must still be the one that asked for it.
    func linkForAccountPage(_ secrets: FlowResultSecrets) async throws -> PageResponse {
        guard let subject = request.subject, let session = try await call.browserSession(in: realm),
            session.caller.account.id == subject.account, session.caller.session.id == subject.session
        else {
            return PageResponse(
                .redirect(to: appReturn(error: .loginRequired).url), of: realm.id, because: TokenRefusal.sessionEnded)
        }
        guard call.services.accounts.editor.hasRecentLogin(session.caller, in: realm) else {
            // Somebody else may use the page that the user has left open. It asks for a new sign-in.
            let page = call.accountURL(.add, in: realm)
            return PageResponse(.redirect(to: page), of: realm.id, because: EditRefusal.loginTooOld)
        }
        let redeemed = try await call.services.signIn.flows.redeem(
            grant: secrets.grant, sessionID: secrets.sessionID, for: app, in: realm)
        let outcome = try await call.services.signIn.federated.link(
            .authorization(redeemed), to: IDTokenContents(account: subject.account, session: subject.session), for: app,
            in: realm, from: context)
        guard case .signedIn(let signedIn) = outcome else {
            return PageResponse(.redirect(to: appReturn(error: .alreadyLinked).url), of: realm.id)
        }
        let value = try await services.sessions.renew(session, as: signedIn, in: realm)
        var response = Response.redirect(to: request.target.text)
        response.headers.add(
            "Set-Cookie",
            PageCookie.session(in: realm.project.id, origin: call.origin(in: realm)).header(
                value.text, maxAge: session.staysSignedIn ? BrowserSessionLifetime.stay.absolute : nil))
        return PageResponse(response, of: realm.id)
    }
}
