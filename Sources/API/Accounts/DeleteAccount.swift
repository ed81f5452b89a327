internal import HTTP
internal import Identity

extension Endpoint {
    /// Deletes an account for an administrator.
    static let deleteAccount = administrator(
        "deleteAccount", .post, "/v1/projects/{project}/accounts:delete", needs: .writeUsers
    ) { call, administrator in
        try await call.deleteAccount(for: administrator)
    }
}

extension EndpointCall {
    func deleteAccount(for administrator: Administrator) async throws -> Response {
        let request = try body(as: DeleteAccountRequest.self, for: administrator)
        let id = try ID<Account>(required: request.localId)
        let account = try await services.accounts.administration.find([.id(id)], in: administrator.realm).first
        var appleRevocation = AppleRevocation.none
        if let account {
            appleRevocation = try await services.apple.revocationOutcome(
                onDeletionOf: account, in: administrator.realm)
        }
        try await services.accounts.administration.delete(id, in: administrator.realm, by: administrator.actor)
        return try .json(DeleteResponse(appleRevocation))
    }
}

private struct DeleteAccountRequest: Decodable {
    let localId: String?
}
