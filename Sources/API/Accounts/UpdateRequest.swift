internal import Identity

/// The body of an update: members that clients and administrators share, and members that only one of them may set.
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

    /// The new name and photo. Removing a member takes precedence over setting it.
    var profile: AccountUpdate {
        var update = AccountUpdate()
        update.displayName = deletes(.displayName) ? .remove : displayName.map(AccountUpdate.Value.init(wire:))
        update.photoURL = deletes(.photoURL) ? .remove : photoUrl.map(AccountUpdate.Value.init(wire:))
        return update
    }

    /// - Parameter other: a further member that is not implemented, and whether the request has it.
    /// - Throws: ``RequestRefusal/notImplemented(_:)`` for the first such member, in the order of names.
    func checkImplemented(besides other: (String, Bool)) throws(RequestRefusal) {
        let members = [
            ("deleteAttribute PROVIDER", deletes(.provider)),
            ("deleteAttribute RAW_USER_INFO", deletes(.rawUserInfo)),
            ("deletePasskey", deletePasskey?.isEmpty == false),
            ("mfa", mfa != nil),
            ("provider", provider?.isEmpty == false),
            ("upgradeToFederatedLogin", upgradeToFederatedLogin == true),
            other,
        ]
        if let name = members.filter(\.1).map(\.0).min() { throw .notImplemented(name) }
    }
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
