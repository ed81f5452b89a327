/// A secret key that another system used for all of its password hashes. Its description does not contain the key.
public struct PasswordKey: Sendable, CustomStringConvertible, CustomReflectable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Stores the secret keys of imported password hashes. Both functions may throw ``StoreUnavailable``.
public struct PasswordKeys: Sendable {
    /// Returns the same ID whenever the same key is stored for a realm.
    public var store: @Sendable (_ key: PasswordKey, _ realm: ID<Realm>) async throws -> ID<PasswordKey>
    /// `nil` if there is no key with that ID.
    public var find: @Sendable (_ id: ID<PasswordKey>) async throws -> PasswordKey?

    public init(
        store: @escaping @Sendable (PasswordKey, ID<Realm>) async throws -> ID<PasswordKey>,
        find: @escaping @Sendable (ID<PasswordKey>) async throws -> PasswordKey?
    ) {
        self.store = store
        self.find = find
    }
}
