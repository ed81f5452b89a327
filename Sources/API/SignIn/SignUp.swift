internal import HTTP
internal import Identity

extension Endpoint {
    /// Creates an account with an address and a password, or an anonymous account without them. With an ID token, adds
    /// the address and the password to the account of the token.
    static let signUp = clientOrAdministrator("signUp", .post, "/v1/accounts:signUp", needs: .writeUsers) {
        call, client in
        let request = try call.body(as: SignUpRequest.self, for: client)
        guard request.localId.nonEmpty == nil else { throw RequestRefusal.rejected(.unexpectedParameter, "User ID") }
        return try await call.signUp(request, for: client)
    } administrator: { call, administrator in
        try await call.createAccount(for: administrator)
    }
}

extension EndpointCall {
    fileprivate func signUp(_ request: SignUpRequest, for client: CallingApp) async throws -> Response {
        try request.requireCompleteCredential()
        let password = request.password.map(Secret.init)
        let profile = try request.displayName.profileOfNewAccount()
        if let idToken = request.idToken.nonEmpty {
            let caller = try await services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
            // If the response is lost, the client can still get the new session's tokens: it sends the resumption key
            // and its old refresh token.
            let signedIn = try await services.accounts.editor.addPassword(
                to: caller, email: request.email, password: password, profile: profile,
                resumptionKey: try resumptionKeyInHeader(), in: client.realm, from: context)
            return try .json(SessionResponse(SignUpMembers(signedIn.account), signedIn))
        }
        let outcome =
            if request.email.nonEmpty != nil || request.password.nonEmpty != nil {
                try await signUpWithPassword(request, password, profile, for: client)
            } else {
                try await signUpAnonymously(request, for: client)
            }
        return try .json(SessionResponse(SignUpMembers(outcome.account), outcome))
    }

    private func signUpWithPassword(
        _ request: SignUpRequest, _ password: Secret?, _ profile: AccountUpdate.Profile, for client: CallingApp
    ) async throws -> SignInOutcome {
        try LoginServices.requireListed(.password, for: client.app)
        return try await services.signIn.password.signUp(
            email: request.email, password: password, profile: profile, in: client.realm, from: context)
    }

    private func signUpAnonymously(_ request: SignUpRequest, for client: CallingApp) async throws -> SignInOutcome {
        guard client.realm.policy.allowsAnonymous else { throw SignUpRefusal.anonymousNotAllowed }
        try LoginServices.requireListed(.anonymous, for: client.app)
        // An empty address is an error. Only a request without the member signs up anonymously.
        guard request.email == nil else { throw CredentialRefusal.invalidEmail }
        return try await services.signIn.anonymous.signUp(in: client.realm, from: context)
    }
}

private struct SignUpRequest: ClientRequestBody {
    let idToken: String?
    let email: String?
    let password: String?
    let displayName: ProfileText?
    let localId: String?
    let tenantId: String?
    let targetProjectId: String?

    /// Requires an address and a password, except for an anonymous account.
    func requireCompleteCredential() throws(CredentialRefusal) {
        guard idToken.nonEmpty != nil || email.nonEmpty != nil || password.nonEmpty != nil else { return }
        guard email.nonEmpty != nil else { throw .missingEmail }
        guard password.nonEmpty != nil else { throw .missingPassword }
    }
}

struct SignUpMembers: Encodable {
    let kind = "identitytoolkit#SignupNewUserResponse"
    let localId: String?
    let email: String?
    let displayName: String?

    init(_ account: Account?) {
        localId = account?.id.rawValue
        email = account?.email?.rawValue
        displayName = account?.displayName
    }
}
