/// The administrators of the projects: people who use the console. They are accounts of the operators' project, and
/// have a role in one project or in all projects.
///
/// Throws ``AdministratorRefusal``, and what ``AccountAdministration`` throws.
public struct Administrators: Sendable {
    /// How long a person can accept an invitation.
    public static let invitationLifetime: Duration = .seconds(24 * 3600)
    /// The maximum number of administrators of a project, with invited ones.
    public static let limit = 200

    private let configured: ID<Project>?
    private let store: any AdministratorStore
    private let accounts: AccountAdministration
    private let findRealm: @Sendable (ID<Realm>) async throws -> Realm?
    private let emailFactory: EmailFactory
    /// The URL of the console's host, without a slash at the end.
    private let consoleURL: @Sendable () -> String
    private let clock: WallClock

    /// - Parameter operators: the project whose accounts are the administrators; `nil` if the gateway has no console.
    public init(
        operators: ID<Project>?, store: any AdministratorStore, accounts: AccountAdministration,
        findRealm: @escaping @Sendable (ID<Realm>) async throws -> Realm?, emailFactory: EmailFactory,
        consoleURL: @escaping @Sendable () -> String, clock: WallClock
    ) {
        configured = operators
        self.store = store
        self.accounts = accounts
        self.findRealm = findRealm
        self.emailFactory = emailFactory
        self.consoleURL = consoleURL
        self.clock = clock
    }

    /// The operators' project.
    public func operators() throws(AdministratorRefusal) -> ID<Project> {
        guard let configured else { throw .noConsole }
        return configured
    }

    /// The realm of the operators' project.
    public func realm() async throws -> Realm {
        guard let realm = try await findRealm(ID(operators())) else { throw AdministratorRefusal.noConsole }
        return realm
    }

    /// The origin of the console's pages, as browsers state it.
    var origin: String { consoleURL().lowercased() }

    /// The page on which administrators sign in.
    var signInURL: String { "\(consoleURL())/console/signIn" }

    /// Returns administrators of a project, in the order of their IDs. The operators' project stands for all projects.
    ///
    /// - Parameters:
    ///   - last: the last administrator of the previous page; `nil` for the first page.
    ///   - limit: the maximum number of administrators.
    public func list(
        in project: ID<Project>, after last: ID<Account>? = nil, limit: Int = Self.limit
    ) async throws -> [ListedAdministrator] {
        try await store.list(in: project, after: last, limit: limit, of: operators())
    }

    /// The accepted roles of a person.
    public func roles(of account: ID<Account>) async throws -> AdministratorRoles {
        let operators = try operators()
        return AdministratorRoles(try await store.roles(of: account, in: operators), operators: operators)
    }

    /// Invites a person. Creates the person's account if the operators' project has none with the address.
    ///
    /// The link alone is not sufficient: the console accepts the invitation only in a session of that account with a
    /// second factor. A password for the account can be set only by an email to the address.
    public func invite(
        email: String?, as role: AdministratorRole, in project: ID<Project>, by granter: AdministratorGranter,
        _ actor: AuditActor, from context: RequestContext
    ) async throws -> Invitation {
        let realm = try await realm()
        guard let address = email.flatMap(EmailAddress.init) else { throw CredentialRefusal.invalidEmail }
        guard granter.scopes.include(role.scopes) else { throw AdministratorRefusal.exceedsOwnScopes(role) }
        let account = try await account(of: address, in: realm, from: context, by: actor)
        let (code, now) = (emailFactory.newCode(), clock.now())
        let expiresAt = now + Self.invitationLifetime
        try await store.invite(
            AdministratorChange(account.id, in: project, to: role), by: granter, actor,
            codeHash: emailFactory.hash(code), until: expiresAt, at: now, limit: Self.limit, of: realm.project.id)
        return Invitation(
            administrator: ListedAdministrator(
                account: account.id, email: address, displayName: account.displayName, role: role,
                invitationExpiresAt: expiresAt),
            uri: "\(consoleURL())/console/invitation?code=\(code)")
    }

    /// What a person is invited to with a code.
    ///
    /// - Returns: `nil` if the code is unknown, was used, has expired, or belongs to a person with another address.
    func invitation(_ code: String, to email: EmailAddress) async throws -> EmailPayload.ConsoleInvitation? {
        let operators = try operators()
        let found = try await store.invitation(emailFactory.hash(code), to: email, at: clock.now(), of: operators)
        return found.map { .init(role: $0.role, project: $0.project == operators ? nil : $0.project) }
    }

    private func account(
        of address: EmailAddress, in realm: Realm, from context: RequestContext, by actor: AuditActor
    ) async throws -> Account {
        if let account = try await accounts.find([.email(address)], in: realm).first { return account }
        var draft = AccountAdministration.Draft()
        draft.email = address.rawValue
        return try await accounts.create(draft, in: realm, from: context, by: actor)
    }

    /// Gives a person another role, or removes it. Ends the person's sessions in the console.
    public func change(
        _ change: AdministratorChange, by granter: AdministratorGranter, _ actor: AuditActor,
        from context: RequestContext
    ) async throws -> ListedAdministrator {
        try await store.change(
            change, by: granter, actor, announcing: announcement(in: realm(), from: context), at: clock.now(),
            of: operators())
    }

    /// Accepts an invitation for the account of a session of the console. If the person had no role, factors and
    /// passkeys that the session has not proven are removed.
    ///
    /// - Returns: `false` if the link is unknown, was used, has expired, or belongs to another person, or if the
    ///   authenticator app or the passkey was removed at the same time.
    func accept(_ code: String, by session: Session, from context: RequestContext) async throws -> Bool {
        let (realm, now) = (try await realm(), clock.now())
        let acceptance = RoleAcceptance(
            of: emailFactory.hash(code), by: session, recording: realm.recording(by: .user(context.trace)),
            announcing: announcement(in: realm, from: context)
        ) { [emailFactory] account, removed in
            try emailFactory.notice(ofRemoving: removed, from: account, by: realm.policy, from: context, at: now)
        }
        return try await store.accept(acceptance, at: now, of: operators())
    }

    /// The emails name no person: owners see in the console who it is.
    private func announcement(in realm: Realm, from context: RequestContext) -> RoleAnnouncement {
        RoleAnnouncement { [emailFactory, clock] role, owners in
            let kind: OutgoingEmail.Kind = role == .owner ? .ownerAdded : .administratorAdded
            return EmailBatch(
                emails: try owners.flatMap {
                    try emailFactory.notice(kind, about: $0, by: realm.policy, from: context, at: clock.now())
                })
        }
    }
}

/// A person with a role in a project.
public struct ListedAdministrator: Hashable, Sendable {
    public let account: ID<Account>
    public let email: EmailAddress?
    public let displayName: String?
    public let role: AdministratorRole
    /// `nil` if the person has accepted the invitation.
    public let invitationExpiresAt: Instant?

    public init(
        account: ID<Account>, email: EmailAddress?, displayName: String?, role: AdministratorRole,
        invitationExpiresAt: Instant?
    ) {
        self.account = account
        self.email = email
        self.displayName = displayName
        self.role = role
        self.invitationExpiresAt = invitationExpiresAt
    }
}

/// Builds the emails that tell owners of a person with a new role.
public struct RoleAnnouncement: Sendable {
    /// Takes the role, and the accounts of the owners.
    public let emailBatch: @Sendable (AdministratorRole, [Account]) throws -> EmailBatch

    public init(_ emailBatch: @escaping @Sendable (AdministratorRole, [Account]) throws -> EmailBatch) {
        self.emailBatch = emailBatch
    }
}

/// A created invitation.
public struct Invitation: Hashable, Sendable {
    public let administrator: ListedAdministrator
    /// The link with which the person accepts it, once.
    public let uri: String
}

/// Stores the roles of administrators, and records each change in the audit trail of the project that it concerns.
public protocol AdministratorStore: Sendable {
    /// - Parameter last: the administrator before the first one that is returned; `nil` to begin with the first one.
    func list(
        in project: ID<Project>, after last: ID<Account>?, limit: Int, of operators: ID<Project>
    ) async throws -> [ListedAdministrator]
    /// The accepted roles of a person.
    func roles(of account: ID<Account>, in operators: ID<Project>) async throws -> [ID<Project>: AdministratorRole]
    /// The invitation with a code, if the person with the address can still accept it.
    func invitation(
        _ codeHash: [UInt8], to email: EmailAddress, at now: Instant, of operators: ID<Project>
    ) async throws -> (role: AdministratorRole, project: ID<Project>)?
    /// Stores an invitation, in place of an earlier one of the person for the project.
    ///
    /// - Throws: ``AdministratorRefusal``. A person who has a role in the project already is not invited.
    func invite(
        _ change: AdministratorChange, by granter: AdministratorGranter, _ actor: AuditActor, codeHash: [UInt8],
        until end: Instant, at now: Instant, limit: Int, of operators: ID<Project>) async throws
    /// - Parameter announcement: for the other owners, if the person becomes an owner.
    /// - Throws: ``AdministratorRefusal``.
    func change(
        _ change: AdministratorChange, by granter: AdministratorGranter, _ actor: AuditActor,
        announcing announcement: RoleAnnouncement, at now: Instant, of operators: ID<Project>
    ) async throws -> ListedAdministrator
    /// Gives the person the role. If the person has no other accepted role, removes what ``UnprovenFactors`` names.
    ///
    /// - Returns: `false` if the person has no such invitation that has not expired, or neither an authenticator app
    ///   nor a passkey of the operators' project, or the session has no factor that still counts.
    func accept(_ acceptance: RoleAcceptance, at now: Instant, of operators: ID<Project>) async throws -> Bool
}
