public import Identity

/// What the endpoints use, by subject. The composition root builds it.
public struct Services: Sendable {
    let signIn: SignInServices
    let accounts: AccountServices
    let sessions: SessionService
    let sessionCookies: SessionCookies
    let emailActions: EmailActionServices
    let merging: AccountMerging
    let projects: ProjectServices
    let audit: AuditTrail
    let operations: OperationsServices

    public init(
        signIn: SignInServices, accounts: AccountServices, sessions: SessionService, sessionCookies: SessionCookies,
        emailActions: EmailActionServices, merging: AccountMerging, projects: ProjectServices, audit: AuditTrail,
        operations: OperationsServices
    ) {
        self.signIn = signIn
        self.accounts = accounts
        self.sessions = sessions
        self.sessionCookies = sessionCookies
        self.emailActions = emailActions
        self.merging = merging
        self.projects = projects
        self.audit = audit
        self.operations = operations
    }
}
