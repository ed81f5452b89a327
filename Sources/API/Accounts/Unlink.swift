internal import HTTP
internal import Identity

extension Endpoint {
    /// Removes sign-in methods from the caller's account.
    static let unlinkOwnProvider = client("unlinkOwnProvider", .post, "/v1/accounts:unlink") { call, client in
        let request = try call.body(as: UnlinkRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        guard let providers = request.deleteProvider, !providers.isEmpty else {
            throw RequestRefusal.rejected(.missingProviderID)
        }
        var input = AccountEditor.Input()
        try input.removeSignInMethods(providers)
        input.allowsNoSignInMethod = request.allowNoSignInMethod ?? false
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        let edited = try await call.services.accounts.editor.edit(caller, input, in: client.realm, from: call.context)
        return try .json(SessionResponse(UpdateMembers(edited.account), edited.signedIn, lifetimeFormat: .number))
    }
}

private struct UnlinkRequest: ClientRequestBody {
    let idToken: String?
    let deleteProvider: [String]?
    let allowNoSignInMethod: Bool?
    let tenantId: String?
    let targetProjectId: String?
}

extension AccountEditor.Input {
    /// Adds the removal of sign-in methods to the change. Methods that the account does not have are ignored.
    ///
    /// The change also replaces or removes the account's address if it came from a removed method and no remaining
    /// method has the same address; see ``Account/primaryEmail(without:)``.
    ///
    /// - Parameter providers: `password` removes the password and the sign-in by email link; `phone` removes the phone
    ///   number; any other provider removes its identity.
    mutating func removeSignInMethods(_ providers: [String]) throws(RequestRefusal) {
        guard providers.count <= 20 else { throw .invalidField("/deleteProvider", "must not have more than 20 items") }
        let providers = Set(providers.map { ProviderID($0) })
        removesPhoneNumber = providers.contains(.phone)
        unlinked = providers.subtracting([.phone])
    }
}
