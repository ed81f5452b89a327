/// A secret key that another system put into every password hash. Shows nothing, however it is printed.
public struct PasswordKey: Sendable, CustomStringConvertible, CustomReflectable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps the secret keys that imported password hashes cannot be checked without. Both may throw ``StoreUnavailable``.
public struct PasswordKeys: Sendable {
    /// The same key of a project has the same id, however often it comes.
    public var keep: @Sendable (_ key: PasswordKey, _ realm: ID<Realm>) async throws -> ID<PasswordKey>
    /// `nil` if there is none of that id.
    public var find: @Sendable (_ id: ID<PasswordKey>) async throws -> PasswordKey?

    public init(
        keep: @escaping @Sendable (PasswordKey, ID<Realm>) async throws -> ID<PasswordKey>,
        find: @escaping @Sendable (ID<PasswordKey>) async throws -> PasswordKey?
    ) {
        self.keep = keep
        self.find = find
    }
}
