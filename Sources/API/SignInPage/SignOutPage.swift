internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// Asks whether to end the session of the browser.
    static let getSignOutPage = page("getSignOutPage", .get, "/{project}/__/auth/signOut") { call in
        try await call.withProjectOfPath { realm, pageContext in
            guard let (session, own) = try await call.browserSession(inTenantsOf: realm) else {
                var response = Page.signedOut(pageContext).sessionResponse()
                call.removeAnswer(in: realm, &response)
                return PageResponse(response, of: realm.id)
            }
            let form = FormTokens.Form(browser: session.secretHash, action: "signOut")
            let page = Page.signOut(
                session.caller.account.visibleName, formToken: call.services.signInPage.forms.token(for: form),
                pageContext)
            return PageResponse(page.sessionResponse(), of: own.id)
        }
    }

    /// Ends the session of the browser. The sessions of apps stay.
    static let postSignOutPage = page("postSignOutPage", .post, "/{project}/__/auth/signOut") { call in
        let fields = FormFields(call.request)
        return try await call.withProjectOfPath { realm, pageContext in
            guard let (session, own) = try await call.browserSession(inTenantsOf: realm) else {
                return PageResponse(.redirect(to: "signOut"), of: realm.id)
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
            var response = Response.redirect(to: "signOut")
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
