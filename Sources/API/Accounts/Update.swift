internal import HTTP
internal import Identity

extension Endpoint {
    /// Changes the caller's own account, or applies an email action code. Administrators can change any account.
    static let update = clientOrAdministrator("update", .post, "/v1/accounts:update", needs: .writeUsers) {
        call, client in
        let request = try call.body(as: UpdateRequest<OwnerUpdateFields>.self)
        if let oobCode = request.shared.oobCode.nonEmpty {
            let applied = try await call.services.emailActions.redemption.apply(
                oobCode, in: client.project, from: call.context)
            return try .json(UpdateResponse(applied))
        }
        let idToken = try request.checkedIDToken()
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.project)
        var input = try request.input()
        input.resumptionKey = try call.resumptionKey()
        let edited = try await call.services.accounts.editor.edit(
            caller, input, in: client.project, from: call.context)
        return try .json(UpdateResponse(edited))
    } administrator: { call, administrator in
        try await call.updateAccount(for: administrator)
    }

    static let updateAccount = administrator(
        "updateAccount", .post, "/v1/projects/{project}/accounts:update", needs: .writeUsers
    ) { call, administrator in
        try await call.updateAccount(for: administrator)
    }
}

extension EndpointCall {
    fileprivate func updateAccount(for administrator: Administrator) async throws -> Response {
        let request = try body(as: UpdateRequest<AdministratorUpdateFields>.self, for: administrator)
        if request.changesIdentities { try administrator.require(.linkUsers) }
        try request.shared.checkImplemented(
            besides: (name: "oobCode", isPresent: request.shared.oobCode.nonEmpty != nil))
        let account = try await services.accounts.administration.update(
            try ID(required: request.own.localId), try request.input(), in: administrator.project,
            from: context.network, by: actor(of: administrator))
        return try .json(UpdateResponse(account))
    }
}

/// The body of an update: the members that clients and administrators may both send, and `own`, the members that only
/// one of them may send, or that are decoded differently.
struct UpdateRequest<Own: Decodable>: Decodable {
    let shared: SharedUpdateFields
    let own: Own

    init(from decoder: any Decoder) throws {
        shared = try SharedUpdateFields(from: decoder)
        own = try Own(from: decoder)
    }
}

struct SharedUpdateFields: Decodable {
    private let displayName: String?
    private let photoUrl: String?
    let email: String?
    let password: String?
    let validSince: String?
    let customAttributes: String?
    let disableUser: Bool?
    let deleteProvider: [String]?
    let oobCode: String?
    private let deleteAttribute: [UserAttribute]?
    private let deletePasskey: [PresenceOnly]?
    private let mfa: PresenceOnly?
    private let provider: [PresenceOnly]?
    private let upgradeToFederatedLogin: Bool?

    func deletes(_ attribute: UserAttribute) -> Bool { deleteAttribute?.contains(attribute) == true }

    /// The new display name and photo. Removing a member takes precedence over setting it.
    var profile: AccountUpdate {
        var update = AccountUpdate()
        update.displayName = deletes(.displayName) ? .remove : displayName.map(AccountUpdate.Value.init(wire:))
        update.photoURL = deletes(.photoURL) ? .remove : photoUrl.map(AccountUpdate.Value.init(wire:))
        return update
    }

    /// - Parameter other: a further member that is not implemented.
    /// - Throws: ``RequestRefusal/notImplemented(_:)`` for the first member that is present but not implemented, in
    ///   alphabetical order.
    func checkImplemented(besides other: (name: String, isPresent: Bool)) throws(RequestRefusal) {
        let members = [
            ("deleteAttribute PROVIDER", deletes(.provider)),
            ("deleteAttribute RAW_USER_INFO", deletes(.rawUserInfo)),
            ("deletePasskey", deletePasskey?.isEmpty == false),
            ("mfa", mfa != nil),
            ("provider", provider?.isEmpty == false),
            ("upgradeToFederatedLogin", upgradeToFederatedLogin == true),
            (other.name, other.isPresent),
        ]
        if let name = members.filter(\.1).map(\.0).min() { throw .notImplemented(name) }
    }
}

extension UpdateRequest: ClientRequestBody where Own: ClientRequestBody {
    var tenantId: String? { own.tenantId }
    var targetProjectId: String? { own.targetProjectId }
}

/// The values of `deleteAttribute`.
enum UserAttribute: String, WireEnum {
    case unspecified = "USER_ATTRIBUTE_NAME_UNSPECIFIED"
    case email = "EMAIL"
    case displayName = "DISPLAY_NAME"
    case provider = "PROVIDER"
    case photoURL = "PHOTO_URL"
    case password = "PASSWORD"
    case rawUserInfo = "RAW_USER_INFO"
}

extension AccountUpdate.Value<String> {
    /// An empty text removes the value.
    init(wire text: String) {
        self = text.isEmpty ? .remove : .set(text)
    }
}

/// Members that only an administrator may set (`emailVerified`, `localId`, `phoneNumber`, `createdAt`, `lastLoginAt`)
/// are absent, so clients cannot set them.
private struct OwnerUpdateFields: ClientRequestBody {
    let idToken: String?
    let allowNoSignInMethod: Bool?
    let linkProviderUserInfo: PresenceOnly?
    let tenantId: String?
    let targetProjectId: String?
}

extension UpdateRequest<OwnerUpdateFields> {
    /// Returns the ID token. Rejects members that are not implemented, or that only administrators may set.
    fileprivate func checkedIDToken() throws(RequestRefusal) -> String {
        try shared.checkImplemented(besides: (name: "linkProviderUserInfo", isPresent: own.linkProviderUserInfo != nil))
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
        input.password = shared.password.map(Secret.init)
        // The time is ignored: the other sessions end now, and the caller gets a new one.
        input.renewsSession = shared.validSince != nil
        if let deleteProvider = shared.deleteProvider { try input.removeSignInMethods(deleteProvider) }
        input.allowsNoSignInMethod = own.allowNoSignInMethod ?? false
        return input
    }
}

private struct AdministratorUpdateFields: Decodable {
    let localId: String?
    let emailVerified: Bool?
    let phoneNumber: String?
    let createdAt: String?
    let lastLoginAt: String?
    let linkProviderUserInfo: LinkedIdentityInput?
}

extension UpdateRequest<AdministratorUpdateFields> {
    /// Whether the update changes identities of providers. Password and phone number are not identities.
    fileprivate var changesIdentities: Bool {
        own.linkProviderUserInfo != nil
            || (shared.deleteProvider ?? []).contains { ![.password, .phone].contains(ProviderID($0)) }
    }

    /// Removing a member takes precedence over setting it. Removing the provider `password` removes the password and
    /// the address.
    fileprivate func input() throws -> AccountAdministration.Input {
        var input = AccountAdministration.Input()
        var update = shared.profile
        let unlinked = Set((shared.deleteProvider ?? []).map { ProviderID($0) })
        if shared.deletes(.email) || unlinked.contains(.password) {
            update.email = .remove
        } else {
            input.email = shared.email.nonEmpty
        }
        if shared.deletes(.password) || unlinked.contains(.password) {
            update.passwordHash = .remove
        } else {
            input.password = shared.password.nonEmpty.map(Secret.init)
        }
        if unlinked.contains(.phone) {
            update.phoneNumber = .remove
        } else {
            input.phoneNumber = own.phoneNumber.nonEmpty
        }
        update.emailIsVerified = own.emailVerified
        update.isDisabled = shared.disableUser
        update.validSince = try .parsing(seconds: shared.validSince, at: "/validSince")
        update.createdAt = try .parsing(milliseconds: own.createdAt, at: "/createdAt")
        update.lastSignInAt = try .parsing(milliseconds: own.lastLoginAt, at: "/lastLoginAt")
        input.change.unlinked = unlinked
        input.change.linked = try own.linkProviderUserInfo?.identity()
        update.customClaims = try shared.customAttributes.map(Claims.init(checking:))
        input.change.update = update
        return input
    }
}

/// The response to every update. It contains new tokens if an update with an ID token ended the caller's tokens.
struct UpdateResponse: Encodable {
    let kind = "identitytoolkit#SetAccountInfoResponse"
    let localId: String
    let email: String?
    let emailVerified: Bool?
    let displayName: String?
    let photoUrl: String?
    let providerUserInfo: [ProviderUserInfo]?
    /// The new address, if the request redeemed a code that changed it.
    var newEmail: String?
    let idToken: String?
    let refreshToken: String?
    let expiresIn: String?

    init(_ account: Account) { self.init(account, nil) }

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
