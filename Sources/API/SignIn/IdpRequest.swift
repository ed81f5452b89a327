internal import Identity

/// A request that proves an identity: in `postBody`, as Firebase's SDKs write it, in ``credential``, or by a pending
/// token.
protocol IdpRequest: ClientRequest {
    var requestUri: String? { get }
    var postBody: String? { get }
    var credential: TypedCredential? { get }
    var pendingToken: String? { get }
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

extension IdpRequest {
    /// - Returns: `nil` if the request has a pending token instead.
    func evidence() throws(RequestRefusal) -> IdpEvidence? {
        let given = [credential != nil, postBody.nonEmpty != nil, pendingToken.nonEmpty != nil]
        guard given.count(where: { $0 }) < 2 else {
            throw .invalidField("", "must have one of credential, postBody and pendingToken")
        }
        if let credential { return IdpEvidence(credential) }
        guard pendingToken.nonEmpty == nil else { return nil }
        let requestUri = try requestUri.required(.missingRequestURI)
        return try IdpEvidence(requestUri: requestUri, postBody: postBody ?? "")
    }

    func proof(_ evidence: IdpEvidence?) throws(RequestRefusal) -> IdentityProof {
        guard let evidence else { return .pendingToken(pendingToken ?? "") }
        return .credential(try evidence.credential())
    }
}
