internal import Encoding
internal import HTTP
internal import Identity
internal import Pages

/// The return of a browser from a provider to the sign-in page.
struct SignInReturn {
    let call: EndpointCall
    let returned: ReturnedFlow
    let reference: SignInPageFlow.Reference

    /// Signs in with the result of the provider.
    func page(with secrets: FlowResultSecrets) async throws -> PageResponse {
        try await withVisit { visit in
            do {
                return try await visit.finish(secrets)
            } catch let refusal as any Refusal {
                return try visit.redirect(SignInProblem(refusal), because: refusal)
            }
        }
    }

    /// Shows the page again, with what went wrong at the provider.
    func page(about problem: FlowProblem) async throws -> PageResponse {
        try await withVisit { visit in
            let shown: SignInProblem =
                switch problem.kind {
                case .cancelled: .cancelled
                case .providerUnavailable: .providerUnavailable
                case .notOffered: .notAvailable
                case .tooManyAttempts(let minutes): .tooManyAttempts(minutes: minutes)
                default: .rejected
                }
            return try visit.redirect(shown, because: problem.refusal)
        }
    }

    private func withVisit(_ respond: (SignInVisit) async throws -> PageResponse) async throws -> PageResponse {
        let project = returned.realm.project.id
        let name = try await call.services.emailActions.pageService.name(of: project)
        guard let (realm, _) = try await call.services.emailActions.pageService.realm(ofProject: project) else {
            throw AuthorizationRefusal.stateInvalid
        }
        let visitor = SignInVisitor(
            call: call, project: realm, pageContext: call.pageContext(in: realm, projectName: name))
        guard let (flow, end) = try await visitor.services.steps.flow(of: reference, in: returned.realm) else {
            return visitor.failure(.expired, because: .flowInvalid)
        }
        return try await visitor.resume(try visitor.seal(flow, until: end), respond)
    }
}

extension SignInVisit {
    /// Completes the flow with the result of a provider. A link takes effect when the app exchanges the code.
    fileprivate func finish(_ secrets: FlowResultSecrets) async throws -> PageResponse {
        if request.operation == .link {
            if app.isAccountPage { return try await linkForAccountPage(secrets) }
            if request.isForGuest { return try await signInGuest(with: secrets) }
            return try await link(secrets)
        }
        guard try await !isOutdated() else { return try redirect(.previewOutdated, because: nil) }
        // The identity of a conflict belongs to an existing account.
        let mayCreate = request.operation == .signIn && flow.conflict == nil
        let redeemed = try await call.services.signIn.flows.redeem(
            grant: secrets.grant, sessionID: secrets.sessionID, for: app, in: realm)
        let result = try await call.services.signIn.federated.signIn(
            .authorization(redeemed), linkingTo: nil, autoCreate: mayCreate, for: app, in: realm, from: context)
        return try await finish(result.outcome, of: result.identity.provider, afterForm: false)
    }

    /// Returns to the app with the code of a link.
    private func link(_ secrets: FlowResultSecrets) async throws -> PageResponse {
        guard let caller = try await services.codes.caller(of: request, in: realm) else {
            return PageResponse(.redirect(to: appReturn(error: .loginRequired).url), of: realm.id)
        }
        guard let link = try await services.codes.link(secrets, to: caller, for: app, in: realm, from: context) else {
            return PageResponse(
                .redirect(to: appReturn(error: .alreadyLinked).url), of: realm.id,
                because: LinkRefusal.identityTaken)
        }
        let sealed = try services.codes.seal(link, in: realm)
        return try await issueCode(for: PageSignIn(linking: sealed, to: caller), afterForm: false)
    }

    /// Redirects the browser to the page, which shows a problem.
    fileprivate func redirect(_ problem: SignInProblem, because refusal: (any Refusal)?) throws -> PageResponse {
        var url = pageURL + "&problem=" + problem.parameter
        if case .vetoed(let message) = problem {
            let veto = SignInPageVeto(message, of: flow)
            url += try "&veto=" + services.sealedTokens.encode(veto, until: end, in: ID(realm.project.id))
        }
        return PageResponse(.redirect(to: url), of: realm.id, because: refusal)
    }

    /// What the redirect from a provider says went wrong. A message that is not sealed for this flow is not shown.
    var redirectedProblem: SignInProblem? {
        if let sealed = call.request.query("veto"),
            let (veto, _) = try? services.sealedTokens.decode(
                SignInPageVeto.self, from: sealed, at: services.clock.now(), in: ID(realm.project.id)),
            veto.flow == flow.id
        {
            return .vetoed(veto.message)
        }
        return call.request.query("problem").flatMap(SignInProblem.init(parameter:))
    }

    /// Redirects the browser to a provider. The flow is stored, because the provider returns only with a reference.
    func startProvider(_ provider: ProviderID) async throws -> PageResponse {
        guard try await !isOutdated() else { return try await showOutdated() }
        guard offer.screen.providers.contains(where: { $0.provider == provider }) else {
            return try await show(screen: .signIn, .notAvailable, status: 400)
        }
        do {
            try await update()
            let started = try await call.services.signIn.flows.start(
                AuthorizationStart(
                    provider: provider, operation: request.operation,
                    delivery: .signInPage(.init(flow), returnTo: request.target),
                    redirectURI: call.pipeline.callbackURL(of: provider, for: call.request, in: realm)),
                for: app, in: realm, from: context)
            return PageResponse(call.redirect(to: started), of: realm.id)
        } catch let refusal as any Refusal {
            let problem = SignInProblem(refusal)
            return try await show(screen: nil, problem, status: problem.status, because: refusal)
        } catch is ProviderUnreachable {
            return try await show(screen: nil, .providerUnavailable, status: 503)
        }
    }
}

extension SignInProblem {
    /// The value of the parameter `problem` after the return from a provider.
    fileprivate var parameter: String {
        switch self {
        case .cancelled: "cancelled"
        case .providerUnavailable: "unavailable"
        case .notAvailable: "notAvailable"
        case .accountDisabled: "disabled"
        case .userMismatch: "userMismatch"
        case .codeExpired: "expired"
        case .previewOutdated: "outdated"
        default: "rejected"
        }
    }

    fileprivate init?(parameter: String) {
        switch parameter {
        case "cancelled": self = .cancelled
        case "unavailable": self = .providerUnavailable
        case "notAvailable": self = .notAvailable
        case "disabled": self = .accountDisabled
        case "userMismatch": self = .userMismatch
        case "expired": self = .codeExpired
        case "outdated": self = .previewOutdated
        case "rejected": self = .rejected
        default: return nil
        }
    }
}
