/// What a person may do in the console, in one project or in all projects. Each role may do what the roles before it
/// may do.
public enum AdministratorRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// Reads accounts, the configuration and the audit trail.
    case viewer
    /// Disables and enables accounts, ends their sessions, and sends emails that verify an address or reset a password.
    case support
    /// Edits, links and merges accounts, and changes settings.
    case administrator
    /// Changes whose tokens are accepted, signs in as users, and manages administrators.
    case owner
}

extension AdministratorRole {
    public var scopes: ServiceKeyScopes {
        switch self {
        case .viewer: ServiceKeyScopes([.readUsers, .readAudit, .readConfig])
        case .support: ServiceKeyScopes([.readUsers, .readAudit, .readConfig, .supportUsers])
        case .administrator:
            ServiceKeyScopes([
                .readUsers, .readAudit, .readConfig, .supportUsers, .writeUsers, .linkUsers, .config, .readEvents,
            ])
        case .owner: ServiceKeyScopes(Set(ServiceKeyScope.allCases))
        }
    }

    /// The accepted names, for help texts and error messages.
    public static let names = allCases.map(\.rawValue)
}

/// The roles of one person.
public struct AdministratorRoles: Hashable, Sendable {
    /// The roles by project. The role in the operators' project applies to all projects.
    private let byProject: [ID<Project>: AdministratorRole]
    private let operators: ID<Project>

    /// - Parameter operators: the project whose accounts are the administrators.
    public init(_ byProject: [ID<Project>: AdministratorRole], operators: ID<Project>) {
        self.byProject = byProject
        self.operators = operators
    }

    public var isEmpty: Bool { byProject.isEmpty }

    /// The role in a project; `nil` if the person may not even read it.
    public func role(in project: ID<Project>) -> AdministratorRole? {
        let everywhere = byProject[operators]
        guard project != operators else {
            // Whoever changes the account of an operator can act as that operator, so only owners may.
            return everywhere.map { $0 == .owner ? .owner : .viewer }
        }
        let roles = [everywhere, byProject[project]].compactMap(\.self)
        return AdministratorRole.allCases.last(where: roles.contains)
    }
}

/// A request to give a person a role, or to remove the role.
public struct AdministratorChange: Hashable, Sendable {
    public let account: ID<Account>
    /// The operators' project stands for all projects.
    public let project: ID<Project>
    /// `nil` removes the role.
    public let role: AdministratorRole?

    public init(_ account: ID<Account>, in project: ID<Project>, to role: AdministratorRole?) {
        self.account = account
        self.project = project
        self.role = role
    }
}

/// Who changes a role.
public struct AdministratorGranter: Hashable, Sendable {
    /// The account of the person; `nil` for a service key and for the command line.
    public let account: ID<Account>?
    /// The scopes in the project of the change.
    public let scopes: ServiceKeyScopes

    public init(account: ID<Account>?, scopes: ServiceKeyScopes) {
        self.account = account
        self.scopes = scopes
    }

    public static let commandLine = AdministratorGranter(account: nil, scopes: .all)
}

extension AdministratorChange {
    /// Decides whether the change is permitted.
    ///
    /// - Parameters:
    ///   - current: the role that the person has in the project now.
    ///   - owners: the owners of all projects.
    public func requirePermitted(
        by granter: AdministratorGranter, current: AdministratorRole?, owners: Owners, operators: ID<Project>
    ) throws(AdministratorRefusal) {
        guard granter.account != account else { throw .ownRole }
        for role in [current, role].compactMap(\.self) where !granter.scopes.include(role.scopes) {
            throw .exceedsOwnScopes(role)
        }
        if project == operators, current == .owner, role != .owner { try owners.requireRemaining(without: [account]) }
    }
}

/// The owners of all projects whose accounts are enabled.
public struct Owners: Hashable, Sendable {
    private let accounts: Set<ID<Account>>

    public init(_ accounts: Set<ID<Account>>) {
        self.accounts = accounts
    }

    /// Requires that an owner is left after the given accounts are deleted or disabled, or lose the role. Without an
    /// owner before, there is nothing to protect.
    public func requireRemaining(without removed: Set<ID<Account>>) throws(AdministratorRefusal) {
        guard accounts.isEmpty || !accounts.isSubset(of: removed) else { throw .lastOwner }
    }
}

/// Why an administrator was not invited or changed.
public enum AdministratorRefusal: Refusal, Hashable {
    /// The gateway has no operators' project.
    case noConsole
    /// An administrator cannot change their own role.
    case ownRole
    /// The caller lacks scopes that the role has.
    case exceedsOwnScopes(AdministratorRole)
    /// All projects need an owner whose account is enabled.
    case lastOwner
    /// The person would have neither an authenticator app nor a passkey that the console accepts.
    case lastFactor
    /// The change would leave a person with a role without a verified address.
    case unprovenAddress
    /// The person has no role in the project.
    case unknownAdministrator
    /// The person has a role in the project already.
    case alreadyAdministrator
    case tooManyAdministrators
}

extension AdministratorRefusal {
    public var code: ErrorCode {
        switch self {
        case .noConsole, .lastOwner, .lastFactor, .unprovenAddress, .alreadyAdministrator, .tooManyAdministrators:
            .operationNotAllowed
        case .ownRole, .exceedsOwnScopes: .permissionDenied
        case .unknownAdministrator: .userNotFound
        }
    }

    public var detail: String? {
        switch self {
        case .noConsole: "The gateway has no console: SEKISHO_CONSOLE_PROJECT is not set."
        case .ownRole: "An administrator cannot change their own role."
        case .exceedsOwnScopes(let role): "The caller lacks scopes of the role \(role.rawValue)."
        case .lastOwner: "The last owner of all projects keeps the role and the account. Invite another owner first."
        case .lastFactor:
            "A person with a role in the console keeps a passkey or an authenticator app. Add another one first."
        case .unprovenAddress:
            "A person with a role in the console needs a verified address. Set emailVerified together with a new address."
        case .alreadyAdministrator: "The person has a role in this project. Change the role instead."
        case .tooManyAdministrators: "A project has at most \(Administrators.limit) administrators."
        case .unknownAdministrator: nil
        }
    }
}
