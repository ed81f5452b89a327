internal import HTTP
internal import Identity

extension Endpoint {
    /// Sends an email action code, or returns its link to an administrator.
    static let sendOobCode = clientOrAdministrator(
        "sendOobCode", .post, "/v1/accounts:sendOobCode", needs: .supportUsers
    ) {
        call, client in
        let request = try call.body(as: SendOobCodeRequest.self, for: client)
        guard request.returnOobLink != true else { throw RequestRefusal.rejected(.insufficientPermission) }
        let email = try await call.services.emailActions.sending.send(
            try request.sendingRequest(apiKey: CallerCredential(call.request).apiKey), in: client.realm,
            from: call.context)
        return try .json(SendOobCodeResponse(email: email.rawValue))
    } administrator: { call, administrator in
        try await call.sendOobCode(for: administrator)
    }

    /// The operation ``sendOobCode`` with the project in the path, for administrators.
    static let sendProjectOobCode = administrator(
        "sendProjectOobCode", .post, "/v1/projects/{project}/accounts:sendOobCode", needs: .supportUsers
    ) { call, administrator in
        try await call.sendOobCode(for: administrator)
    }
}

extension EndpointCall {
    fileprivate func sendOobCode(for administrator: Administrator) async throws -> Response {
        let request = try body(as: SendOobCodeRequest.self, for: administrator)
        let returnsLink = request.returnOobLink == true
        // Anyone who has the link can act as the owner of the mailbox, for example sign in or set a password.
        if returnsLink { try administrator.require(.mintTokens) }
        if !request.isSupport { try administrator.require(.writeUsers) }
        let issued = try await services.emailActions.sending.send(
            try request.sendingRequest(apiKey: nil), sendsEmail: !returnsLink, for: administrator.actor,
            of: administrator.realm, from: context)
        return try .json(
            SendOobCodeResponse(
                email: issued.email.rawValue, oobCode: returnsLink ? issued.code : nil,
                oobLink: returnsLink ? issued.link?.url : nil))
    }
}

private struct SendOobCodeRequest: ClientRequestBody {
    enum RequestType: String, WireEnum {
        case unspecified = "OOB_REQ_TYPE_UNSPECIFIED"
        case passwordReset = "PASSWORD_RESET"
        case oldEmailAgree = "OLD_EMAIL_AGREE"
        case newEmailAccept = "NEW_EMAIL_ACCEPT"
        case verifyEmail = "VERIFY_EMAIL"
        case recoverEmail = "RECOVER_EMAIL"
        case emailSignIn = "EMAIL_SIGNIN"
        case verifyAndChangeEmail = "VERIFY_AND_CHANGE_EMAIL"
        case revertSecondFactorAddition = "REVERT_SECOND_FACTOR_ADDITION"
    }

    let requestType: RequestType?
    let email: String?
    let newEmail: String?
    let idToken: String?
    let continueUrl: String?
    let canHandleCodeInApp: Bool?
    /// The wire's `iOSBundleId`, in the spelling to which the decoder converts the name.
    let iOsBundleId: String?
    let androidPackageName: String?
    let returnOobLink: Bool?
    let tenantId: String?
    let targetProjectId: String?

    /// Whether the scope `users.support` is sufficient: the email verifies the account's address or resets the
    /// password.
    fileprivate var isSupport: Bool {
        switch requestType {
        case .passwordReset, .verifyEmail: returnOobLink != true
        case nil, .unspecified, .oldEmailAgree, .newEmailAccept, .recoverEmail, .emailSignIn, .verifyAndChangeEmail,
            .revertSecondFactorAddition:
            false
        }
    }

    func sendingRequest(apiKey: String?) throws(RequestRefusal) -> OOBCodeSender.Request {
        OOBCodeSender.Request(
            purpose: try purpose(), email: email, newEmail: newEmail, idToken: idToken.nonEmpty,
            continueURL: continueUrl.nonEmpty, appLink: appLink, apiKey: apiKey)
    }

    private var appLink: AppLink.Request? {
        guard canHandleCodeInApp == true else { return nil }
        return AppLink.Request(bundleID: iOsBundleId.nonEmpty, package: androidPackageName.nonEmpty)
    }

    private func purpose() throws(RequestRefusal) -> OOBCode.Purpose {
        switch requestType {
        case nil, .unspecified: throw .rejected(.missingReqType)
        case .passwordReset: .resetPassword
        case .verifyEmail: .verifyEmail
        case .recoverEmail: .recoverEmail
        case .emailSignIn: .signIn
        case .verifyAndChangeEmail: .changeEmail
        case .revertSecondFactorAddition: .revertFactorAddition
        case .oldEmailAgree, .newEmailAccept:
            throw .notImplemented("requestType \(requestType?.rawValue ?? "")")
        }
    }
}

private struct SendOobCodeResponse: Encodable {
    let kind = "identitytoolkit#GetOobConfirmationCodeResponse"
    let email: String
    var oobCode: String?
    var oobLink: String?
}
