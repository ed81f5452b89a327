internal import Identity

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

/// A request that may remove members of an account by name.
protocol AttributeDeletion {
    var deleteAttribute: [UserAttribute]? { get }
}

extension AttributeDeletion {
    func deletes(_ attribute: UserAttribute) -> Bool { deleteAttribute?.contains(attribute) == true }
}

extension AccountUpdate.Value<String> {
    /// An empty text removes the value.
    init(wire text: String) {
        self = text.isEmpty ? .remove : .set(text)
    }
}
