public import Identity
public import Postgres

/// Stores projects and their apps, and reads the realms of projects and tenants.
public struct ProjectStore: Sendable {
    let pool: Pool
    private let supportedProviders: SupportedProviders

    /// - Parameter supportedProviders: the providers of the projects that the store returns.
    public init(pool: Pool, supporting supportedProviders: SupportedProviders) {
        self.pool = pool
        self.supportedProviders = supportedProviders
    }

    /// - Returns: the realm of the project itself; `nil` if the project does not exist, or is being deleted.
    public func realm(ofProject id: ID<Project>) async throws -> Realm? {
        try await read(where: "\(Self.isProject) AND r.id = \(id.rawValue)").first
    }

    /// Returns the realms of all projects, without tenants and without projects that are being deleted, in the order of
    /// creation.
    public func projectRealms() async throws -> [Realm] {
        try await read(where: "\(Self.isProject) ORDER BY r.created_at, r.id")
    }

    private static let isProject: SQL = "r.parent_id IS NULL AND r.deleted_at IS NULL"

    /// Whether the project exists, or is being deleted.
    public func hasRow(of project: ID<Project>) async throws -> Bool {
        try await pool.isTrue("SELECT EXISTS (SELECT FROM realm WHERE id = \(project.rawValue)) AS answer")
    }

    /// Returns the tenants of a project that have a provider or another sign-in method.
    public func tenantsWithSignInMethods(of project: ID<Project>) async throws -> [Realm] {
        try await withStoreErrors { try await pool.query(.tenantsWithSignInMethods(of: project)) }
            .map { try Realm($0, supporting: supportedProviders) }
    }

    /// Returns all projects and tenants, including tenants that are being deleted.
    func realms() async throws -> [Realm] {
        try await read(where: "true")
    }

    /// Returns a project or a tenant; `nil` if there is none with this ID, or if the tenant is being deleted.
    public func realm(_ id: ID<Realm>) async throws -> Realm? {
        try await read(where: "r.deleted_at IS NULL AND r.id = \(id.rawValue)").first
    }

    /// Returns the realm of the only project; `nil` if there is no project, or more than one.
    public func realmOfSingleProject() async throws -> Realm? {
        let realms = try await read(where: "\(Self.isProject) LIMIT 2")
        return realms.count == 1 ? realms.first : nil
    }

    /// Creates a project with one app.
    ///
    /// - Parameters:
    ///   - realm: the realm of the project itself.
    ///   - keys: the project's signing keys.
    ///   - secrets: the encrypted secrets of the project's providers.
    /// - Returns: `false` if the ID is taken.
    public func create(
        _ realm: Realm, name: String, app: App, keys: [StoredKey], secrets: [ProviderID: [UInt8]] = [:],
        by actor: AuditActor, at now: Instant
    ) async throws -> Bool {
        let policy = try PolicyColumn.json(realm.policy, of: realm.project.profile)
        let emailSettings = try EmailSettingsColumn(realm.project.emailSettings).columnText()
        let passkeys = try PasskeyColumn(realm.project.passkeys).columnText()
        let smsSettings = try SMSSettingsColumn(realm.project.sms).columnText()
        return try await withStoreErrors {
            try await pool.transaction { transaction in
                let insertedRows = try await transaction.execute(
                    """
                    INSERT INTO realm
                        (id, number, name, profile, policy, authorized_domains, email_settings, passkey_settings,
                            sms_settings, created_at)
                    VALUES (\(realm.id.rawValue), \(realm.project.number), \(name), \(realm.project.profile.rawValue),
                        \(policy)::text::jsonb, \(realm.project.authorizedDomains), \(emailSettings)::text::jsonb,
                        \(passkeys)::text::jsonb, \(smsSettings)::text::jsonb, \(Timestamp(now)))
                    ON CONFLICT (id) DO NOTHING
                    """)
                guard insertedRows == 1 else { return false }
                let app = ConfiguredApp(app: app, name: app.id.rawValue)
                _ = try await transaction.execute(try .set(app, of: realm.project.id, at: now))
                for key in keys { _ = try await transaction.execute(.insert(key, in: realm.project.id)) }
                for provider in realm.providers {
                    _ = try await transaction.execute(try .set(provider, of: realm.id, at: now))
                }
                for (provider, sealed) in secrets {
                    _ = try await transaction.execute(.storeSecret(sealed, of: provider, in: realm.id, at: now))
                }
                try await transaction.audit(
                    [AuditNote("project.added", realm.id.rawValue)], by: actor, at: now, in: realm.id)
                return true
            }
        }
    }

    /// Whether a project has the RP ID, or passkeys of it.
    public func isRelyingParty(_ rpID: String) async throws -> Bool {
        try await pool.isTrue(
            """
            SELECT EXISTS (SELECT FROM realm WHERE passkey_settings ->> 'rpId' = \(rpID))
                OR EXISTS (SELECT FROM passkey WHERE rp_id = \(rpID)) AS answer
            """)
    }

    /// Marks a project and its tenants as deleted, and deletes the project's apps and keys, without which no caller can
    /// authenticate. The janitor later deletes the accounts and all other rows.
    ///
    /// - Returns: `false` if the project does not exist.
    public func delete(_ project: ID<Project>, by actor: AuditActor, at now: Instant) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.lockConfiguration(of: project) else { return false }
                _ = try await transaction.execute(
                    """
                    UPDATE realm SET deleted_at = \(Timestamp(now))
                    WHERE (id = \(project.rawValue) OR parent_id = \(project.rawValue)) AND deleted_at IS NULL
                    """)
                for table: SQL in ["app", "service_key", "signing_key"] {
                    _ = try await transaction.execute("DELETE FROM \(table) WHERE project_id = \(project.rawValue)")
                }
                try await transaction.audit(
                    [AuditNote("project.removed", project.rawValue)], by: actor, at: now, in: ID(project))
                return true
            }
        }
    }

    /// Returns the number of accounts of a project and of its tenants, even if the project is being deleted.
    public func remainingAccounts(of project: ID<Project>) async throws -> Int {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT count(*) AS count FROM realm r JOIN account a ON a.realm_id = r.id
                WHERE r.id = \(project.rawValue) OR r.parent_id = \(project.rawValue)
                """)
        }.first?.decode("count") ?? 0
    }

    public func apps(of project: ID<Project>) async throws -> [ConfiguredApp] {
        try await withStoreErrors { try await pool.query(.apps(of: project)) }.map(ConfiguredApp.init)
    }

    /// Returns the apps with associated domains in all projects.
    public func associatedApps() async throws -> [AssociatedApp] {
        try await withStoreErrors { try await pool.query(.associatedApps) }.map { row in
            AssociatedApp(
                try AppColumn(columnText: row.decode("settings")).app(ID(try row.decode("id"))).settings,
                of: ID(try row.decode("project_id")), projectTeamID: try row.decode("team_id"))
        }
    }

    /// Returns what the hosts of the RP IDs of all projects publish.
    public func relyingParties() async throws -> [PublishedRelyingParty] {
        try await withStoreErrors { try await pool.query(.relyingParties) }.compactMap { row in
            let settings = try PasskeyColumn(columnText: row.decode("passkey_settings")).settings
            guard settings.isEnabled, let rpID = settings.rpID else { return nil }
            return PublishedRelyingParty(rpID: rpID, relatedOrigins: settings.relatedOrigins)
        }
    }

    /// Whether any account of the realm has ever signed in with a custom token.
    public func usesCustomTokens(in realm: ID<Realm>) async throws -> Bool {
        try await pool.isTrue(
            """
            SELECT (SELECT true FROM account WHERE realm_id = \(realm.rawValue) AND custom_auth LIMIT 1) IS NOT NULL
                AS answer
            """)
    }

    /// - Parameter clauses: a condition on the row `r` of a realm, and clauses that may follow it.
    private func read(where clauses: SQL) async throws -> [Realm] {
        try await withStoreErrors {
            try await pool.query("SELECT \(SQL.realmColumns) FROM \(SQL.realmsWithProjects) WHERE \(clauses)")
        }.map { try Realm($0, supporting: supportedProviders) }
    }
}

/// The database contains a policy profile that this release does not know.
struct UnknownProfile: Error, CustomStringConvertible {
    let name: String
    let project: String

    var description: String { "table realm, row \(project): unknown profile \"\(name)\"" }
}

extension Realm {
    init(_ row: Row, supporting supportedProviders: SupportedProviders) throws {
        let name = try row.decode("profile", as: String.self)
        guard let profile = Policy.Profile(rawValue: name) else {
            throw UnknownProfile(name: name, project: try row.decode("id"))
        }
        var project = Project(
            id: ID(try row.decode("id")), number: try row.decode("number"), profile: profile,
            authorizedDomains: try row.decode("authorized_domains"),
            emailSettings: try EmailSettingsColumn(columnText: row.decode("email_settings")).settings,
            passkeys: try PasskeyColumn(columnText: row.decode("passkey_settings")).settings,
            supporting: supportedProviders)
        project.sms = try SMSSettingsColumn(columnText: row.decode("sms_settings"))
            .settings(hasSecret: row.decode("has_sms_secret"))
        project.brand = try BrandColumn(columnText: row.decode("brand")).brand
        project.texts = try CustomTextsColumn(columnText: row.decode("texts")).texts
        project.hasTenants = try row.decode("has_tenants")
        project.wantedEvents = try EventKindsColumn.kinds(row)
        if let column = try row.decode("blocking_functions", as: String?.self) {
            project.blockingFunctions = try BlockingFunctionsColumn(columnText: column).functions
        }
        let apps = try [AppRow](columnText: row.decode("apps"))
        project.apps = apps.map { $0.settings.app(ID($0.id)) }
        project.appNames = Dictionary(uniqueKeysWithValues: apps.map { (ID($0.id), $0.name) })
        self.init(
            project, policy: try PolicyColumn.policy(try row.decode("policy"), of: profile),
            providers: try [ProviderRow](columnText: row.decode("providers")).map(\.value))
        if try row.decode("tenant_settings", as: String?.self) != nil {
            self = Realm(try Tenant(row), of: self, providers: providers)
        }
    }
}

extension SQL {
    /// The ID of the project to which the realm of a row belongs. Rows of `outgoing_email` are indexed by it.
    static let projectOfRow: SQL = "split_part(realm_id, '/', 1)"
}
