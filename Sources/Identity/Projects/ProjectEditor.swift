/// Reads and changes the configuration of a project or of a tenant.
public struct ProjectEditor: Sendable {
    public typealias Change = @Sendable (inout ProjectConfiguration) throws -> Void

    /// Returns `nil` if the realm does not exist.
    public var configuration: @Sendable (ID<Realm>) async throws -> ProjectConfiguration?
    /// Passes the stored configuration to `change` and stores the result, under a lock that excludes concurrent edits.
    /// If `change` throws, nothing is stored.
    ///
    /// Throws ``ConfigurationEditRefusal`` if the change needs a permission that is missing, and
    /// ``ConfigurationRefusal`` for problems that did not exist before.
    ///
    /// Returns `nil` if the realm does not exist.
    public var edit:
        @Sendable (ID<Realm>, AuditActor, EditPermissions, _ change: @escaping Change) async throws
            -> ProjectConfiguration?

    public init(
        configuration: @escaping @Sendable (ID<Realm>) async throws -> ProjectConfiguration?,
        edit:
            @escaping @Sendable (ID<Realm>, AuditActor, EditPermissions, @escaping Change) async throws
            -> ProjectConfiguration?
    ) {
        self.configuration = configuration
        self.edit = edit
    }
}

/// Encrypts and compares secrets of providers, and of senders of text messages.
public struct SecretEncryption: Sendable {
    /// - Throws: if this process cannot encrypt secrets.
    public var seal: @Sendable (Secret, ProviderID, ID<Realm>) throws -> [UInt8]
    /// Whether `sealed` is the encrypted form of `secret`.
    public var matches: @Sendable (_ sealed: [UInt8], _ secret: Secret, ProviderID, ID<Realm>) -> Bool
    /// Encrypts the secret of the project's sender of text messages.
    public var sealSMS: @Sendable (Secret, ID<Project>) throws -> [UInt8]
    public var matchesSMS: @Sendable (_ sealed: [UInt8], _ secret: Secret, ID<Project>) -> Bool

    public init(
        seal: @escaping @Sendable (Secret, ProviderID, ID<Realm>) throws -> [UInt8],
        matches: @escaping @Sendable ([UInt8], Secret, ProviderID, ID<Realm>) -> Bool,
        sealSMS: @escaping @Sendable (Secret, ID<Project>) throws -> [UInt8],
        matchesSMS: @escaping @Sendable ([UInt8], Secret, ID<Project>) -> Bool
    ) {
        self.seal = seal
        self.matches = matches
        self.sealSMS = sealSMS
        self.matchesSMS = matchesSMS
    }
}
