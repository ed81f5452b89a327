internal import HTTP
internal import Identity

extension Endpoint {
    static let signInWithPassword = client(
        "signInWithPassword", .post, "/v1/accounts:signInWithPassword"
    ) { call, client in
        let request = try call.body(as: SignInWithPasswordRequest.self, for: client)
        try LoginServices.requireNotClientOfOneService(client.app)
        guard request.pendingIdToken.nonEmpty == nil else { throw RequestRefusal.notImplemented("pendingIdToken") }
        let outcome = try await call.services.signIn.password.signIn(
            email: request.email, password: request.password.map(Secret.init),
            reauthenticating: request.idToken.nonEmpty, in: client.realm, from: call.context)
        return try .json(SessionResponse(PasswordMembers(outcome), outcome))
    }
}

private struct SignInWithPasswordRequest: ClientRequestBody {
    let email: String?
    let password: String?
    let idToken: String?
    let pendingIdToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct PasswordMembers: Encodable {
    let kind = "identitytoolkit#VerifyPasswordResponse"
    let registered = true
    let localId: String?
    let email: String?

    init(_ outcome: SignInOutcome) {
        localId = outcome.account?.id.rawValue
        email = outcome.account?.email?.rawValue
    }
}
