public import Identity

/// What the endpoints use, by subject. The composition root builds it.
public struct Services: Sendable {
    let signIn: SignInServices
    let accounts: AccountServices
    let sessions: SessionService
    let sessionCookies: SessionCookies
    public let emailActions: EmailActionServices
    let merging: AccountMerging
    let apple: AppleServices
    let projects: ProjectServices
    let audit: AuditTrail
    let operations: OperationsServices

    public init(
        signIn: SignInServices, accounts: AccountServices, sessions: SessionService, sessionCookies: SessionCookies,
        emailActions: EmailActionServices, merging: AccountMerging, apple: AppleServices, projects: ProjectServices,
        audit: AuditTrail,
        operations: OperationsServices
    ) {
        self.signIn = signIn
        self.accounts = accounts
        self.sessions = sessions
        self.sessionCookies = sessionCookies
        self.emailActions = emailActions
        self.merging = merging
        self.apple = apple
        self.projects = projects
        self.audit = audit
        self.operations = operations
    }
}

/// What the endpoints of accounts use.
public struct AccountServices: Sendable {
    /// Changes that users make to their own accounts.
    let editor: AccountEditor
    let administration: AccountAdministration
    let queries: AccountQueryService
    let linking: LinkAdministration

    public init(
        editor: AccountEditor, administration: AccountAdministration, queries: AccountQueryService,
        linking: LinkAdministration
    ) {
        self.editor = editor
        self.administration = administration
        self.queries = queries
        self.linking = linking
    }
}

/// The services that the endpoints of email actions use.
public struct EmailActionServices: Sendable {
    let sending: OOBSending
    let redemption: OOBRedemption
    /// For pages, which know a code but not its project.
    public let pages: EmailActionService

    public init(
        sending: OOBSending, redemption: OOBRedemption, pages: EmailActionService
    ) {
        self.sending = sending
        self.redemption = redemption
        self.pages = pages
    }
}

/// What the endpoints of projects, apps and tenants use.
public struct ProjectServices: Sendable {
    let editor: ProjectEditor
    let tenancy: Tenancy
    /// Returns `nil` if the project has no such app.
    let app: @Sendable (ID<App>, ID<Project>) async throws -> App?

    public init(
        editor: ProjectEditor, tenancy: Tenancy, app: @escaping @Sendable (ID<App>, ID<Project>) async throws -> App?
    ) {
        self.editor = editor
        self.tenancy = tenancy
        self.app = app
    }
}
