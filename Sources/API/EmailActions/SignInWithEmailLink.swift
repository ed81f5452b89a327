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
        let outcome = try await call.services.signIn.emailLink.signIn(
            email: request.email, code: request.oobCode.nonEmpty, idToken: request.idToken.nonEmpty,
            in: client.realm, from: call.context)
        return try .json(SessionResponse(EmailLinkMembers(outcome), outcome))
    }
}

private struct SignInWithEmailLinkRequest: ClientRequestBody {
    let email: String?
    let oobCode: String?
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct EmailLinkMembers: Encodable {
    let kind = "identitytoolkit#EmailLinkSigninResponse"
    let localId: String?
    let email: String?
    let isNewUser: Bool?

    init(_ outcome: SignInOutcome) {
        localId = outcome.account?.id.rawValue
        email = outcome.account?.email?.rawValue
        isNewUser = outcome.isNewAccount
    }
}
