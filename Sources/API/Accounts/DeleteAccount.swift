internal import HTTP
internal import Identity

extension Endpoint {
    static let deleteAccount = administrator(
        "deleteAccount", .post, "/v1/projects/{project}/accounts:delete", needs: .writeUsers, bodyLimit: clientBodyLimit
    ) { call, administrator in
        try await call.deleteAccount(for: administrator)
    }
}

extension EndpointCall {
    func deleteAccount(for administrator: Administrator) async throws -> Response {
        let request = try body(as: DeleteAccountRequest.self, for: administrator)
        try await services.accounts.administration.delete(
            try ID(named: request.localId), in: administrator.project, by: actor(of: administrator))
        return try .json(DeleteAccountResponse())
    }
}

private struct DeleteAccountRequest: Decodable {
    let localId: String?
}

private struct DeleteAccountResponse: Encodable {
    let kind = "identitytoolkit#DeleteAccountResponse"
}
