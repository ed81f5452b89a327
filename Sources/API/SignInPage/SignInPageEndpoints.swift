internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension Endpoint {
    /// Opens the sign-in page, or shows a step of a flow.
    static let getSignInPage = page("getSignInPage", .get, "/{project}/__/auth/signIn") { call in
        try await call.withProjectOfPath { project, pageContext in
            let visitor = SignInVisitor(call: call, project: project, pageContext: pageContext)
            if let link = call.request.query("link") { return try await visitor.open(link: link) }
            guard let sealed = call.request.query("flow") else { return try await visitor.open() }
            return try await visitor.resume(sealed) { visit in
                let visit = try await visit.isOutdated() ? visit.showing(nil) : visit
                let account = call.request.query("account")
                // A remembered account signs in on the first screen, and only its switch of the language sends
                // `change`.
                let isFirstScreen = account != nil || call.request.query("change") != nil
                let screen = call.request.query("screen").flatMap(SignInPageRequest.Screen.init)
                return try await visit.show(
                    screen: screen ?? (isFirstScreen ? .signIn : nil),
                    visit.redirectedProblem, email: visit.rememberedEmail(account))
            }
        }
    }

    /// Performs a step of the sign-in page.
    static let postSignInPage = page(
        "postSignInPage", .post, "/{project}/__/auth/signIn", bodyLimit: smallBodyLimit
    ) { call in
        let fields = FormFields(call.request)
        return try await call.withProjectOfPath { project, pageContext in
            let visitor = SignInVisitor(call: call, project: project, pageContext: pageContext)
            return try await visitor.resume(fields?[signIn: .flow] ?? "") { visit in
                let token = fields?[signIn: .formToken]
                guard let fields,
                    visit.services.forms.accepts(
                        call.request, token: token, for: visit.form, origin: call.origin(in: visit.realm))
                else {
                    return visit.response(
                        Page.sessionFailure(.foreignForm, visit.pageContext), status: 400,
                        because: SignInPageRefusal.foreignForm)
                }
                return try await visit.remembering(as: fields).beginning(with: fields[signIn: .email]).submit(fields)
            }
        }
    }

    /// Starts the sign-in with a provider, and redirects the browser to it.
    static let openSignInProvider = page("openSignInProvider", .get, "/{project}/__/auth/signIn/provider") { call in
        try await call.withProjectOfPath { project, pageContext in
            let visitor = SignInVisitor(call: call, project: project, pageContext: pageContext)
            return try await visitor.resume(call.request.query("flow") ?? "") { visit in
                try await visit.startProvider(ProviderID(call.request.query("providerId") ?? ""))
            }
        }
    }
}

extension FormFields {
    subscript(signIn field: SignInField) -> String? { value(ByteText(field.rawValue)) }
}

/// A request to the sign-in page of a project, before its flow is known.
struct SignInVisitor {
    let call: EndpointCall
    let project: Realm
    let pageContext: Page.Context

    var services: SignInPageServices { call.services.signInPage }
    var origin: String { call.origin(in: project) }

    /// The cookie that binds the flows of a browser.
    var cookie: PageCookie { .flow(origin: origin) }

    /// Calls `respond` with the flow that the browser started. Otherwise returns a page about the reason.
    func resume(
        _ sealed: String, _ respond: (SignInVisit) async throws -> PageResponse
    ) async throws -> PageResponse {
        guard let (flowOnPage, end) = ended(SignInPageFlow.self, from: sealed) else {
            return failure(.expired, because: .flowInvalid)
        }
        let restored = try await services.steps.restoringState(of: flowOnPage, in: project)
        guard let flow = restored, services.clock.now() < end else {
            // An app accepts no result without its `state`.
            let back = try await back(of: flowOnPage.request, error: flowOnPage.hasStoredState ? nil : .cancelled)
            return failure(.expired, because: .flowInvalid, back)
        }
        guard isBrowser(of: flow) else {
            return failure(.otherBrowser, because: .otherBrowser, try await back(of: flow.request))
        }
        guard let visit = try await visit(flow, sealed: sealed, until: end, isResumed: true) else {
            return failure(.expired, because: .flowInvalid)
        }
        guard try await !services.codes.isFinished(flow, in: visit.realm) else {
            return failure(.finished, because: .finished, try await back(of: flow.request))
        }
        return try await visit.reportingOutages { try await respond(visit) }
    }

    /// Whether the browser started the flow.
    func isBrowser(of flow: SignInPageFlow) -> Bool {
        guard let value = cookie.value(in: call.request) else { return false }
        return flow.isBound(toCookieWith: services.secrets.hash(value), by: services.secrets)
    }

    /// - Parameter isResumed: whether the flow has started before. Then the language that the user has chosen since
    ///   precedes the app's.
    /// - Returns: `nil` if the app, its URL or the tenant is no longer accepted.
    func visit(
        _ flow: SignInPageFlow, sealed: String, until end: Instant, isResumed: Bool = false
    ) async throws -> SignInVisit? {
        let request = flow.request
        guard let realm = try await realm(of: request.tenant) else { return nil }
        let app = try await app(request.app)
        guard let app, app.accepts(request.target, in: realm) else { return nil }
        let language = isResumed ? call.chosenLanguage ?? request.language : request.language
        var pageContext = call.pageContext(
            languageTag: language?.rawValue, in: realm,
            of: app.isAccountPage ? call.appOfAccountPage(in: realm) : app.id, projectName: pageContext.projectName)
        if call.request.path.utf8.suffix(7).elementsEqual("/signIn".utf8) {
            pageContext.repeatingQuery = [(SignInField.flow.rawValue, sealed)]
            if call.request.method == .get, let link = call.request.query("link") {
                pageContext.repeatingQuery = [("link", link)]
            }
            if let screen = call.request.query("screen").flatMap(SignInPageRequest.Screen.init) {
                pageContext.repeatingQuery?.append(("screen", screen.rawValue))
            }
        }
        return SignInVisit(
            call: call, realm: realm, app: app, flow: flow, end: end, sealed: sealed, pageContext: pageContext)
    }

    func realm(of tenant: ID<Tenant>?) async throws -> Realm? {
        guard let tenant else { return project }
        guard tenant.isValidTenantID,
            let realm = try await call.services.projects.tenancy.realmOfExistingTenant(tenant, project),
            realm.tenant?.settings.isDisabled != true
        else { return nil }
        return realm
    }

    func app(_ id: ID<App>) async throws -> App? {
        guard id != App.accountPage.id else { return .accountPage }
        return try await call.services.projects.app(id, project.project.id)
    }
}
