internal import HTTP
internal import Identity

extension Endpoint {
    /// Signs in with a token from the app's own backend.
    static let signInWithCustomToken = client(
        "signInWithCustomToken", .post, "/v1/accounts:signInWithCustomToken"
    ) { call, client in
        let request = try call.body(as: SignInWithCustomTokenRequest.self, for: client)
        try LoginServices.requireNotClientOfOneService(client.app)
        let (signedIn, isNew) = try await call.services.signIn.customTokens.signIn(
            request.token, reauthenticating: request.idToken.nonEmpty, in: client.project, from: call.context)
        return try .json(SignInWithCustomTokenResponse(signedIn, isNewUser: isNew))
    }
}

private struct SignInWithCustomTokenRequest: ClientRequestBody {
    let token: String?
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct SignInWithCustomTokenResponse: Encodable {
    let kind = "identitytoolkit#VerifyCustomTokenResponse"
    let isNewUser: Bool
    let idToken: String
    let refreshToken: String
    let expiresIn: String

    init(_ signedIn: SignedIn, isNewUser: Bool) {
        self.isNewUser = isNewUser
        idToken = signedIn.idToken
        refreshToken = signedIn.refreshToken
        expiresIn = signedIn.expiresInSeconds
    }
}
