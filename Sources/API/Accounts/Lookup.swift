internal import HTTP
internal import Identity

extension Endpoint {
    /// Shows a client its own account; whatever else it asks for is for administrators.
    static let lookup = either("lookup", .post, "/v1/accounts:lookup", needs: .readUsers) { call, client in
        let request = try call.body(as: LookupRequest.self)
        guard let idToken = request.idToken.nonEmpty else { throw RequestRefusal.rejected(.missingIDToken) }
        let caller = try await call.services.signIn.authenticator.caller(showing: idToken, in: client.project)
        return try .json(LookupResponse(users: [UserInfo(caller.account, of: client.project.tenant)]))
    } administrator: { call, administrator in
        try await call.lookupAccounts(for: administrator)
    }
}

private struct LookupRequest: ClientRequest {
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct LookupResponse: Encodable {
    let kind = "identitytoolkit#GetAccountInfoResponse"
    let users: [UserInfo]
}
