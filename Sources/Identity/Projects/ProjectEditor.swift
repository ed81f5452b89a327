/// Shows and changes what is configured of a project.
public struct ProjectEditor: Sendable {
    public typealias Change = @Sendable (inout ProjectConfiguration) throws -> Void

    /// Returns `nil` if there is no such project.
    public var configuration: @Sendable (ID<Realm>) async throws -> ProjectConfiguration?
    /// Hands the configuration as it is stored to `change` and stores what becomes of it; nobody else changes it
    /// meanwhile. What `change` throws leaves everything as it was, and so do ``ConfigurationEditRefusal``, and
    /// ``ConfigurationRefusal``, which is thrown for problems that were not there before.
    ///
    /// Returns `nil` if there is no such project.
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

/// Keeps secrets of providers in the place where they are stored.
public struct SecretEncryption: Sendable {
    /// - Throws: if it cannot be done here.
    public var seal: @Sendable (Secret, ProviderID, ID<Realm>) throws -> [UInt8]
    /// Whether what is `sealed` is `secret`.
    public var holds: @Sendable (_ sealed: [UInt8], _ secret: Secret, ProviderID, ID<Realm>) -> Bool

    public init(
        seal: @escaping @Sendable (Secret, ProviderID, ID<Realm>) throws -> [UInt8],
        holds: @escaping @Sendable ([UInt8], Secret, ProviderID, ID<Realm>) -> Bool
    ) {
        self.seal = seal
        self.holds = holds
    }
}
