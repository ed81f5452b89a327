internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

extension SignInVisitor {
    /// Opens the page for the request of an app. The app and its URL are checked first: if one of them is wrong, the
    /// gateway sends nothing there.
    func open() async throws -> PageResponse {
        let repeated = call.request.repeatedParameter
        if let sealed = call.request.query("request") {
            guard repeated == nil, let (request, end) = ended(SignInPageRequest.self, from: sealed) else {
                return failure(.expired, because: .flowInvalid)
            }
            guard services.clock.now() < end else {
                return failure(.expired, because: .flowInvalid, try await back(of: request, error: .cancelled))
            }
            return try await start(request)
        }
        if call.request.query("account") != nil {
            guard repeated == nil, let request = accountPageRequest() else {
                return failure(.badRequest, because: .parameter(.account))
            }
            return try await start(request)
        }
        guard repeated != "app", repeated != "continueUri", repeated != "tenantId" else {
            return failure(.badRequest, because: .parameter(.app))
        }
        let parameters = SignInPageParameters(query: call.request)
        let tenant = call.request.query("tenantId").nonEmpty.map { ID<Tenant>($0) }
        // The page does not say why the URL is wrong, because nothing is known about its sender.
        guard let id = parameters.app.nonEmpty,
            let app = try await call.services.projects.app(ID(id), project.project.id)
        else { return failure(.badRequest, because: .parameter(.app)) }
        guard let realm = try await realm(of: tenant) else {
            return failure(.badRequest, because: .parameter(.tenantId))
        }
        guard let uri = parameters.continueUri.nonEmpty,
            let target = try? AuthorizationTarget(uri, of: app, in: realm), !target.hasResultParameter
        else { return failure(.badRequest, because: .parameter(.continueUri)) }
        do {
            if let repeated { throw SignInPageRefusal.parameter(.init(rawValue: repeated.rawValue) ?? .other) }
            return try await start(parameters.checked(for: app, target, in: realm))
        } catch let refusal as SignInPageRefusal {
            let state = parameters.state.flatMap { $0.isVisibleASCII(1...512) && repeated == nil ? $0 : nil } ?? ""
            let result = SignInResult(target: target, state: state, issuer: services.issuer(project.project.id))
            return PageResponse(.redirect(to: result.url(error: .invalidRequest)), of: realm.id, because: refusal)
        }
    }

    /// Starts a flow, and shows its first step.
    func start(_ request: SignInPageRequest) async throws -> PageResponse {
        let existing = cookie.value(in: call.request).flatMap {
            $0.wholeMatch(of: /[A-Za-z0-9_-]{43}/) == nil ? nil : $0
        }
        let value = existing ?? services.secrets.random()
        // 132 random bits: pages repeat the ID in each form and link.
        let id = String(services.secrets.random().prefix(22))
        let end = services.clock.now() + SignInPageFlow.lifetime
        let flow = try await services.steps.storingState(
            of: SignInPageFlow(id: id, request: request, cookieHash: services.secrets.hash(value)), until: end,
            in: project, from: call.context)
        guard let visit = try await visit(flow, sealed: try seal(flow, until: end), until: end) else {
            return failure(.badRequest, because: .parameter(.app))
        }
        var page = try await visit.reportingOutages { try await visit.begin() }
        page.response.headers.add("Set-Cookie", cookie.header(value, maxAge: SignInPageFlow.lifetime))
        if let language = request.language { call.storeLanguage(language, in: &page.response) }
        return page
    }

    func seal(_ flow: SignInPageFlow, until end: Instant) throws -> String {
        try services.sealedTokens.encode(flow.onPages, until: end, in: project.id)
    }

    /// The request of the account page, which is a page of the gateway itself. The result needs no code.
    private func accountPageRequest() -> SignInPageRequest? {
        let query = call.request.query("continue") ?? ""
        guard query.utf8.count <= 200, query.utf8.allSatisfy(Self.isQueryCharacter),
            call.pipeline.isOwnOrigin(call.request, in: project)
        else { return nil }
        let base = call.pipeline.publicURL(of: call.request, in: project)
        let page = "\(base)/\(project.project.id)/__/auth/account" + (query.isEmpty ? "" : "?" + query)
        var request = SignInPageRequest(
            app: App.accountPage.id, target: .accountPage(page), state: "account",
            challenge: services.secrets.hash(services.secrets.random()))
        request.prompt = call.request.query("prompt").flatMap(SignInPageRequest.Prompt.init)
        request.language = call.request.query("hl").flatMap { Language(tag: $0) }
        return request.prompt == SignInPageRequest.Prompt.none ? nil : request
    }

    private static func isQueryCharacter(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "_=&-.".utf8.contains(byte)
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
