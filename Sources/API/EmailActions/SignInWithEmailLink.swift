internal import HTTP
internal import Identity

extension Endpoint {
    /// Signs in with an emailed link, or links the address to the account of an ID token.
    static let signInWithEmailLink = client(
        "signInWithEmailLink", .post, "/v1/accounts:signInWithEmailLink"
    ) { call, client in
        let request = try call.body(as: SignInWithEmailLinkRequest.self, for: client)
        // Email links belong to the method `password`, as in Firebase. If an app lists its sign-in methods, users can
        // sign in only with a listed method, but can add other methods to their accounts.
        if request.idToken.nonEmpty == nil { try LoginServices.requireListed(.password, for: client.app) }
        let (signedIn, isNewUser) = try await call.services.emailActions.redemption.signIn(
            email: request.email, code: request.oobCode.nonEmpty, idToken: request.idToken.nonEmpty,
            in: client.project, from: call.context)
        return try .json(SignInWithEmailLinkResponse(signedIn, isNewUser: isNewUser))
    }
}

private struct SignInWithEmailLinkRequest: ClientRequestBody {
    let email: String?
    let oobCode: String?
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct SignInWithEmailLinkResponse: Encodable {
    let kind = "identitytoolkit#EmailLinkSigninResponse"
    let localId: String
    let email: String?
    let isNewUser: Bool
    let idToken: String
    let refreshToken: String
    let expiresIn: String

    init(_ signedIn: SignedIn, isNewUser: Bool) {
        localId = signedIn.account.id.rawValue
        email = signedIn.account.email?.rawValue
        self.isNewUser = isNewUser
        idToken = signedIn.idToken
        refreshToken = signedIn.refreshToken
        expiresIn = signedIn.expiresInSeconds
    }
}
