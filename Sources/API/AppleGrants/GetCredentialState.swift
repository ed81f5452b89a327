internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the stored state of the caller's Apple credential. Sends no request to Apple.
    static let getOwnCredentialState = client("getOwnCredentialState", .post, "/v1/accounts:credentialState") {
        call, client in
        let request = try call.body(as: CredentialStateRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        return try .json(CredentialStateResponse(caller.account))
    }

    /// Returns the stored state of any account's Apple credential. Sends no request to Apple.
    static let getCredentialState = administrator(
        "getCredentialState", .post, "/v1/projects/{project}/accounts:credentialState", needs: .readUsers
    ) { call, administrator in
        let request = try call.body(as: GetCredentialStateRequest.self, for: administrator)
        let id = try ID<Account>(required: request.localId)
        let found = try await call.services.accounts.administration.find([.id(id)], in: administrator.realm)
        guard let account = found.first else { throw RequestRefusal.rejected(.userNotFound) }
        return try .json(CredentialStateResponse(account))
    }
}

private struct CredentialStateRequest: ClientRequestBody {
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct GetCredentialStateRequest: Decodable {
    let localId: String?
}

private struct CredentialStateResponse: Encodable {
    struct Identity: Encodable {
        let providerId = ProviderID.apple.rawValue
        let rawId: String?
        let credentialState: String
        /// When Apple reported the state.
        let checkedAt: String?

        init(_ identity: LinkedIdentity?) {
            rawId = identity?.subject
            credentialState = identity?.credentialState.rawValue ?? "NOT_FOUND"
            checkedAt = identity?.credential?.checkedAt.iso8601
        }
    }

    let kind = "sekisho#CredentialStateResponse"
    let identities: [Identity]

    /// An account without an Apple identity has one entry, `NOT_FOUND`.
    init(_ account: Account) {
        identities = [Identity(account.identity(of: .apple))]
    }
}
