internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// Asks whether to end the session of the browser.
    static let getSignOutPage = page("getSignOutPage", .get, "/{project}/__/auth/signOut") { call in
        let request = call.request
        return try await call.withProjectOfPath(brandedAs: { _ in request.query("app").map { ID($0) } }) {
            realm, pageContext in
            guard call.pipeline.isOwnOrigin(request, in: realm) else { return call.signOutOfGateway(in: realm) }
            let way = try await call.wayBack(in: realm)
            var pageContext = pageContext
            pageContext.repeatingQuery?.append(contentsOf: way?.parameters ?? [])
            guard let (session, own) = try await call.browserSession(inTenantsOf: realm) else {
                var response = Page.signedOut(returningTo: way, pageContext).sessionResponse()
                call.removeAnswer(in: realm, &response)
                return PageResponse(response, of: realm.id)
            }
            let form = FormTokens.Form(browser: session.secretHash, action: "signOut")
            let page = Page.signOut(
                session.caller.account.visibleName, formToken: call.services.signInPage.forms.token(for: form),
                returningTo: way, pageContext)
            return PageResponse(page.sessionResponse(), of: own.id)
        }
    }

    /// Ends the session of the browser. The sessions of apps stay.
    static let postSignOutPage = page("postSignOutPage", .post, "/{project}/__/auth/signOut") { call in
        let fields = FormFields(call.request)
        return try await call.withProjectOfPath { realm, pageContext in
            // The page checks them again after the redirect.
            let parameters = ["app", "continueUri"].compactMap { name in
                fields?.value(ByteText(name)).map { (name, $0) }
            }
            let page = "signOut" + (parameters.isEmpty ? "" : "?" + PercentEncoding.encode(form: parameters))
            guard let (session, own) = try await call.browserSession(inTenantsOf: realm) else {
                return PageResponse(.redirect(to: page), of: realm.id)
            }
            let form = FormTokens.Form(browser: session.secretHash, action: "signOut")
            let services = call.services.signInPage
            guard
                services.forms.accepts(
                    call.request, token: fields?.value(FormTokens.field), for: form,
                    origin: call.origin(in: realm))
            else {
                let refusal = SignInPageRefusal.foreignForm
                return PageResponse(
                    Page.sessionFailure(.foreignForm, pageContext).sessionResponse(status: 400), of: own.id,
                    because: refusal)
            }
            try await services.sessions.end(session, in: own, from: call.context)
            var response = Response.redirect(to: page)
            let cookie = PageCookie.session(in: realm.project.id, origin: call.origin(in: realm))
            response.headers.add("Set-Cookie", cookie.removal)
            call.removeAnswer(in: realm, &response)
            // "Back" must not show a page of the account again.
            response.headers.add("Clear-Site-Data", "\"cache\"")
            return PageResponse(response, of: own.id)
        }
    }
}

extension EndpointCall {
    /// Returns the way back to the app that the query names.
    ///
    /// - Returns: `nil` without one, for an unknown app, and for a URL that the app does not accept: it must not keep a
    ///   user from signing out.
    fileprivate func wayBack(in realm: Realm) async throws -> SignOutReturn? {
        guard request.repeatedParameter == nil, let id = request.query("app").nonEmpty,
            let uri = request.query("continueUri").nonEmpty,
            let app = try await services.projects.app(ID(id), realm.project.id),
            let target = try? AuthorizationTarget(uri, of: app, in: realm), !target.hasResultParameter
        else { return nil }
        return SignOutReturn(to: target, of: app.id)
    }

    /// Leads to the page on the gateway's own origin, which alone knows the session.
    fileprivate func signOutOfGateway(in realm: Realm) -> PageResponse {
        let query = PercentEncoding.encode(form: request.query.map { ($0.name.rawValue, $0.value) })
        let page = services.signIn.publicOrigin.configured() + "/\(realm.project.id)/__/auth/signOut"
        return PageResponse(.redirect(to: page + (query.isEmpty ? "" : "?" + query)), of: realm.id)
    }

    /// Keeps the browser from answering the question of a ``HeldSignIn``, which a page in another tab may show.
    func removeAnswer(in realm: Realm, _ response: inout Response) {
        PageCookie.answer(in: realm.project.id, origin: origin(in: realm)).remove(from: request, in: &response)
    }

    /// Calls `respond` with the project that the path names.
    func withProjectOfPath(
        languageTag: String? = nil, brandedAs app: (Realm) -> ID<App>? = { _ in nil },
        _ respond: (Realm, Page.Context) async throws -> PageResponse
    ) async throws -> PageResponse {
        let id = parameters["project"].map { ID<Project>($0) }
        guard let (realm, name) = try await services.emailActions.pageService.realm(ofProject: id) else {
            let pageContext = pageContext(languageTag: languageTag, in: nil, projectName: nil)
            return PageResponse(
                Page.failure(.notFound, pageContext), of: nil, status: 404, because: RequestRefusal.notFound)
        }
        return try await respond(
            realm, pageContext(languageTag: languageTag, in: realm, of: app(realm), projectName: name))
    }
}

extension Account {
    /// The name under which a page addresses the user: the display name, or the address, or the telephone number.
    var visibleName: String? { displayName ?? email?.rawValue ?? phoneNumber?.rawValue }
}
