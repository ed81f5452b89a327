internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// The overview of the account page.
    static let getAccountPage = page("getAccountPage", .get, "/{project}/__/auth/account") {
        try await $0.accountPage(.overview) { try await $0.view() }
    }

    /// A part of the account page. Showing it changes nothing.
    static let getAccountPart = page("getAccountPart", .get, "/{project}/__/auth/account/{part}") {
        try await $0.accountPage($0.accountPath) { try await $0.view() }
    }

    /// Changes what a form of the account page asks for.
    static let postAccountPart = page("postAccountPart", .post, "/{project}/__/auth/account/{part}") {
        try await $0.accountPage($0.accountPath) { try await $0.submit() }
    }

    /// Leads from a host that forwards only `/__/auth/` to the account page of the only project.
    static let redirectToAccountPage = page("redirectToAccountPage", .get, "/__/auth/account") { call in
        guard let (realm, _) = try await call.services.emailActions.pageService.realm(ofProject: nil) else {
            throw RequestRefusal.notFound
        }
        return PageResponse(.redirect(to: call.accountURL(.overview, in: realm)), of: realm.id)
    }
}

extension EndpointCall {
    /// `nil` unless the path names a part of the account page.
    fileprivate var accountPath: AccountPath? {
        parameters["part"].flatMap { $0.isEmpty ? nil : AccountPath(rawValue: $0) }
    }

    /// The URL of the account page on the gateway's own origin.
    func accountURL(_ path: AccountPath, in realm: Realm) -> String {
        let part = path == .overview ? "" : "/" + path.rawValue
        let app = appInQuery(in: realm).map { "?app=\($0)" } ?? ""
        return services.signIn.publicOrigin.configured() + "/\(realm.project.id)/__/auth/\(AccountPath.root)" + part
            + app
    }

    /// Calls `respond` for the signed-in user. Otherwise leads to the page on which the user can go on: on the
    /// gateway's own origin, after signing in, or after signing in again.
    fileprivate func accountPage(
        _ path: AccountPath?, _ respond: (AccountPageRequest) async throws -> PageResponse
    ) async throws -> PageResponse {
        let fields = request.method == .post ? FormFields(request) : nil
        let tag = fields?[.language] ?? request.query("lang")
        return try await withProjectOfPath(languageTag: tag, brandedAs: appOfAccountPage) { project, pageContext in
            var response = try await accountResponse(path, fields, in: project, pageContext, respond)
            if let app = appInQuery(in: project), pipeline.isOwnOrigin(request, in: project) {
                let cookie = PageCookie.accountApp(in: project.project.id, origin: origin(in: project))
                response.response.headers.add("Set-Cookie", cookie.header(app.rawValue, maxAge: nil))
            }
            return response
        }
    }

    private func accountResponse(
        _ path: AccountPath?, _ fields: FormFields?, in project: Realm, _ pageContext: Page.Context,
        _ respond: (AccountPageRequest) async throws -> PageResponse
    ) async throws -> PageResponse {
        guard let path, request.repeatedParameter == nil else {
            return PageResponse(
                Page.failure(.notFound, pageContext).sessionResponse(status: 404), of: project.id,
                because: RequestRefusal.notFound)
        }
        guard pipeline.isOwnOrigin(request, in: project) else {
            return PageResponse(.redirect(to: accountURL(path, in: project)), of: project.id)
        }
        guard let (session, realm) = try await browserSession(inTenantsOf: project) else {
            return signedOutResponse(path, in: project, pageContext)
        }
        let pageRequest = AccountPageRequest(
            call: self, path: path, realm: realm, session: session, fields: fields,
            context: self.pageContext(
                languageTag: fields?[.language] ?? request.query("lang"), in: project,
                of: appOfAccountPage(in: project),
                projectName: pageContext.projectName, for: session.caller.account),
            zone: await services.signInPage.timeZones.offsets(of: session.caller.account.timeZone))
        guard
            !path.needsRecentLogin(for: request.method)
                || services.accounts.editor.hasRecentLogin(session.caller, in: realm)
        else { return try pageRequest.reauthenticate() }
        return try await pageRequest.explainingRefusals { try await respond(pageRequest) }
    }

    /// Leads to the sign-in page. The page about deletion is public.
    private func signedOutResponse(
        _ path: AccountPath, in project: Realm, _ pageContext: Page.Context
    ) -> PageResponse {
        if request.query("error")?.isExactly(SignInPageError.cancelled.rawValue) == true {
            // Another redirect would show the page again that the user has cancelled.
            return PageResponse(Page.signedOut(returningTo: nil, pageContext).sessionResponse(), of: project.id)
        }
        let signIn = path.signInPath(continuing: AccountContinuation(path, method: request.query("method")))
        guard path == .delete, request.method == .get else {
            return PageResponse(.redirect(to: signIn), of: project.id)
        }
        let frame = AccountFrame(pageContext, path, formToken: "", now: services.signInPage.clock.now())
        let page: Page =
            if let revocation = provenRevocation {
                .accountDeleted(revocation, frame)
            } else {
                .deleteAccount(signInURL: signIn, frame)
            }
        return PageResponse(page.sessionResponse(), of: project.id)
    }

    /// What happened at Apple when the account was deleted, if the query has it from this gateway.
    private var provenRevocation: AppleRevocation? {
        guard let text = request.query("deleted"), let revocation = AppleRevocation(rawValue: text) else { return nil }
        let isProven = services.signInPage.forms.isValid(request.query("proof"), for: .deletion(revocation))
        return isProven ? revocation : nil
    }
}

/// The part of the account page to which the user returns from the sign-in page.
struct AccountContinuation {
    private let path: AccountPath
    /// See ``AccountMethod/Reference/text``.
    private let method: String?

    init(_ path: AccountPath, method: String? = nil) {
        self.path = path
        self.method = method.nonEmpty
    }

    /// Reads the query with which the sign-in page leads back to the overview.
    ///
    /// - Returns: `nil` if the query names no other part, and after an error.
    init?(_ request: Request) {
        guard request.query("error") == nil,
            let path = request.query("next").nonEmpty.flatMap(AccountPath.init(rawValue:))
        else { return nil }
        let method = request.query("method").flatMap(Base64URL.decode).map { String(decoding: $0, as: UTF8.self) }
        self.init(path, method: method)
    }

    /// The query with which the overview leads to the part; empty for the overview.
    var suffix: String { query.isEmpty ? "" : "?" + query }

    /// The query of the overview, of which the sign-in page returns at most 200 letters, digits, `_`, `-`, `=` and `&`.
    fileprivate var query: String {
        guard path != .overview else { return "" }
        let encoded = method.map { "&method=" + Base64URL.encode(Array($0.utf8)) } ?? ""
        let query = "next=\(path.rawValue)" + encoded
        return query.utf8.count <= 200 ? query : "next=\(AccountPath.methods.rawValue)"
    }

    /// The path from the overview to the part.
    var location: String {
        AccountPath.overview.relativePath(to: path)
            + (method.map { "?" + PercentEncoding.encode(form: [("method", $0)]) } ?? "")
    }
}

extension AccountPath {
    /// Whether the part changes the account, or copies its data. A user who left a browser unlocked must sign in again.
    fileprivate func needsRecentLogin(for method: HTTP.Method) -> Bool {
        switch self {
        case .overview, .methods, .activity: false
        case .devices: method == .post
        case .add, .remove, .passkey, .rename, .email, .password, .profile, .preferences, .secure, .phone,
            .authenticator, .recoveryCodes, .data, .delete:
            true
        }
    }

    /// Whether the form of the part has text that the user has typed.
    var hasText: Bool {
        switch self {
        case .rename, .email, .password, .profile, .preferences, .secure, .phone, .authenticator: true
        case .overview, .methods, .activity, .devices, .add, .remove, .passkey, .recoveryCodes, .data, .delete: false
        }
    }

    /// The path to the sign-in page from this page, for a user who is signed out.
    func signInPath(continuing continuation: AccountContinuation) -> String {
        let fields =
            [("account", "1")] + (continuation.query.isEmpty ? [] : [("continue", continuation.query)])
        return (self == .overview ? "" : "../") + "signIn?" + PercentEncoding.encode(form: fields)
    }
}

extension FormTokens.Form {
    /// What the page about a deletion states. No session is left to which the token could be bound.
    static func deletion(_ revocation: AppleRevocation) -> FormTokens.Form {
        FormTokens.Form(browser: [], action: "deleted", subject: revocation.rawValue)
    }
}
