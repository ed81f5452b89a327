public import Identity

/// Redeems email action codes for pages, which know a code but not its project. Throws ``OOBCodeRefusal``,
/// ``CredentialRefusal`` and ``TooManyAttempts``.
public protocol EmailActionService: Sendable {
    /// Validates a code without redeeming it.
    func check(_ code: String) async throws -> CheckedCode
    /// - Parameter providers: their identities are removed, except the one that created the account.
    func resetPassword(
        _ code: String, to password: Secret, removing providers: Set<ProviderID>, from origin: RequestContext
    ) async throws
    /// Verifies or changes an address.
    func apply(_ code: String, from origin: RequestContext) async throws
    /// Restores the previous address.
    ///
    /// - Parameter providers: their identities are removed, except the one that created the account.
    func recover(_ code: String, removing providers: Set<ProviderID>, from origin: RequestContext) async throws
        -> Remedied
    /// Removes a sign-in method, and every method that was added after it.
    func removeSignInMethod(_ code: String, from origin: RequestContext) async throws -> Remedied
    /// Reports that the recipient of a verification code did not request it.
    func disavow(_ code: String, from origin: RequestContext) async throws
    /// Restores an account that was merged into another one.
    func undoMerge(_ code: String, from origin: RequestContext) async throws -> Remedied
    /// - Throws: ``OOBSendingRefusal``.
    func sendReset(to email: String, in project: Project, from origin: RequestContext) async throws
    /// Takes `nil` for the only project of a single-project installation. Returns `nil` if there is no such project.
    func project(_ id: ID<Project>?) async throws -> (Project, name: String)?
}

/// A valid code with its project and its account.
public struct CheckedCode: Sendable {
    public let code: OOBCode
    public let project: Project
    public let projectName: String
    public let account: Account?

    public init(code: OOBCode, project: Project, projectName: String, account: Account?) {
        self.code = code
        self.project = project
        self.projectName = projectName
        self.account = account
    }
}
