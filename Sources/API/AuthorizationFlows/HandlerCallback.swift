internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// A request with which a provider sends the browser back to the handler.
struct HandlerCallback {
    let call: EndpointCall

    private var flows: AuthorizationFlows { call.services.signIn.flows }

    /// Completes the sign-in, and returns the browser to the app with the grant: the secret that the app redeems for
    /// the result.
    func pageResponse() async throws -> PageResponse {
        try await withFlow(of: call.request.query("state")) { returnedFlow in
            guard !repeatsParameter else { throw AuthorizationRefusal.invalidResponse }
            let response = AuthorizationResponse { call.request.query($0) }
            let secrets = try await flows.complete(
                returnedFlow, with: response, at: call.request.path, cookie: { call.request.cookie(ByteText($0)) },
                from: call.context)
            if case .signInPage(let reference, _) = returnedFlow.flow.delivery {
                return try await SignInReturn(call: call, returned: returnedFlow, reference: reference)
                    .page(with: secrets).removingCookie(of: returnedFlow.flow)
            }
            return PageResponse(
                try await returnToApp(with: secrets, of: returnedFlow).removingCookie(of: returnedFlow.flow),
                of: returnedFlow.realm.id)
        }
    }

    /// A parameter must not occur twice (RFC 6749 §3.1). Otherwise, a proxy could check one of the values and the
    /// gateway use the other.
    private var repeatsParameter: Bool {
        let names: Set<ByteText> = ["state", "code", "iss", "error"]
        return call.request.query.map(\.name).filter(names.contains).firstDuplicate != nil
    }

    /// Stores the response that the provider's form posts, and redirects the browser to this handler. The browser sends
    /// no cookies with a form from another site, but sends them after the redirect.
    func storeResponse() async throws -> PageResponse {
        let form = FormFields(call.request)
        return try await withFlow(of: form?.value("state")) { returnedFlow in
            try await flows.storeResponse(
                AuthorizationResponse { form?.value($0) }, of: returnedFlow, at: call.request.path, from: call.context)
            let state = PercentEncoding.encode(form?.value("state") ?? "")
            return PageResponse(.redirect(to: "handler?state=" + state), of: returnedFlow.realm.id)
        }
    }

    /// Calls `respond` with the flow that `state` identifies. If the flow is refused or the provider is unavailable,
    /// returns a page about the failure.
    private func withFlow(
        of state: String?, _ respond: (ReturnedFlow) async throws -> PageResponse
    ) async throws -> PageResponse {
        var returnedFlow: ReturnedFlow?
        do {
            let found = try await flows.flow(of: state ?? "")
            returnedFlow = found
            return try await respond(found)
        } catch {
            guard let problem = FlowProblem(error) else { throw error }
            guard let returnedFlow else { return try await failure(problem, back: .none, in: nil, of: nil) }
            // After a request from another browser, the browser that started the flow can still complete it.
            let isFinished = !problem.canRetry && problem.kind != .otherBrowser
            let page = try await failure(problem, of: returnedFlow)
            return isFinished ? page.removingCookie(of: returnedFlow.flow) : page
        }
    }

    /// Returns a redirect to the app with the grant, or a page that passes the grant to Firebase's SDK.
    private func returnToApp(with secrets: FlowResultSecrets, of returnedFlow: ReturnedFlow) async throws -> Response {
        let flow = returnedFlow.flow
        switch flow.delivery {
        case .signInPage(_, let target): return .redirect(to: target.text)
        case .app(let target, _): return .redirect(to: target.adding([(.grant, secrets.grant)]))
        case .popup(let event, let target):
            return try await resultPage(event, isPopup: true, target, secrets, returnedFlow)
        // The SDK's redirect mode.
        case .page(let event, let target):
            return try await resultPage(event, isPopup: false, target, secrets, returnedFlow)
        }
    }

    private func resultPage(
        _ event: SDKEvent, isPopup: Bool, _ target: AuthorizationTarget, _ secrets: FlowResultSecrets,
        _ returnedFlow: ReturnedFlow
    ) async throws -> Response {
        let uri = "\(returnedFlow.flow.redirectURI)?\(ResultParameter.grant.rawValue)=\(secrets.grant)"
        let delivery = EventDelivery(
            event, isPopup: isPopup, returnTo: target, uri: uri, sessionID: secrets.sessionID)
        let pageContext = try await call.flowPageContext(in: returnedFlow.realm, of: returnedFlow.app.id)
        return Page.flowResult(delivering: try delivery.json(), pageContext).flowResponse()
    }

    private func failure(_ problem: FlowProblem, of returnedFlow: ReturnedFlow) async throws -> PageResponse {
        let flow = returnedFlow.flow
        // A request from another browser and a repeated request fail, but their failure is not the result of the flow.
        // The app must not get an error, because it already has the result, or may still get it.
        let hidesError = problem.kind == .otherBrowser || problem.kind == .alreadyUsed
        let back: Page.ReturnToApp
        switch flow.delivery {
        case .app(let target, _):
            let name = problem.kind == .cancelled ? Self.cancelledError : problem.refusalCode
            let url = target.adding([(.error, name)])
            if problem.kind == .cancelled {
                return PageResponse(.redirect(to: url), of: returnedFlow.realm.id, because: problem.refusal)
            }
            back = .link(target, url: hidesError ? target.text : url)
        case .signInPage(let reference, _) where !hidesError:
            return try await SignInReturn(call: call, returned: returnedFlow, reference: reference)
                .page(about: problem)
        case .signInPage(_, let target): back = .link(target, url: target.text)
        case .popup(_, let target) where hidesError, .page(_, let target) where hidesError:
            back = .link(target, url: target.text)
        case .popup(let event, let target): back = try script(event, isPopup: true, target, problem)
        case .page(let event, let target): back = try script(event, isPopup: false, target, problem)
        }
        return try await failure(problem, back: back, in: returnedFlow.realm, of: returnedFlow.app.id)
    }

    /// Returns the script that passes the error to Firebase's SDK and then returns to the app.
    private func script(
        _ event: SDKEvent, isPopup: Bool, _ target: AuthorizationTarget, _ problem: FlowProblem
    ) throws -> Page.ReturnToApp {
        let delivery = EventDelivery(event, isPopup: isPopup, returnTo: target, failure: problem)
        return .script(try delivery.json(), waitsForClick: problem.waitsForClick)
    }

    /// The error that the app gets in the query of its URL if the user cancelled.
    static let cancelledError = "user_cancelled"

    private func failure(
        _ problem: FlowProblem, back: Page.ReturnToApp, in realm: Realm?, of app: ID<App>?
    ) async throws -> PageResponse {
        let canRetry = problem.canRetry && call.request.method == .get
        let page = Page.flowFailure(
            problem.kind, back: back, retryQuery: canRetry ? call.encodedQuery : nil,
            try await call.flowPageContext(in: realm, of: app))
        return PageResponse(page, problem, of: realm?.id)
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
        response.headers.add("Set-Cookie", cookie.setCookieHeader(value: "", maxAge: 0))
        return response
    }
}
