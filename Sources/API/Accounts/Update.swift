internal import HTTP
internal import Identity

extension Endpoint {
    /// Changes the caller's own account, or applies an email action code. Administrators can change any account.
    static let updateOwnAccount = clientOrAdministrator(
        "updateOwnAccount", .post, "/v1/accounts:update", needs: .supportUsers
    ) {
        call, client in
        let request = try call.body(as: UpdateRequest<ClientUpdateFields>.self, for: client)
        if let oobCode = request.shared.oobCode.nonEmpty {
            let applied = try await call.services.emailActions.redemption.apply(
                oobCode, in: client.realm, from: call.context)
            return try .json(UpdateMembers(applied))
        }
        let idToken = try request.checkedIDToken()
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        var input = try request.input()
        // If the response is lost, the client gets the new session's tokens with this key and the old refresh token.
        input.resumptionKey = try call.resumptionKeyInHeader()
        let edited = try await call.services.accounts.editor.edit(
            caller, input, in: client.realm, from: call.context)
        return try .json(SessionResponse(UpdateMembers(edited.account, after: caller.account), edited.signedIn))
    } administrator: { call, administrator in
        try await call.updateAccount(for: administrator)
    }

    static let updateAccount = administrator(
        "updateAccount", .post, "/v1/projects/{project}/accounts:update", needs: .supportUsers
    ) { call, administrator in
        try await call.updateAccount(for: administrator)
    }
}

extension EndpointCall {
    fileprivate func updateAccount(for administrator: Administrator) async throws -> Response {
        let request = try body(as: UpdateRequest<AdministratorUpdateFields>.self, for: administrator)
        if request.changesIdentities || request.shared.mfa != nil || request.shared.deletesPasskeys {
            try administrator.require(.linkUsers)
        }
        try request.shared.rejectUnimplemented(
            and: (name: "oobCode", isPresent: request.shared.oobCode.nonEmpty != nil))
        var input = try request.input()
        if !input.isSupport { try administrator.require(.writeUsers) }
        // An earlier time would make ID tokens and session cookies valid again at backends that check revocation.
        input.change.onlyRaisesValidSince = !administrator.scopes.allows(.writeUsers)
        let account = try await services.accounts.administration.update(
            try ID(required: request.callerFields.localId), input, in: administrator.realm, from: context,
            by: administrator.actor)
        return try .json(UpdateMembers(account))
    }
}

/// The body of an update. Clients and administrators may both send the members in `shared`. The members in
/// `callerFields` are only for one of the two kinds of caller, or each kind sends them in a different form.
struct UpdateRequest<CallerFields: Decodable>: Decodable {
    private let profile: ProfileMembers
    let shared: SharedUpdateFields
    let callerFields: CallerFields

    init(from decoder: any Decoder) throws {
        profile = try ProfileMembers(from: decoder)
        shared = try SharedUpdateFields(from: decoder)
        callerFields = try CallerFields(from: decoder)
    }

    /// The new members of the profile. Removing a member takes precedence over setting it.
    func checkedProfile() throws(RequestRefusal) -> AccountUpdate.Profile {
        var profile = try profile.checked()
        if shared.deletes(.displayName) { profile.displayName = .remove }
        if shared.deletes(.photoURL) { profile.photoURL = .remove }
        return profile
    }
}

struct SharedUpdateFields: Decodable {
    let email: String?
    let password: String?
    let validSince: String?
    let customAttributes: String?
    let disableUser: Bool?
    let deleteProvider: [String]?
    let oobCode: String?
    private let deleteAttribute: [UserAttribute]?
    private let deletePasskey: [String]?
    let mfa: SecondFactorsInput?
    private let provider: [PresenceOnly]?
    private let upgradeToFederatedLogin: Bool?

    /// The passkeys to remove. Texts that are not base64 name no passkey, and are ignored.
    var deletedPasskeys: Set<ID<Passkey>> {
        Set((deletePasskey ?? []).compactMap { ID<Passkey>(credentialID: $0) })
    }

    /// Whether the request asks to remove passkeys, known or not.
    var deletesPasskeys: Bool { deletePasskey?.isEmpty == false }

    func deletes(_ attribute: UserAttribute) -> Bool { deleteAttribute?.contains(attribute) == true }

    /// Rejects the members that are not implemented.
    ///
    /// - Parameter others: further members to reject.
    /// - Throws: ``RequestRefusal/notImplemented(_:)`` for the alphabetically first of these members that is present.
    func rejectUnimplemented(and others: (name: String, isPresent: Bool)...) throws(RequestRefusal) {
        let members = [
            ("deleteAttribute PROVIDER", deletes(.provider)),
            ("deleteAttribute RAW_USER_INFO", deletes(.rawUserInfo)),
            ("provider", provider?.isEmpty == false),
            ("upgradeToFederatedLogin", upgradeToFederatedLogin == true),
        ]
        if let name = (members + others.map { ($0.name, $0.isPresent) }).filter(\.1).map(\.0).min() {
            throw .notImplemented(name)
        }
    }
}

extension UpdateRequest: ClientRequestBody where CallerFields: ClientRequestBody {
    var tenantId: String? { callerFields.tenantId }
    var targetProjectId: String? { callerFields.targetProjectId }
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

/// The members of a client's update that are not shared with administrators. Some members that only an administrator
/// may set are ignored (`emailVerified`, `localId`, `phoneNumber`, `createdAt`, `lastLoginAt`); others are rejected.
private struct ClientUpdateFields: ClientRequestBody {
    let idToken: String?
    let allowNoSignInMethod: Bool?
    let linkProviderUserInfo: PresenceOnly?
    let tenantId: String?
    let targetProjectId: String?
}

extension UpdateRequest<ClientUpdateFields> {
    /// Returns the ID token. Rejects members that are not implemented, or that only administrators may set.
    fileprivate func checkedIDToken() throws(RequestRefusal) -> String {
        try shared.rejectUnimplemented(
            and: (name: "linkProviderUserInfo", isPresent: callerFields.linkProviderUserInfo != nil),
            (name: "mfa", isPresent: shared.mfa?.enrollments?.isEmpty == false))
        guard let idToken = callerFields.idToken.nonEmpty else {
            throw .rejected(.invalidReqType, "Unsupported request parameters.")
        }
        guard shared.customAttributes == nil else { throw .rejected(.insufficientPermission) }
        guard shared.disableUser == nil else { throw .rejected(.operationNotAllowed) }
        return idToken
    }

    /// Returns the requested change. Removing a member takes precedence over setting it.
    fileprivate func input() throws(RequestRefusal) -> AccountEditor.Input {
        var input = AccountEditor.Input()
        input.profile = try checkedProfile()
        input.removesEmail = shared.deletes(.email)
        input.removesPassword = shared.deletes(.password)
        input.email = input.removesEmail ? nil : shared.email
        input.password = shared.password.map(Secret.init)
        // The value of `validSince` is ignored: the other sessions end now, and the caller gets a new session.
        input.renewsSession = shared.validSince != nil
        if let deleteProvider = shared.deleteProvider { try input.removeSignInMethods(deleteProvider) }
        input.removedPasskeys = shared.deletedPasskeys
        // Firebase's SDK for iOS requires tokens in the response, even if no passkey was removed.
        input.replacesOwnSession = shared.deletesPasskeys
        input.allowsNoSignInMethod = callerFields.allowNoSignInMethod ?? false
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
        callerFields.linkProviderUserInfo != nil
            || (shared.deleteProvider ?? []).contains { ![.password, .phone].contains(ProviderID($0)) }
    }

    /// Returns the requested change. Removing a member takes precedence over setting it. An identity is unlinked before
    /// one is linked. Removing the provider `password` removes the password and the address.
    fileprivate func input() throws -> AccountAdministration.Input {
        var input = AccountAdministration.Input()
        var update = AccountUpdate()
        update.profile = try checkedProfile()
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
            input.phoneNumber = callerFields.phoneNumber.nonEmpty
        }
        update.emailIsVerified = callerFields.emailVerified
        if callerFields.emailVerified == false { update.vouchedEmail = .remove }
        update.isDisabled = shared.disableUser
        update.validSince = try .parsing(seconds: shared.validSince, at: "/validSince")
        update.createdAt = try .parsing(milliseconds: callerFields.createdAt, at: "/createdAt")
        update.lastSignInAt = try .parsing(milliseconds: callerFields.lastLoginAt, at: "/lastLoginAt")
        input.change.unlinked = unlinked
        input.change.linked = try callerFields.linkProviderUserInfo?.identity()
        update.customClaims = try shared.customAttributes.map(Claims.init(checking:))
        input.change.update = update
        input.change.removedPasskeys = shared.deletedPasskeys
        input.change.keptFactors = try shared.mfa?.kept()
        return input
    }
}

/// The members of the response to every update.
struct UpdateMembers: Encodable {
    let kind = "identitytoolkit#SetAccountInfoResponse"
    let localId: String
    let email: String?
    let emailVerified: Bool?
    let displayName: String?
    let photoUrl: String?
    let providerUserInfo: [ProviderUserInfo]?
    let passkeySignals: [PasskeySignal]?
    /// The new address, if the request redeemed a code that changed it.
    var newEmail: String?

    /// - Parameter former: the account before the change; `nil` if the change does not concern password managers.
    init(_ account: Account, after former: Account? = nil) {
        localId = account.id.rawValue
        email = account.email?.rawValue
        emailVerified = account.email.map { _ in account.statesVerifiedEmail }
        displayName = account.displayName
        photoUrl = account.photoURL?.rawValue
        providerUserInfo = ProviderUserInfo.all(of: account)
        passkeySignals = PasskeySignal.all(for: account, after: former).nonEmpty
    }

    fileprivate init(_ applied: OOBCodeRedeemer.AppliedCode) {
        self.init(applied.account)
        if applied.code.purpose == .changeEmail { newEmail = email }
    }
}
