internal import HTTP
internal import Identity

extension Endpoint {
    /// Changes the caller's own account.
    static let update = either("update", .post, "/v1/accounts:update", needs: .writeUsers) { call, client in
        let request = try call.body(as: UpdateRequest<OwnerUpdateFields>.self)
        if let oobCode = request.shared.oobCode.nonEmpty {
            let applied = try await call.services.emailActions.redemption.apply(
                oobCode, in: client.project, from: call.origin)
            return try .json(UpdateResponse(applied))
        }
        let idToken = try request.checkedIDToken()
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.project)
        var input = try request.input()
        input.resumptionKey = try call.resumptionKey()
        let edited = try await call.services.accounts.editor.edit(
            caller, input, in: client.project, from: call.origin)
        return try .json(UpdateResponse(edited))
    } administrator: { call, administrator in
        try await call.updateAccount(for: administrator)
    }
}

/// Members that only an administrator may set (`emailVerified`, `localId`, `phoneNumber`, times) are absent, so clients
/// cannot set them.
private struct OwnerUpdateFields: ClientRequest {
    let idToken: String?
    let allowNoSignInMethod: Bool?
    let linkProviderUserInfo: PresenceOnly?
    let tenantId: String?
    let targetProjectId: String?
}

extension UpdateRequest: ClientRequest where Own: ClientRequest {
    var tenantId: String? { own.tenantId }
    var targetProjectId: String? { own.targetProjectId }
}

extension UpdateRequest<OwnerUpdateFields> {
    fileprivate func checkedIDToken() throws(RequestRefusal) -> String {
        try shared.checkImplemented(besides: ("linkProviderUserInfo", own.linkProviderUserInfo != nil))
        guard let idToken = own.idToken.nonEmpty else {
            throw .rejected(.invalidReqType, "Unsupported request parameters.")
        }
        guard shared.customAttributes == nil else { throw .rejected(.insufficientPermission) }
        guard shared.disableUser == nil else { throw .rejected(.operationNotAllowed) }
        return idToken
    }

    /// Removing a member takes precedence over setting it.
    fileprivate func input() throws(RequestRefusal) -> AccountEditor.Input {
        var input = AccountEditor.Input()
        let profile = shared.profile
        input.displayName = profile.displayName
        input.photoURL = profile.photoURL
        input.removesEmail = shared.deletes(.email)
        input.removesPassword = shared.deletes(.password)
        input.email = input.removesEmail ? nil : shared.email
        input.password = input.removesPassword ? nil : shared.password.map(Secret.init)
        input.renewsSession = shared.validSince != nil
        if let deleteProvider = shared.deleteProvider { try input.remove(deleteProvider) }
        input.mayLoseLastSignInMethod = own.allowNoSignInMethod ?? false
        return input
    }
}
