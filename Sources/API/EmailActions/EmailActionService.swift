public import Identity

/// What the pages do that links in mail open. A code alone tells the project; throws ``OOBCodeRefusal``,
/// ``CredentialRefusal`` and ``TooManyAttempts``.
public protocol EmailActionService: Sendable {
    /// Uses nothing up.
    func check(_ code: String) async throws -> CheckedCode
    /// - Parameter providers: their identities are removed, except the one that the account was made with.
    func resetPassword(
        _ code: String, to password: Secret, removing providers: Set<ProviderID>, from origin: RequestContext
    ) async throws
    /// Verifies an address, or changes it.
    func apply(_ code: String, from origin: RequestContext) async throws
    /// Goes back to the address before.
    ///
    /// - Parameter providers: their identities are removed, except the one that the account was made with.
    func recover(_ code: String, removing providers: Set<ProviderID>, from origin: RequestContext) async throws
        -> Remedied
    /// Removes what was added to the account, and everything that was added after it.
    func removeSignInMethod(_ code: String, from origin: RequestContext) async throws -> Remedied
    /// "This was not me", of whoever got a code that verifies an address.
    func disavow(_ code: String, from origin: RequestContext) async throws
    /// Brings back an account that was merged into another one.
    func undoMerge(_ code: String, from origin: RequestContext) async throws -> Remedied
    /// - Throws: ``OOBSendingRefusal``.
    func sendReset(to email: String, in project: Project, from origin: RequestContext) async throws
    /// `nil` asks for the only project of a single-project installation; so does the answer `nil` say there is none.
    func project(_ id: ID<Project>?) async throws -> (Project, name: String)?
}

/// A code that stands, and what it is about.
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
