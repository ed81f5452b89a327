public import Identity
public import Postgres

/// Reads and changes the whole configuration of a project or a tenant at once.
public struct ConfigurationStore: Sendable {
    /// The result of a configuration change.
    public struct Edit: Sendable {
        public let before: ProjectConfiguration
        /// The configuration after the change. ``ProjectConfiguration/newSecrets`` excludes secrets that equal the
        /// stored ones. ``ProjectConfiguration/warnings`` are the problems that existed before the change and remain.
        public let after: ProjectConfiguration
        /// By provider, the number of identities that the change unlinks because the provider's issuer changes.
        public let discardedIdentities: [ProviderID: Int]
    }

    private let pool: Pool
    private let rules: ConfigurationRules
    private let secrets: SecretEncryption
    private let clock: WallClock

    public init(pool: Pool, rules: ConfigurationRules, secrets: SecretEncryption, clock: WallClock) {
        self.pool = pool
        self.rules = rules
        self.secrets = secrets
        self.clock = clock
    }

    public func configuration(of id: ID<Realm>) async throws -> ProjectConfiguration? {
        try await withStoreErrors {
            try await pool.transaction(isolation: .repeatableRead) { try await read(id, in: $0) }
        }
    }

    /// Changes the configuration of a project or a tenant; see ``ProjectEditor/edit``.
    ///
    /// - Parameters:
    ///   - permissions: what the change may do. `changeTrust` is required to change whose tokens are accepted, or where
    ///     codes are sent. `discardIdentities` is required to unlink identities.
    ///   - isDryRun: whether to check the change without storing it.
    /// - Returns: `nil` if the project or tenant does not exist.
    public func edit(
        _ id: ID<Realm>, by actor: AuditActor, allowing permissions: EditPermissions, isDryRun: Bool = false,
        _ change: @escaping ProjectEditor.Change
    ) async throws -> Edit? {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.lockConfiguration(of: id.project),
                    let before = try await read(id, in: transaction)
                else { return nil }
                var after = before
                try change(&after)
                after.removeSecretsOfFormerServers(since: before)
                after.completePasskeySettings(ownHost: rules.ownHost)
                after.declareExemptions(since: before, by: actor, at: clock.now())
                try await discardNewSecretsEqualToStored(&after, in: transaction)
                guard permissions.contains(.changeTrust) || !after.changesTrust(since: before) else {
                    throw ConfigurationEditRefusal.trustRequired
                }
                try await requireRPIDChange(from: before, to: after, in: transaction)
                let tenants = try await tenants(of: before, after, in: transaction)
                let problems = (after.problems(by: rules) + after.problems(in: tenants))
                    .split(since: before.problems(by: rules) + before.problems(in: tenants), by: rules)
                guard problems.added.isEmpty else { throw ConfigurationRefusal(problems: problems.added) }
                after.warnings = problems.kept
                let issuers = after.issuerChanges(since: before)
                let discarded = try await transaction.conflictingIdentities(of: issuers, in: id)
                if let (provider, count) = discarded.min(by: { $0.key.rawValue < $1.key.rawValue }),
                    !permissions.contains(.discardIdentities)
                {
                    throw ConfigurationEditRefusal.issuerInUse(provider, identities: count)
                }
                if !isDryRun {
                    try await transaction.requireImages(of: after, since: before)
                    try await transaction.apply(
                        issuers, recording: after.realm.recording(by: actor), at: clock.now(), in: id)
                    try await store(after, insteadOf: before, by: actor, in: transaction)
                }
                return Edit(before: before, after: after, discardedIdentities: discarded)
            }
        }
    }

    private func read(_ id: ID<Realm>, in transaction: Transaction) async throws -> ProjectConfiguration? {
        let rows = try await transaction.query(
            """
            SELECT \(SQL.realmColumns), p.name FROM \(SQL.realmsWithProjects)
            WHERE r.id = \(id.rawValue) AND r.deleted_at IS NULL
            """)
        guard let row = rows.first else { return nil }
        let realm = try Realm(row, supporting: rules.supportedProviders)
        let apps = try await transaction.query(.apps(of: realm.project.id))
        return ProjectConfiguration(
            realm: realm, name: try row.decode("name"), apps: try apps.map(ConfiguredApp.init))
    }

    /// Passkeys work only under the RP ID for which they were created, and clients of two projects with the same RP ID
    /// would use and remove each other's passkeys.
    ///
    /// - Throws: ``ConfigurationEditRefusal`` if the project has passkeys of the RP ID that it would lose, or if
    ///   another project, also one that is being deleted, has the new RP ID or passkeys of it. The index
    ///   `realm_rp_id_key` decides between concurrent edits.
    private func requireRPIDChange(
        from before: ProjectConfiguration, to after: ProjectConfiguration, in transaction: Transaction
    ) async throws {
        let project = after.realm.project
        let former = before.realm.project.passkeys.rpID
        guard project.passkeys.rpID != former else { return }
        if let former, try await transaction.hasRow(.passkeys(of: project.id, rpID: former)) {
            throw ConfigurationEditRefusal.rpIDHasPasskeys(former)
        }
        guard let rpID = project.passkeys.rpID, rpID != "localhost" else { return }
        let isTaken = try await transaction.hasRow(
            """
            SELECT FROM realm WHERE passkey_settings ->> 'rpId' = \(rpID) AND id <> \(project.id.rawValue) LIMIT 1
            """)
        guard !isTaken else { throw ConfigurationEditRefusal.rpIDInUse(rpID) }
        guard try await !transaction.hasRow(.passkeys(ofOthersThan: project.id, rpID: rpID)) else {
            throw ConfigurationEditRefusal.rpIDOfForeignPasskeys(rpID)
        }
    }

    /// Returns the tenants in which a change of the project's apps, or of the platforms to which guideline 4.8 applies,
    /// can cause a problem: tenants share both.
    private func tenants(
        of before: ProjectConfiguration, _ after: ProjectConfiguration, in transaction: Transaction
    ) async throws -> [Realm] {
        let requiresApple = \ProjectConfiguration.realm.policy.requiresAppleOnEveryPlatform
        guard before.realm.tenant == nil, before.realm.project.hasTenants,
            after.apps != before.apps || after[keyPath: requiresApple] != before[keyPath: requiresApple]
        else { return [] }
        return try await transaction.query(.tenantsWithSignInMethods(of: before.realm.project.id))
            .map { try Realm($0, supporting: rules.supportedProviders) }
    }

    /// Removes from the configuration the new secrets that equal the stored ones.
    private func discardNewSecretsEqualToStored(
        _ configuration: inout ProjectConfiguration, in transaction: Transaction
    ) async throws {
        let realm = configuration.realm.id
        if let secret = configuration.newSMSSecret {
            let row = try await transaction.query(
                "SELECT sms_secret FROM realm WHERE id = \(realm.project.rawValue)"
            ).first
            let stored = try row?.decode("sms_secret", as: [UInt8]?.self)
            let isUnchanged = stored.map { secrets.matchesSMS($0, secret, realm.project) } ?? secret.isEmpty
            if isUnchanged { configuration.discardNewSMSSecret() }
        }
        guard !configuration.newSecrets.isEmpty else { return }
        let rows = try await transaction.query(
            "SELECT provider, secret FROM identity_provider WHERE realm_id = \(realm.rawValue) AND secret IS NOT NULL"
        )
        let stored = try Dictionary(
            uniqueKeysWithValues: rows.map {
                (ProviderID(try $0.decode("provider")), try $0.decode("secret", as: [UInt8].self))
            })
        for (provider, secret) in configuration.newSecrets {
            // An empty secret removes the stored one, and so changes nothing if there is none.
            let isUnchanged = stored[provider].map { secrets.matches($0, secret, provider, realm) } ?? secret.isEmpty
            if isUnchanged { configuration.discardNewSecret(of: provider) }
        }
    }

    private func store(
        _ after: ProjectConfiguration, insteadOf before: ProjectConfiguration, by actor: AuditActor,
        in transaction: Transaction
    ) async throws {
        let now = clock.now()
        let id = after.realm.id
        for statement in try statements(from: before, to: after, at: now) {
            _ = try await transaction.execute(statement)
        }
        if after.imageIDs != before.imageIDs {
            _ = try await transaction.execute(.deleteUnusedImages(of: after.realm.project.id, at: now))
        }
        for (provider, secret) in after.newSecrets {
            let sealed = secret.isEmpty ? nil : try secrets.seal(secret, provider, id)
            _ = try await transaction.execute(.storeSecret(sealed, of: provider, in: id, at: now))
        }
        if let secret = after.newSMSSecret {
            let sealed = secret.isEmpty ? nil : try secrets.sealSMS(secret, id.project)
            _ = try await transaction.execute(
                "UPDATE realm SET sms_secret = \(sealed) WHERE id = \(id.project.rawValue)")
        }
        try await transaction.audit(after.events(since: before), by: actor, at: now, in: id)
    }

    /// The statements that store a changed configuration, except secrets. In a tenant, only providers can change here.
    private func statements(
        from before: ProjectConfiguration, to after: ProjectConfiguration, at now: Instant
    ) throws -> [SQL] {
        let realm = after.realm
        let policy = try PolicyColumn.json(realm.policy, of: realm.project.profile)
        let emailSettings = try EmailSettingsColumn(realm.project.emailSettings).columnText()
        let passkeys = try PasskeyColumn(realm.project.passkeys).columnText()
        let smsSettings = try SMSSettingsColumn(realm.project.sms).columnText()
        let functions = realm.project.blockingFunctions
        let hooks = functions.isEmpty ? nil : try BlockingFunctionsColumn(functions).columnText()
        let brand = try BrandColumn(realm.project.brand).columnText()
        let texts = try CustomTextsColumn(realm.project.texts).columnText()
        var statements: [SQL] = []
        if realm.tenant == nil, realm != before.realm || after.name != before.name {
            statements.append(
                """
                UPDATE realm SET name = \(after.name), profile = \(realm.project.profile.rawValue),
                    policy = \(policy)::text::jsonb, authorized_domains = \(realm.project.authorizedDomains),
                    email_settings = \(emailSettings)::text::jsonb, passkey_settings = \(passkeys)::text::jsonb,
                    sms_settings = \(smsSettings)::text::jsonb, blocking_functions = \(hooks)::text::jsonb,
                    brand = \(brand)::text::jsonb, texts = \(texts)::text::jsonb
                WHERE id = \(realm.id.rawValue)
                """)
        }
        for provider in before.realm.providers where realm.settings(of: provider.provider) == nil {
            statements.append(.remove(provider.provider, of: realm.id))
        }
        for provider in realm.providers where before.realm.settings(of: provider.provider) != provider {
            statements.append(try .set(provider, of: realm.id, at: now))
        }
        // Apps belong to the project, so an edit of a tenant does not change them.
        guard realm.tenant == nil else { return statements }
        for configured in before.apps where after.app(configured.app.id) == nil {
            statements.append(.remove(configured.app.id, of: realm.project.id))
        }
        for configured in after.apps where before.app(configured.app.id) != configured {
            statements.append(try .set(configured, of: realm.project.id, at: now))
        }
        return statements
    }
}

extension SQL {
    /// Selects a row if the project or one of its tenants has passkeys of the RP ID.
    fileprivate static func passkeys(of project: ID<Project>, rpID: String) -> SQL {
        """
        SELECT FROM passkey WHERE rp_id = \(rpID) AND \(projectOfRow) = \(project.rawValue) LIMIT 1
        """
    }

    /// Selects a row if another project or its tenants have passkeys of the RP ID.
    fileprivate static func passkeys(ofOthersThan project: ID<Project>, rpID: String) -> SQL {
        """
        SELECT FROM passkey WHERE rp_id = \(rpID) AND \(projectOfRow) <> \(project.rawValue) LIMIT 1
        """
    }
}

extension Transaction {
    fileprivate func hasRow(_ statement: SQL) async throws -> Bool { try await !query(statement).isEmpty }

    /// Locks the row of a project, so that edits of the project and of its tenants run one after the other: an edit of
    /// a project can cause a problem in a tenant, and vice versa. Changes of accounts do not need this lock.
    ///
    /// The lock is a separate statement, so that the next statement sees what the transaction with the previous lock
    /// has committed.
    ///
    /// - Returns: `false` if the project does not exist, or is being deleted.
    func lockConfiguration(of project: ID<Project>) async throws -> Bool {
        let statement: SQL = """
            SELECT p.id FROM realm p WHERE p.id = \(project.rawValue) AND p.deleted_at IS NULL FOR NO KEY UPDATE
            """
        return try await hasRow(statement)
    }
}

extension ProjectConfiguration {
    /// The problems that the apps of this configuration have in `tenants`.
    fileprivate func problems(in tenants: [Realm]) -> [ConfigurationProblem] {
        tenants.flatMap { tenant in
            // The stored tenant has the stored policy of the project.
            var tenant = tenant
            tenant.policy.requiresAppleOnEveryPlatform = realm.policy.requiresAppleOnEveryPlatform
            return tenant.loginServicesProblems(of: apps)
        }
    }
}
