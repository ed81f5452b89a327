internal import HTTP
internal import Identity

extension Endpoint {
    /// Changes the caller's own account.
    static let update = either("update", .post, "/v1/accounts:update", needs: .writeUsers) { call, client in
        let request = try call.body(as: UpdateRequest.self)
        if let oobCode = request.oobCode.nonEmpty {
            let applied = try await call.services.emailActions.redemption.apply(
                oobCode, in: client.project, from: call.origin)
            return try .json(UpdateResponse(applied))
        }
        let idToken = try request.checkedIDToken()
        let caller = try await call.services.signIn.authenticator.caller(showing: idToken, in: client.project)
        let edited = try await call.services.accounts.editor.edit(
            caller, try request.input(), in: client.project, from: call.origin)
        return try .json(UpdateResponse(edited))
    } administrator: { call, administrator in
        try await call.updateAccount(for: administrator)
    }
}

/// Members that only an administrator may set (`emailVerified`, `localId`, `phoneNumber`, times) are absent, so clients
/// cannot set them.
private struct UpdateRequest: ClientRequest, AttributeDeletion {
    let idToken: String?
    let displayName: String?
    let photoUrl: String?
    let email: String?
    let password: String?
    let validSince: String?
    let deleteAttribute: [UserAttribute]?
    let customAttributes: String?
    let disableUser: Bool?
    let deletePasskey: [PresenceOnly]?
    let deleteProvider: [String]?
    let allowNoSignInMethod: Bool?
    let linkProviderUserInfo: PresenceOnly?
    let mfa: PresenceOnly?
    let oobCode: String?
    let provider: [PresenceOnly]?
    let upgradeToFederatedLogin: Bool?
    let tenantId: String?
    let targetProjectId: String?

    func checkedIDToken() throws(RequestRefusal) -> String {
        if let name = unimplemented { throw .notImplemented(name) }
        guard let idToken = idToken.nonEmpty else {
            throw .rejected(.invalidReqType, "Unsupported request parameters.")
        }
        guard customAttributes == nil else { throw .rejected(.insufficientPermission) }
        guard disableUser == nil else { throw .rejected(.operationNotAllowed) }
        return idToken
    }

    /// The first member that this release does not implement.
    private var unimplemented: String? {
        let asked = [
            ("deleteAttribute PROVIDER", deletes(.provider)),
            ("deleteAttribute RAW_USER_INFO", deletes(.rawUserInfo)),
            ("deletePasskey", deletePasskey?.isEmpty == false),
            ("linkProviderUserInfo", linkProviderUserInfo != nil),
            ("mfa", mfa != nil),
            ("provider", provider?.isEmpty == false),
            ("upgradeToFederatedLogin", upgradeToFederatedLogin == true),
        ]
        return asked.first { $0.1 }?.0
    }

    /// Removing a member takes precedence over setting it.
    func input() throws(RequestRefusal) -> AccountEditor.Input {
        var input = AccountEditor.Input()
        input.displayName = deletes(.displayName) ? .remove : displayName.map(AccountUpdate.Value.init(wire:))
        input.photoURL = deletes(.photoURL) ? .remove : photoUrl.map(AccountUpdate.Value.init(wire:))
        input.removesEmail = deletes(.email)
        input.removesPassword = deletes(.password)
        input.email = input.removesEmail ? nil : email
        input.password = input.removesPassword ? nil : password.map(Secret.init)
        input.renewsSession = validSince != nil
        if let deleteProvider { try input.remove(deleteProvider) }
        input.mayLoseLastSignInMethod = allowNoSignInMethod ?? false
        return input
    }
}

struct UpdateResponse: Encodable {
    let kind = "identitytoolkit#SetAccountInfoResponse"
    let localId: String
    let email: String?
    let emailVerified: Bool?
    let displayName: String?
    let photoUrl: String?
    let providerUserInfo: [ProviderUserInfo]?
    /// Only for a code that changed the address.
    var newEmail: String?
    let idToken: String?
    let refreshToken: String?
    let expiresIn: String?

    init(_ edited: AccountEditor.Edited) {
        self.init(edited.account, edited.signedIn)
    }

    init(_ applied: OOBRedemption.Applied) {
        self.init(applied.account, nil)
        if applied.code.purpose == .changeEmail { newEmail = email }
    }

    private init(_ account: Account, _ signedIn: SignedIn?) {
        let user = UserInfo(account)
        localId = user.localId
        email = user.email
        emailVerified = user.emailVerified
        displayName = user.displayName
        photoUrl = user.photoUrl
        providerUserInfo = user.providerUserInfo
        idToken = signedIn?.idToken
        refreshToken = signedIn?.refreshToken
        expiresIn = signedIn?.expiresInSeconds
    }
}
