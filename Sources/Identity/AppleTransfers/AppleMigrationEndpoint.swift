/// Apple's endpoint for the migration of users to another team (TN3159). Every call has a deadline, and throws only if
/// its task is cancelled.
public struct AppleMigrationEndpoint: Sendable {
    /// Returns an access token for the other calls, valid for an hour.
    public var accessToken: @Sendable (_ client: AppleClientCredentials) async throws -> AppleMigrationResult<Secret>
    /// Requests the transfer subject (`transfer_sub`) of a user, with the credentials of the old team. `target` is the
    /// ID of the new team.
    public var transferSubject:
        @Sendable (_ subject: String, _ target: String, _ token: Secret, _ client: AppleClientCredentials) async throws
            -> AppleMigrationResult<String>
    /// Requests the new subject and address of a user, with the credentials of the new team.
    public var transferredUser:
        @Sendable (_ transferSubject: String, _ token: Secret, _ client: AppleClientCredentials) async throws
            -> AppleMigrationResult<TransferredUser>

    public init(
        accessToken: @escaping @Sendable (AppleClientCredentials) async throws -> AppleMigrationResult<Secret>,
        transferSubject:
            @escaping @Sendable (String, String, Secret, AppleClientCredentials) async throws
            -> AppleMigrationResult<String>,
        transferredUser:
            @escaping @Sendable (String, Secret, AppleClientCredentials) async throws
            -> AppleMigrationResult<TransferredUser>
    ) {
        self.accessToken = accessToken
        self.transferSubject = transferSubject
        self.transferredUser = transferredUser
    }
}

/// The result of a call to ``AppleMigrationEndpoint``.
public enum AppleMigrationResult<Value: Sendable>: Sendable {
    case found(Value)
    /// Apple responded with an error, or did not respond. The error `invalid_request` may mean that the user has
    /// disconnected the app.
    case failed(AppleResponse)
}

/// The subject and the address of a user at the new team.
public struct TransferredUser: Hashable, Sendable {
    public let subject: String
    public let email: EmailAddress?
    public let isPrivateEmail: Bool

    public init(subject: String, email: EmailAddress?, isPrivateEmail: Bool) {
        self.subject = subject
        self.email = email
        self.isPrivateEmail = isPrivateEmail
    }
}
