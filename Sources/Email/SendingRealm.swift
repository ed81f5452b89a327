public import Identity

/// The realm that an email is sent for.
public struct SendingRealm: Sendable {
    public let realm: Realm
    /// The display name of the project, which recipients see.
    public let name: String

    public init(realm: Realm, name: String) {
        self.realm = realm
        self.name = name
    }
}
