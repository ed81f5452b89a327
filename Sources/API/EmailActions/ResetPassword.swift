internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the purpose and the address of an email action code. With a new password, redeems a password reset code.
    static let resetPassword = client("resetPassword", .post, "/v1/accounts:resetPassword") { call, client in
        let request = try call.body(as: ResetPasswordRequest.self, for: client)
        // Firebase's Admin SDKs for Java and Go send an old password with each code, which proves more.
        guard request.oldPassword == nil || request.oobCode.nonEmpty != nil else {
            throw RequestRefusal.notImplemented("oldPassword")
        }
        let allowsPasswords = client.realm.policy.allowsPasswords
        let isCheckOnly = request.newPassword.nonEmpty == nil
        // A project without passwords still has codes for other purposes, which clients can check.
        guard allowsPasswords || (isCheckOnly && request.oobCode.nonEmpty != nil) else {
            throw SignInRefusal.passwordsNotAllowed
        }
        guard let newPassword = request.newPassword.nonEmpty else {
            let found = try await call.services.emailActions.redemption.check(
                request.oobCode.nonEmpty, for: OOBCode.Purpose.forClients, in: client.realm)
            guard allowsPasswords || found.code.purpose != .resetPassword else {
                throw SignInRefusal.passwordsNotAllowed
            }
            return try .json(ResetPasswordResponse(found.code))
        }
        let code = try await call.services.emailActions.redemption.resetPassword(
            request.oobCode.nonEmpty, to: Secret(newPassword), removing: .none, in: client.realm, from: call.context)
        return try .json(ResetPasswordResponse(code))
    }
}

private struct ResetPasswordRequest: ClientRequestBody {
    let oobCode: String?
    let newPassword: String?
    let oldPassword: String?
    let tenantId: String?
    let targetProjectId: String?
}

private struct ResetPasswordResponse: Encodable {
    let kind = "identitytoolkit#ResetPasswordResponse"
    let requestType: String
    /// Always present, because `checkActionCode` of Firebase's Swift SDK crashes the app if the member is absent.
    let email: String
    let newEmail: String?

    init(_ code: OOBCode) {
        requestType = code.purpose.rawValue
        email = code.email.rawValue
        newEmail = code.newEmail?.rawValue
    }
}

extension OOBCode.Purpose {
    /// The purposes that the client API supports. Only the gateway's action page accepts codes with other purposes.
    fileprivate static let forClients: Set<OOBCode.Purpose> = [
        .verifyEmail, .resetPassword, .signIn, .changeEmail, .recoverEmail, .revertFactorAddition,
    ]
}
