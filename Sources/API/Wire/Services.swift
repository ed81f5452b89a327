public import Encoding
public import Identity

/// The services that the endpoints use, by subject. The composition root creates them.
public struct Services: Sendable {
    let signIn: SignInServices
    let signInPage: SignInPageServices
    let accounts: AccountServices
    let sessions: SessionService
    let tokenRefresh: TokenRefresh
    let sessionCookies: SessionCookies
    public let emailActions: EmailActionServices
    let merging: AccountMerging
    let apple: AppleServices
    let googleSignals: GoogleSignalService
    let appStore: AppStoreService
    let projects: ProjectServices
    /// The sign-in to the console, and its administrators.
    public let console: ConsoleSignIn
    let audit: AuditTrail
    let counts: Counts
    let events: EventEndpoints
    let queues: WorkQueues
    let operations: OperationsServices
    let threads: any RequestThreads

    public init(
        signIn: SignInServices, signInPage: SignInPageServices, accounts: AccountServices, sessions: SessionService,
        tokenRefresh: TokenRefresh,
        sessionCookies: SessionCookies, emailActions: EmailActionServices, merging: AccountMerging,
        apple: AppleServices, googleSignals: GoogleSignalService, appStore: AppStoreService,
        projects: ProjectServices, console: ConsoleSignIn, audit: AuditTrail, counts: Counts,
        events: EventEndpoints, queues: WorkQueues, operations: OperationsServices,
        threads: any RequestThreads
    ) {
        self.signIn = signIn
        self.signInPage = signInPage
        self.accounts = accounts
        self.sessions = sessions
        self.tokenRefresh = tokenRefresh
        self.sessionCookies = sessionCookies
        self.emailActions = emailActions
        self.merging = merging
        self.apple = apple
        self.googleSignals = googleSignals
        self.appStore = appStore
        self.projects = projects
        self.console = console
        self.audit = audit
        self.counts = counts
        self.events = events
        self.queues = queues
        self.operations = operations
        self.threads = threads
    }
}

/// The services that the endpoints of accounts use.
public struct AccountServices: Sendable {
    /// Changes that users make to their own accounts.
    let editor: AccountEditor
    /// Changes that users make to their own second factors.
    let factors: FactorEnrolment
    /// The enrolment of passkeys by users.
    let passkeys: PasskeyEnrolment
    let exporting: AccountExporting
    /// Operations of administrators on accounts.
    let administration: AccountAdministration
    let queries: AccountQueryService
    /// Operations of administrators on identities, and merges by administrators.
    let linking: LinkAdministration
    /// Converts each user of an import before it is checked; `nil` for no conversion.
    let convertImportedUser: (@Sendable (ImportedUser) -> ImportedUser)?

    public init(
        editor: AccountEditor, factors: FactorEnrolment, passkeys: PasskeyEnrolment, exporting: AccountExporting,
        administration: AccountAdministration, queries: AccountQueryService, linking: LinkAdministration,
        convertImportedUser: (@Sendable (ImportedUser) -> ImportedUser)?
    ) {
        self.editor = editor
        self.factors = factors
        self.passkeys = passkeys
        self.exporting = exporting
        self.administration = administration
        self.queries = queries
        self.linking = linking
        self.convertImportedUser = convertImportedUser
    }
}

/// The services that the endpoints of email actions use.
public struct EmailActionServices: Sendable {
    public let sending: OOBCodeSender
    let redemption: OOBCodeRedeemer
    /// For pages, which know a code but not its project.
    public let pageService: EmailActionService

    public init(
        sending: OOBCodeSender, redemption: OOBCodeRedeemer, pageService: EmailActionService
    ) {
        self.sending = sending
        self.redemption = redemption
        self.pageService = pageService
    }
}

/// What a report for App Review needs besides the configuration; see `AppReview`.
public struct AppReviewFacts: Sendable {
    let usesCustomTokens: Bool
    let clientIDsWithRedeemedCodes: Set<ByteText>

    public init(usesCustomTokens: Bool, clientIDsWithRedeemedCodes: Set<ByteText>) {
        self.usesCustomTokens = usesCustomTokens
        self.clientIDsWithRedeemedCodes = clientIDsWithRedeemedCodes
    }
}

/// The services that the endpoints of projects, apps and tenants use.
public struct ProjectServices: Sendable {
    let editor: ProjectEditor
    let tenancy: Tenancy
    /// Returns an app of a project; `nil` if the project has no such app.
    let app: @Sendable (ID<App>, ID<Project>) async throws -> App?
    /// Returns what the report on an app needs besides the configuration of a realm.
    let reviewFacts: @Sendable (ID<Realm>) async throws -> AppReviewFacts
    let images: BrandImages
    let styles: BrandStyles
    let previewEmail: EmailPreview.Renderer
    /// Returns a realm as it is stored now; `nil` if it does not exist any more. All other look-ups of realms may
    /// return a configuration of a few seconds ago.
    let storedRealm: @Sendable (Realm) async throws -> Realm?
    /// Returns a project's realm that was loaded after the call. May suspend the caller for a second.
    let newRealm: @Sendable (ID<Project>) async throws -> Realm?
    /// Whether URLs of an operator's servers may use http on a loopback host.
    let allowsLoopbackCallbacks: Bool

    public init(
        editor: ProjectEditor, tenancy: Tenancy, app: @escaping @Sendable (ID<App>, ID<Project>) async throws -> App?,
        reviewFacts: @escaping @Sendable (ID<Realm>) async throws -> AppReviewFacts,
        images: BrandImages, styles: BrandStyles, previewEmail: @escaping EmailPreview.Renderer,
        storedRealm: @escaping @Sendable (Realm) async throws -> Realm?,
        newRealm: @escaping @Sendable (ID<Project>) async throws -> Realm?, allowsLoopbackCallbacks: Bool
    ) {
        self.editor = editor
        self.tenancy = tenancy
        self.app = app
        self.reviewFacts = reviewFacts
        self.images = images
        self.styles = styles
        self.previewEmail = previewEmail
        self.storedRealm = storedRealm
        self.newRealm = newRealm
        self.allowsLoopbackCallbacks = allowsLoopbackCallbacks
    }
}

/// The services that the endpoints of sign-in use.
public struct SignInServices: Sendable {
    let authenticator: Authenticator
    let identifiers: IdentifierLookup
    let password: PasswordMethod
    let anonymous: AnonymousMethod
    let emailLink: EmailLinkMethod
    let federated: FederatedMethod
    let phone: PhoneMethod
    let customToken: CustomTokenMethod
    let passkey: PasskeyMethod
    let secondFactor: SecondFactorSignIn
    /// Sign-ins with a provider in a browser.
    let flows: AuthorizationFlows
    let publicOrigin: PublicOrigin
    /// Returns a new `sessionId` for `createAuthUri`: 27 random letters and digits.
    let newAuthURISessionID: @Sendable () -> String

    public init(
        authenticator: Authenticator, identifiers: IdentifierLookup, password: PasswordMethod,
        anonymous: AnonymousMethod, emailLink: EmailLinkMethod, federated: FederatedMethod, phone: PhoneMethod,
        customToken: CustomTokenMethod, passkey: PasskeyMethod, secondFactor: SecondFactorSignIn,
        flows: AuthorizationFlows, publicOrigin: PublicOrigin,
        newAuthURISessionID: @escaping @Sendable () -> String
    ) {
        self.authenticator = authenticator
        self.identifiers = identifiers
        self.password = password
        self.anonymous = anonymous
        self.emailLink = emailLink
        self.federated = federated
        self.phone = phone
        self.customToken = customToken
        self.passkey = passkey
        self.secondFactor = secondFactor
        self.flows = flows
        self.publicOrigin = publicOrigin
        self.newAuthURISessionID = newAuthURISessionID
    }
}

/// The services that the endpoints of Sign in with Apple use.
public struct AppleServices: Sendable {
    let revocation: AppleTokenRevocation
    /// The stored tokens and authorization codes of Apple.
    let grants: any AppleGrantStore
    let notifications: AppleNotificationService

    public init(
        revocation: AppleTokenRevocation, grants: any AppleGrantStore, notifications: AppleNotificationService
    ) {
        self.revocation = revocation
        self.grants = grants
        self.notifications = notifications
    }
}

extension AppleServices {
    /// Returns what happens to the tokens of Sign in with Apple if `account` is deleted.
    func revocationOutcome(onDeletionOf account: Account, in realm: Realm) async throws -> AppleRevocation {
        guard let identity = account.identity(of: .apple) else { return .none }
        let settings = realm.settings(of: .apple)
        return AppleRevocation(
            of: identity, grants: try await grants.states(of: identity.subject, in: realm.id),
            hasPrivateKey: settings?.hasSecret == true && settings?.apple != nil)
    }
}
