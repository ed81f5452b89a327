internal import HTTP
internal import Identity

extension Endpoint {
    /// Deletes the caller's own account.
    static let delete = either("delete", .post, "/v1/accounts:delete", needs: .writeUsers) { call, client in
        let request = try call.body(as: DeleteRequest.self)
        let idToken = try request.idToken.required(.missingIDToken)
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.project)
        try await call.services.accounts.editor.delete(caller, in: client.project, from: call.origin)
        return try .json(DeleteResponse())
    } administrator: { call, administrator in
        try await call.deleteAccount(for: administrator)
    }
}

private struct DeleteRequest: ClientRequest {
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct DeleteResponse: Encodable {
    let kind = "identitytoolkit#DeleteAccountResponse"
}
