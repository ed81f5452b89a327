internal import HTTP
internal import Identity

extension Endpoint {
    /// Signs in with another provider's word, or links it to the account of an ID token.
    static let signInWithIdp = client("signInWithIdp", .post, "/v1/accounts:signInWithIdp") { call, client in
        let request = try call.body(as: SignInWithIdpRequest.self)
        let evidence = try request.evidence()
        let outcome = try await call.services.federatedSignIn.signIn(
            try request.domain(evidence), for: client.app, in: client.project)
        if case .conflict(let refusal, let recognised, let pendingToken) = outcome,
            request.returnIdpCredential != true
        {
            throw WireError(refusal).carrying(pendingToken: pendingToken, of: recognised.identity.provider)
        }
        return try .json(SignInWithIdpResponse(outcome, echoing: evidence))
    }
}

/// The credential comes in `postBody`, as Firebase's SDKs write it, in ``credential``, or in a pending token.
private struct SignInWithIdpRequest: ClientRequest {
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

    /// - Returns: `nil` where a pending token stands for it.
    func evidence() throws(WireError) -> IdpEvidence? {
        let given = [credential != nil, postBody.nonEmpty != nil, pendingToken.nonEmpty != nil]
        guard given.count(where: { $0 }) < 2 else {
            throw .invalidField("", "must have one of credential, postBody and pendingToken")
        }
        if let credential { return IdpEvidence(credential) }
        guard pendingToken.nonEmpty == nil else { return nil }
        guard let requestUri = requestUri.nonEmpty else { throw .refused("MISSING_REQUEST_URI") }
        return try IdpEvidence(requestUri: requestUri, postBody: postBody ?? "")
    }

    func domain(_ evidence: IdpEvidence?) throws(WireError) -> FederatedSignIn.Request {
        guard returnRefreshToken != true else { throw .notImplemented("returnRefreshToken") }
        guard pendingIdToken.nonEmpty == nil else { throw .notImplemented("pendingIdToken") }
        return FederatedSignIn.Request(
            proof: try evidence.map { evidence throws(WireError) in .credential(try evidence.credential()) }
                ?? .ticket(pendingToken ?? ""),
            idToken: idToken.nonEmpty, mayEnter: autoCreate ?? true)
    }
}

/// The credential of clients that are generated from the contract.
struct TypedCredential: Decodable {
    struct FullName: Decodable {
        let givenName: String?
        let familyName: String?
    }

    let providerId: String?
    let idToken: String?
    let accessToken: String?
    let rawNonce: String?
    let fullName: FullName?
}

extension WireError {
    /// Stock clients read the message; the pending token spares those who know better a second proof.
    func carrying(pendingToken: String, of provider: ProviderID) -> WireError {
        var error = self
        error.details = [
            Detail(
                reason: code, domain: "identitytoolkit.googleapis.com",
                metadata: ["pendingToken": pendingToken, "providerId": provider.rawValue])
        ]
        return error
    }
}
