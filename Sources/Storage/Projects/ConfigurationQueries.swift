internal import FoundationEssentials
internal import Identity
internal import Postgres

extension SQL {
    /// The columns of a ``Realm``. Requires the table expression ``realmsWithProjects``.
    static let realmColumns: SQL = """
        p.id, p.number, p.profile, p.policy::text AS policy, p.authorized_domains, p.event_kinds,
            p.blocking_functions::text AS blocking_functions,
            p.email_settings::text AS email_settings, p.passkey_settings::text AS passkey_settings,
            p.sms_settings::text AS sms_settings, p.brand::text AS brand, p.texts::text AS texts,
            p.sms_secret IS NOT NULL AS has_sms_secret,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', i.provider, 'hasSecret', i.secret IS NOT NULL,
                    'settings', i.settings) ORDER BY i.provider), '[]')::text
                FROM identity_provider i WHERE i.realm_id = r.id) AS providers,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'name', a.name, 'settings', a.settings)
                    ORDER BY a.created_at, a.id), '[]')::text
                FROM app a WHERE a.project_id = p.id) AS apps,
            r.id AS realm, r.tenant_settings::text AS tenant_settings,
            EXISTS (SELECT FROM realm t WHERE t.parent_id = p.id AND t.deleted_at IS NULL) AS has_tenants
        """

    /// A table expression for realms (projects and tenants): `r` is the row of the realm, and `p` is the row of its
    /// project. For a project, both are the same row.
    static let realmsWithProjects: SQL = "realm r JOIN realm p ON p.id = coalesce(r.parent_id, r.id)"

    /// Selects the tenants that have a provider or another sign-in method. Apple's App Review guideline 4.8 concerns
    /// the sign-in methods that an app offers, so no app can violate it in the other tenants.
    static func tenantsWithSignInMethods(of project: ID<Project>) -> SQL {
        """
        SELECT \(realmColumns) FROM \(realmsWithProjects)
        WHERE r.parent_id = \(project.rawValue) AND r.deleted_at IS NULL
            AND (EXISTS (SELECT FROM identity_provider i WHERE i.realm_id = r.id)
                OR r.tenant_settings->>'allowsPasswords' = 'true' OR r.tenant_settings->>'allowsEmailLinks' = 'true'
                OR r.tenant_settings->>'allowsAnonymous' = 'true')
        ORDER BY r.id
        """
    }

    static func realms(_ ids: [ID<Realm>]) -> SQL {
        """
        SELECT \(realmColumns) FROM \(realmsWithProjects)
        WHERE r.deleted_at IS NULL AND r.id = ANY (\(ids.map(\.rawValue)))
        """
    }

    /// Selects the apps of a project, in the order of creation.
    static func apps(of project: ID<Project>) -> SQL {
        """
        SELECT id, name, settings::text AS settings FROM app WHERE project_id = \(project.rawValue)
        ORDER BY created_at, id
        """
    }

    /// Selects the apps that have associated domains, in the order of creation in each project.
    static let associatedApps: SQL = """
        SELECT a.project_id, a.id, a.settings::text AS settings, i.settings #>> '{apple,teamId}' AS team_id
        FROM app a LEFT JOIN identity_provider i ON i.realm_id = a.project_id AND i.provider = 'apple.com'
        WHERE jsonb_array_length(coalesce(a.settings -> 'associatedDomains', '[]')) > 0
        ORDER BY a.project_id, a.created_at, a.id
        """

    /// Selects the RP IDs of the projects that have passkeys.
    static let relyingParties: SQL = """
        SELECT passkey_settings::text AS passkey_settings FROM realm
        WHERE passkey_settings ->> 'rpId' IS NOT NULL AND deleted_at IS NULL
        """

    /// Inserts or replaces the settings of a provider.
    static func set(_ settings: ProviderSettings, of realm: ID<Realm>, at now: Instant) throws -> SQL {
        let column = try ProviderColumn(settings).columnText()
        return """
            INSERT INTO identity_provider (realm_id, provider, settings, updated_at)
            VALUES (\(realm.rawValue), \(settings.provider.rawValue), \(column)::text::jsonb, \(Timestamp(now)))
            ON CONFLICT (realm_id, provider) DO UPDATE
                SET settings = excluded.settings, updated_at = excluded.updated_at
            """
    }

    /// - Parameter sealed: the encrypted secret; `nil` deletes the stored one.
    static func storeSecret(_ sealed: [UInt8]?, of provider: ProviderID, in realm: ID<Realm>, at now: Instant) -> SQL {
        """
        UPDATE identity_provider SET secret = \(sealed), updated_at = \(Timestamp(now))
        WHERE realm_id = \(realm.rawValue) AND provider = \(provider.rawValue)
        """
    }

    static func remove(_ provider: ProviderID, of realm: ID<Realm>) -> SQL {
        """
        DELETE FROM identity_provider
        WHERE realm_id = \(realm.rawValue) AND provider = \(provider.rawValue)
        """
    }

    /// Inserts or replaces an app.
    static func set(_ configured: ConfiguredApp, of project: ID<Project>, at now: Instant) throws -> SQL {
        let column = try AppColumn(configured.app).columnText()
        return """
            INSERT INTO app (project_id, id, name, settings, created_at)
            VALUES (\(project.rawValue), \(configured.app.id.rawValue), \(configured.name), \(column)::text::jsonb,
                \(Timestamp(now)))
            ON CONFLICT (project_id, id) DO UPDATE SET name = excluded.name, settings = excluded.settings
            """
    }

    static func remove(_ app: ID<App>, of project: ID<Project>) -> SQL {
        "DELETE FROM app WHERE project_id = \(project.rawValue) AND id = \(app.rawValue)"
    }
}

extension ConfiguredApp {
    /// - Parameter row: a row with the columns `id`, `name` and `settings` of the table `app`.
    init(_ row: Row) throws {
        let column = try AppColumn(columnText: row.decode("settings"))
        self.init(app: column.app(ID(try row.decode("id"))), name: try row.decode("name"))
    }
}
