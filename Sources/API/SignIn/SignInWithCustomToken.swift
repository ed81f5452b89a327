internal import HTTP
internal import Identity

extension Endpoint {
    /// Signs in with a token from the app's own backend.
    static let signInWithCustomToken = client(
        "signInWithCustomToken", .post, "/v1/accounts:signInWithCustomToken"
    ) { call, client in
        let request = try call.body(as: SignInWithCustomTokenRequest.self, for: client)
        try LoginServices.requireNotClientOfOneService(client.app)
        let outcome = try await call.services.signIn.customToken.signIn(
            request.token, reauthenticating: request.idToken.nonEmpty, in: client.realm, from: call.context)
        return try .json(SessionResponse(CustomTokenMembers(isNewUser: outcome.isNewAccount), outcome))
    }
}

private struct SignInWithCustomTokenRequest: ClientRequestBody {
    let token: String?
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct CustomTokenMembers: Encodable {
    let kind = "identitytoolkit#VerifyCustomTokenResponse"
    let isNewUser: Bool?
}
