internal import HTTP
internal import Identity

extension Endpoint {
    /// Replaces the recovery codes of the caller's account, and returns the new ones, which are shown once.
    static let generateRecoveryCodes = client(
        "generateRecoveryCodes", .post, "/v2/accounts/recoveryCodes:generate"
    ) { call, client in
        let request = try call.body(as: GenerateRecoveryCodesRequest.self, for: client)
        let codes = try await call.services.accounts.factors.generateRecoveryCodes(
            idToken: try request.idToken.required(.missingIDToken), in: client.realm, from: call.context)
        return try .json(["recoveryCodes": codes])
    }
}

private struct GenerateRecoveryCodesRequest: ClientRequestBody {
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}
