internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// A request with which a provider sends the browser back to the handler.
struct HandlerCallback {
    let call: EndpointCall

    private var flows: AuthorizationFlows { call.services.signIn.flows }

    func pageResponse() async throws -> PageResponse {
        try await withFlow(of: call.request.query("state")) { returned in
            guard !repeatsParameter else { throw AuthorizationRefusal.invalidResponse }
            let response = AuthorizationResponse { call.request.query($0) }
            let grant = try await flows.complete(
                returned, with: response, at: call.request.path, cookie: call.request.cookie, from: call.context)
            return PageResponse(
                try await delivery(of: grant, returned).removingCookie(of: returned.flow), of: returned.project.realm)
        }
    }

    /// A parameter must not occur twice (RFC 6749 §3.1), because a proxy may check another value than the gateway
    /// reads.
    private var repeatsParameter: Bool {
        ["state", "code", "iss", "error"].contains { name in call.request.query.count { $0.name == name } > 1 }
    }

    /// Stores the posted response and redirects to this handler: the browser sends no cookies with a form from another
    /// site, but sends them after the redirect.
    func storeResponse() async throws -> PageResponse {
        let form = FormFields(call.request)
        return try await withFlow(of: form?.value("state")) { returned in
            try await flows.storeResponse(
                AuthorizationResponse { form?.value($0) }, of: returned, at: call.request.path, from: call.context)
            let state = PercentEncoding.encode(form?.value("state") ?? "")
            return PageResponse(.redirect(to: "handler?state=" + state), of: returned.project.realm)
        }
    }

    private func withFlow(
        of state: String?, _ answer: (ReturnedFlow) async throws -> PageResponse
    ) async throws -> PageResponse {
        var returned: ReturnedFlow?
        do {
            let found = try await flows.flow(of: state ?? "")
            returned = found
            return try await answer(found)
        } catch {
            guard let problem = FlowProblem(error) else { throw error }
            guard let returned else { return try await failure(problem, back: .none, in: nil) }
            // The browser that started the flow can still complete it after a request from another browser.
            let isFinished = !problem.canRetry && problem.kind != .otherBrowser
            let page = try await failure(problem, of: returned)
            return isFinished ? page.removingCookie(of: returned.flow) : page
        }
    }

    private func delivery(of grant: FlowGrant, _ returned: ReturnedFlow) async throws -> Response {
        let flow = returned.flow
        switch flow.delivery {
        case .app(let target, _): return .redirect(to: target.adding(AuthorizationTarget.grantName, grant.secret))
        case .popup(let event, let target): return try await result(event, isPopup: true, target, grant, returned)
        case .page(let event, let target): return try await result(event, isPopup: false, target, grant, returned)
        }
    }

    private func result(
        _ event: SDKEvent, isPopup: Bool, _ target: AuthorizationTarget, _ grant: FlowGrant, _ returned: ReturnedFlow
    ) async throws -> Response {
        let uri = "\(returned.flow.redirectURI)?\(AuthorizationTarget.grantName)=\(grant.secret)"
        let delivery = EventDelivery(
            event, isPopup: isPopup, returnTo: target, uri: uri, sessionID: grant.sessionID)
        return Page.flowResult(delivering: try delivery.json(), try await call.pageContext(in: returned.project))
            .flowResponse()
    }

    private func failure(_ problem: FlowProblem, of returned: ReturnedFlow) async throws -> PageResponse {
        let flow = returned.flow
        // The failure of a request from another browser, or of a repeated request, is not the result of the flow. The
        // app must not get an error, because the app may still get the result, or already has the result.
        let hidesError = problem.kind == .otherBrowser || problem.kind == .alreadyUsed
        let back: Page.ReturnToApp
        switch flow.delivery {
        case .app(let target, _):
            let name = problem.kind == .cancelled ? Self.cancelledError : problem.refusalCode
            let url = target.adding(AuthorizationTarget.errorName, name)
            if problem.kind == .cancelled {
                return PageResponse(.redirect(to: url), of: returned.project.realm, because: problem.refusal)
            }
            back = .link(target, url: hidesError ? target.text : url)
        case .popup(_, let target) where hidesError, .page(_, let target) where hidesError:
            back = .link(target, url: target.text)
        case .popup(let event, let target): back = try script(event, isPopup: true, target, problem)
        case .page(let event, let target): back = try script(event, isPopup: false, target, problem)
        }
        return try await failure(problem, back: back, in: returned.project)
    }

    private func script(
        _ event: SDKEvent, isPopup: Bool, _ target: AuthorizationTarget, _ problem: FlowProblem
    ) throws -> Page.ReturnToApp {
        let delivery = EventDelivery(event, isPopup: isPopup, returnTo: target, failure: problem)
        return .script(try delivery.json(), waits: problem.waitsForClick)
    }

    /// The error that the app gets in the query of its URL if the user cancelled.
    static let cancelledError = "user_cancelled"

    private func failure(
        _ problem: FlowProblem, back: Page.ReturnToApp, in project: Project?
    ) async throws -> PageResponse {
        let canRetry = problem.canRetry && call.request.method == .get
        let page = Page.flowFailure(
            problem.kind, back: back, retry: canRetry ? call.repeatedQuery : nil,
            try await call.pageContext(in: project))
        return PageResponse(page, problem, of: project?.realm)
    }
}

extension PageResponse {
    fileprivate func removingCookie(of flow: AuthorizationFlow) -> PageResponse {
        var page = self
        page.response = response.removingCookie(of: flow)
        return page
    }
}

extension Response {
    /// Removes the cookie of a flow that is finished.
    fileprivate func removingCookie(of flow: AuthorizationFlow) -> Response {
        guard let cookie = flow.cookie else { return self }
        var response = self
        response.headers.add("Set-Cookie", cookie.header(value: "", maxAge: 0))
        return response
    }
}
