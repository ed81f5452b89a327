internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// The page on which a user requests a password reset, for an installation with one project.
    static let getForgotPasswordPage = page("getForgotPasswordPage", .get, "/__/auth/forgotPassword") {
        try await $0.forgotPasswordPage()
    }

    static let getProjectForgotPasswordPage = page(
        "getProjectForgotPasswordPage", .get, "/{project}/__/auth/forgotPassword"
    ) { try await $0.forgotPasswordPage() }

    static let postForgotPasswordPage = page("postForgotPasswordPage", .post, "/__/auth/forgotPassword") {
        try await $0.sendReset()
    }

    static let postProjectForgotPasswordPage = page(
        "postProjectForgotPasswordPage", .post, "/{project}/__/auth/forgotPassword"
    ) { try await $0.sendReset() }

    /// A Well-Known URL for Changing Passwords (W3C), for an installation with one project.
    static let getChangePassword = page("getChangePassword", .get, "/.well-known/change-password") {
        try await $0.redirectToForgotPassword()
    }

    static let getProjectChangePassword = page(
        "getProjectChangePassword", .get, "/{project}/.well-known/change-password"
    ) { try await $0.redirectToForgotPassword() }
}

extension EndpointCall {
    fileprivate func forgotPasswordPage() async throws -> PageResponse {
        try await withProject(languageTag: request.query("lang")) { realm, pageContext in
            PageResponse(
                .forgotPassword(removesMethods: realm.policy.resetUnlinksIdentities, pageContext), of: realm.id)
        }
    }

    /// Sends the email with the reset link to the submitted address.
    fileprivate func sendReset() async throws -> PageResponse {
        let fields = FormFields(request)
        return try await withProject(languageTag: fields?[.language]) { realm, pageContext in
            guard let email = fields?[.email].flatMap(EmailAddress.init) else {
                let page = Page.forgotPassword(
                    isInvalid: true, removesMethods: realm.policy.resetUnlinksIdentities, pageContext)
                return PageResponse(page, of: realm.id, because: CredentialRefusal.invalidEmail)
            }
            do {
                try await services.emailActions.pageService.sendReset(
                    to: email.rawValue, in: realm, from: context(language: pageContext.language))
                return PageResponse(.resetRequested(to: email, pageContext), of: realm.id)
            } catch OOBSendingRefusal.emailUnknown {
                // The same page as after success, so that it does not reveal whether an account has the address.
                return PageResponse(.resetRequested(to: email, pageContext), of: realm.id)
            } catch let refusal as OOBSendingRefusal {
                return PageResponse(Page.failure(.code(.notAllowed), pageContext), of: realm.id, because: refusal)
            } catch let refusal as TooManyAttempts {
                return PageResponse(refusal, of: realm.id, pageContext)
            }
        }
    }

    /// Redirects to the page on which a user requests a reset. The location is relative, so that a proxy can serve the
    /// gateway below another path.
    fileprivate func redirectToForgotPassword() async throws -> PageResponse {
        guard let (realm, _) = try await services.emailActions.pageService.realm(ofProject: namedProject) else {
            throw RequestRefusal.notFound
        }
        let response = Response(status: 303, headers: ["Location": "../__/auth/forgotPassword"])
        return PageResponse(response, of: realm.id)
    }

    /// The project that the path names; `nil` for the only project of an installation.
    private var namedProject: ID<Project>? { parameters["project"].map { ID($0) } }

    /// Calls `respond` with the project that the path names, or with the only project.
    private func withProject(
        languageTag tag: String?, _ respond: (Realm, Page.Context) async throws -> PageResponse
    ) async throws -> PageResponse {
        guard let (realm, name) = try await services.emailActions.pageService.realm(ofProject: namedProject) else {
            let pageContext = pageContext(languageTag: tag, in: nil, projectName: nil)
            return PageResponse(
                Page.failure(.notFound, pageContext), of: nil, status: 404, because: RequestRefusal.notFound)
        }
        return try await respond(realm, pageContext(languageTag: tag, in: realm, projectName: name))
    }
}

extension PageResponse {
    /// The page about a rate limit.
    init(_ refusal: TooManyAttempts, of realm: ID<Realm>, _ pageContext: Page.Context) {
        let page = Page.failure(.tooManyAttempts(minutes: refusal.retryAfter.delayMinutes), pageContext)
        var response = page.response(status: 429)
        response.headers.add("Retry-After", String(refusal.retryAfter.delaySeconds))
        self.init(response, of: realm, because: refusal)
    }
}
