internal import HTTP
internal import Identity

extension Endpoint {
    /// Issues a single-use nonce for the token of a provider, in an app or on a web page.
    static let issueNonce = client("issueNonce", .post, "/v1/accounts:issueNonce") { call, client in
        _ = try call.body(as: IssueNonceRequest.self, for: client)
        let nonce = try call.services.signIn.federated.issueNonce(in: client.realm, from: call.context)
        return try .json(IssueNonceResponse(nonce))
    }
}

private struct IssueNonceRequest: ClientRequestBody {
    let tenantId: String?
    let targetProjectId: String?
}

private struct IssueNonceResponse: Encodable {
    let kind = "sekisho#IssueNonceResponse"
    /// The value for `rawNonce`. Web flows also send this value to the provider, unchanged.
    let nonce: String
    /// SHA-256 of the nonce. A native app sends this value to Apple.
    let nonceSha256: String
    /// In seconds.
    let expiresIn: Int64

    init(_ nonce: IssuedNonce) {
        self.nonce = nonce.raw
        nonceSha256 = nonce.sha256
        expiresIn = FederatedMethod.nonceLifetime.components.seconds
    }
}
