internal import Identity

struct UpdateAccountRequest: Decodable, AttributeDeletion {
    let localId: String?
    let displayName: String?
    let photoUrl: String?
    let email: String?
    let emailVerified: Bool?
    let password: String?
    let phoneNumber: String?
    let disableUser: Bool?
    let customAttributes: String?
    let validSince: String?
    let createdAt: String?
    let lastLoginAt: String?
    let deleteAttribute: [UserAttribute]?
    let deleteProvider: [String]?
    let linkProviderUserInfo: Link?
    let deletePasskey: [PresenceOnly]?
    let mfa: PresenceOnly?
    let oobCode: String?
    let provider: [PresenceOnly]?
    let upgradeToFederatedLogin: Bool?

    struct Link: Decodable {
        let providerId: String?
        let rawId: String?
        let email: String?
        let displayName: String?
        let photoUrl: String?
    }

    /// Whether identities of providers change. Password and phone number are not identities.
    var changesIdentities: Bool {
        linkProviderUserInfo != nil
            || (deleteProvider ?? []).contains { ![.password, .phone].contains(ProviderID($0)) }
    }

    func checkImplemented() throws(RequestRefusal) {
        let asked = [
            ("deleteAttribute PROVIDER", deletes(.provider)),
            ("deleteAttribute RAW_USER_INFO", deletes(.rawUserInfo)),
            ("deletePasskey", deletePasskey?.isEmpty == false),
            ("mfa", mfa != nil),
            ("oobCode", oobCode.nonEmpty != nil),
            ("provider", provider?.isEmpty == false),
            ("upgradeToFederatedLogin", upgradeToFederatedLogin == true),
        ]
        if let name = asked.first(where: { $0.1 })?.0 { throw .notImplemented(name) }
    }

    /// Removing a member takes precedence over setting it. Removing the provider `password` also removes the address.
    func input() throws -> AccountAdministration.Input {
        var input = AccountAdministration.Input()
        let unlinked = Set(deleteProvider ?? [])
        let losesEmail = deletes(.email) || unlinked.contains(ProviderID.password.rawValue)
        let losesPassword = deletes(.password) || unlinked.contains(ProviderID.password.rawValue)
        let losesNumber = unlinked.contains(ProviderID.phone.rawValue)
        if losesEmail { input.change.update.email = .remove } else { input.email = email.nonEmpty }
        if losesPassword {
            input.change.update.passwordHash = .remove
        } else {
            input.password = password.nonEmpty.map(Secret.init)
        }
        if losesNumber { input.change.update.phoneNumber = .remove } else { input.phoneNumber = phoneNumber.nonEmpty }
        input.change.update.displayName =
            deletes(.displayName) ? .remove : displayName.map(AccountUpdate.Value.init(wire:))
        input.change.update.photoURL = deletes(.photoURL) ? .remove : photoUrl.map(AccountUpdate.Value.init(wire:))
        input.change.update.emailIsVerified = emailVerified
        input.change.update.isDisabled = disableUser
        input.change.update.validSince = try .parsing(seconds: validSince, at: "/validSince")
        input.change.update.createdAt = try .parsing(milliseconds: createdAt, at: "/createdAt")
        input.change.update.lastSignInAt = try .parsing(milliseconds: lastLoginAt, at: "/lastLoginAt")
        input.change.unlinked = Set(unlinked.map { ProviderID($0) })
        input.change.linked = try linkProviderUserInfo?.identity()
        input.change.update.customClaims = try customAttributes.map(Claims.init(checking:))
        return input
    }
}

extension UpdateAccountRequest.Link {
    fileprivate func identity() throws(RequestRefusal) -> LinkedIdentity {
        let providerId = try providerId.required(.missingProviderID)
        let rawId = try rawId.required(.missingRawID)
        let provider = ProviderID(providerId)
        guard provider.isLinkable, LinkedIdentity.canBeSubject(rawId) else { throw .rejected(.invalidProviderID) }
        return LinkedIdentity(
            provider: provider, subject: rawId, email: email.flatMap(EmailAddress.init),
            displayName: displayName.nonEmpty,
            photoURL: photoUrl.nonEmpty)
    }
}

extension ProviderID {
    /// Whether an account can have an identity of this provider. The others are members of the account.
    var isLinkable: Bool {
        ![.password, .phone, .anonymous, ProviderID("custom"), ProviderID("firebase")].contains(self)
            && (1...128).contains(rawValue.utf8.count) && rawValue.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension LinkedIdentity {
    /// The limit of 512 bytes in UTF-8 fits an index and exceeds what providers use.
    static func canBeSubject(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
