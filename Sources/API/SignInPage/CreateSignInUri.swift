internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the URL of the sign-in page for one sign-in. An ID token is never in a URL, so a link and a
    /// re-authentication begin here.
    static let createSignInUri = client(
        "createSignInUri", .post, "/v1/accounts:createSignInUri"
    ) { call, client in
        let body = try call.body(as: CreateSignInURIRequest.self, for: client)
        let continueUri = try body.continueUri.required(.missingContinueURI)
        let target = try AuthorizationTarget(continueUri, of: client.app, in: client.realm)
        guard !target.hasResultParameter else { throw RequestRefusal.rejected(.invalidContinueURI) }
        var request: SignInPageRequest
        do {
            request = try body.parameters.checked(for: client.app, target, in: client.realm)
        } catch let refusal as SignInPageRefusal {
            throw RequestRefusal.rejected(.invalidArgument, refusal.detail ?? "A parameter is not valid.")
        }
        request.operation = try RequestRefusal.enumValue(body.operation.nonEmpty, at: "/operation") ?? .signIn
        if request.operation != .signIn {
            let idToken = try body.idToken.required(.missingIDToken)
            let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
            request.subject = SignInPageRequest.Subject(caller)
        }
        if let providerId = body.providerId.nonEmpty {
            guard request.operation == .link else {
                throw RequestRefusal.rejected(.invalidArgument, "providerId needs the operation LINK.")
            }
            request.provider = ProviderID(providerId)
        }
        let services = call.services.signInPage
        let project = client.realm.project.id
        let sealed = try services.sealedTokens.encode(
            request, until: services.clock.now() + SignInPageRequest.urlLifetime, in: ID(project))
        let base = call.services.signIn.publicOrigin.configured()
        return try .json(
            CreateSignInURIResponse(signInUri: "\(base)/\(project)/__/auth/signIn?request=\(sealed)"))
    }
}

private struct CreateSignInURIRequest: ClientRequestBody {
    let continueUri: String?
    let state: String?
    let codeChallenge: String?
    let codeChallengeMethod: String?
    let screen: String?
    let hl: String?
    let loginHint: String?
    let prompt: String?
    let maxAge: Int?
    let operation: String?
    let idToken: String?
    let providerId: String?
    let tenantId: String?
    let targetProjectId: String?

    var parameters: SignInPageParameters {
        var parameters = SignInPageParameters()
        parameters.state = state
        parameters.codeChallenge = codeChallenge
        parameters.codeChallengeMethod = codeChallengeMethod
        parameters.screen = screen
        parameters.language = hl
        parameters.loginHint = loginHint
        parameters.prompt = prompt
        parameters.maxAge = maxAge.map(String.init)
        return parameters
    }
}

private struct CreateSignInURIResponse: Encodable {
    let signInUri: String
}
