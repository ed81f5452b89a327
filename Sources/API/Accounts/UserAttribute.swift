internal import Identity

/// What `deleteAttribute` may name.
enum UserAttribute: String, WireEnum {
    case unspecified = "USER_ATTRIBUTE_NAME_UNSPECIFIED"
    case email = "EMAIL"
    case displayName = "DISPLAY_NAME"
    case provider = "PROVIDER"
    case photoURL = "PHOTO_URL"
    case password = "PASSWORD"
    case rawUserInfo = "RAW_USER_INFO"
}

/// A request that may take members of an account away by name.
protocol AttributeDeletion {
    var deleteAttribute: [UserAttribute]? { get }
}

extension AttributeDeletion {
    func deletes(_ attribute: UserAttribute) -> Bool { deleteAttribute?.contains(attribute) == true }
}

extension AccountChange.Value<String> {
    /// Setting a text to nothing removes it.
    init(wire text: String) {
        self = text.isEmpty ? .remove : .set(text)
    }
}
