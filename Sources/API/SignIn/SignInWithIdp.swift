internal import HTTP
internal import Identity

extension Endpoint {
    /// Signs in with an identity of another provider, or links it to the account of an ID token.
    static let signInWithIdp = client("signInWithIdp", .post, "/v1/accounts:signInWithIdp") { call, client in
        let request = try call.body(as: SignInWithIdpRequest.self)
        let evidence = try request.evidence()
        try request.requireImplemented()
        let outcome = try await call.services.signIn.federated.signIn(
            try request.proof(evidence), linkingTo: request.idToken.nonEmpty, autoCreate: request.autoCreate ?? true,
            for: client.app, in: client.project, from: call.origin)
        if case .conflict(let refusal, let profile, let pendingToken) = outcome,
            request.returnIdpCredential != true
        {
            throw PendingLinkRefusal(
                reason: refusal, pendingToken: pendingToken, provider: profile.identity.provider)
        }
        var response = SignInWithIdpResponse(outcome, echoing: evidence)
        response.tenantId = call.tenant?.rawValue
        return try .json(response)
    }
}

private struct SignInWithIdpRequest: IdpRequest {
    let requestUri: String?
    let postBody: String?
    let credential: TypedCredential?
    let pendingToken: String?
    let idToken: String?
    let autoCreate: Bool?
    let returnIdpCredential: Bool?
    let returnRefreshToken: Bool?
    let pendingIdToken: String?
    let tenantId: String?
    let targetProjectId: String?

    func requireImplemented() throws(RequestRefusal) {
        guard returnRefreshToken != true else { throw .notImplemented("returnRefreshToken") }
        guard pendingIdToken.nonEmpty == nil else { throw .notImplemented("pendingIdToken") }
    }
}

/// A refused link that the client may complete with the pending token, without a second proof of the identity.
private struct PendingLinkRefusal: Refusal {
    let reason: LinkRefusal
    let pendingToken: String
    let provider: ProviderID

    var code: ErrorCode { reason.code }

    var detail: String? { reason.detail }

    var metadata: [String: String] { ["pendingToken": pendingToken, "providerId": provider.rawValue] }
}
