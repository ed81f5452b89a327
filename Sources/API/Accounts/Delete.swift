internal import HTTP
internal import Identity

extension Endpoint {
    /// Deletes the caller's own account. Administrators can delete any account.
    static let deleteOwnAccount = clientOrAdministrator(
        "deleteOwnAccount", .post, "/v1/accounts:delete", needs: .writeUsers
    ) {
        call, client in
        let request = try call.body(as: DeleteRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let caller = try await call.services.signIn.authenticator.authenticate(
            idToken: idToken, in: client.realm, acceptsRestricted: true)
        let appleRevocation = try await call.services.apple.revocationOutcome(
            onDeletionOf: caller.account, in: client.realm)
        try await call.services.accounts.editor.delete(
            caller, appleRevocation: appleRevocation, in: client.realm, from: call.context)
        return try .json(DeleteResponse(appleRevocation))
    } administrator: { call, administrator in
        try await call.deleteAccount(for: administrator)
    }
}

private struct DeleteRequest: ClientRequestBody {
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?
}

struct DeleteResponse: Encodable {
    let kind = "identitytoolkit#DeleteAccountResponse"
    /// An extension: what happens to the account's tokens of Sign in with Apple.
    let appleRevocation: String

    init(_ appleRevocation: AppleRevocation) {
        self.appleRevocation = appleRevocation.rawValue
    }
}
