internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the caller's own account. Administrators can look up any account.
    static let lookUpOwnAccount = clientOrAdministrator(
        "lookUpOwnAccount", .post, "/v1/accounts:lookup", needs: .readUsers
    ) {
        call, client in
        let request = try call.body(as: LookupRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let caller = try await call.services.signIn.authenticator.authenticate(
            idToken: idToken, in: client.realm, acceptsRestricted: true, acceptsSupport: true)
        return try .json(LookupResponse(users: [UserInfo(caller.account, of: client.realm.tenant)]))
    } administrator: { call, administrator in
        try await call.lookupAccounts(for: administrator)
    }
}

private struct LookupRequest: ClientRequestBody {
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct LookupResponse: Encodable {
    let kind = "identitytoolkit#GetAccountInfoResponse"
    let users: [UserInfo]
}
