import Identity
import Postgres
import Storage
import Support
import Testing

@Suite("Deletion of tenants by the janitor")
struct JanitorTenantTests {
    /// - Parameter age: the time since the deletion; `nil` if the tenant was not deleted.
    private func insertTenant(_ id: String, deleted age: Duration?, in fixture: JanitorFixture) async throws {
        let end = age.map { Timestamp(microsecondsSinceEpoch: (JanitorFixture.now - $0).microseconds) }
        try await fixture.run(
            """
            INSERT INTO realm (id, parent_id, tenant_settings, name, profile, created_at, deleted_at)
            VALUES (\("demo/" + id), 'demo', '{}', '', 'sekisho', now(), \(end))
            """)
    }

    private func insertAuditEvent(in realm: String, of fixture: JanitorFixture) async throws {
        try await fixture.run(
            """
            INSERT INTO audit_event (id, realm_id, actor, action, subject, occurred_at)
            VALUES (gen_random_uuid(), \(realm), 'system', 'account.deleted', 'ada', now())
            """)
    }

    @Test("The accounts of a deleted tenant are deleted even if tenants that were deleted earlier have audit events")
    func everyTenant() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject()
        for (number, name) in ["first", "second", "third"].enumerated() {
            try await insertTenant(name, deleted: .seconds(3000 - number), in: fixture)
            try await fixture.insertAccount("ada", in: "demo/" + name)
            try await insertAuditEvent(in: "demo/" + name, of: fixture)
        }
        // The maximum number of deleted projects and tenants in a pass is one.
        var limits = Janitor.PassLimits()
        limits.realms = 1
        let janitor = Janitor(pool: try fixture.pool, limits: limits)
        for _ in 0..<3 { _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now) }
        #expect(try await fixture.names("SELECT realm_id AS name FROM account") == [])
        #expect(
            try await fixture.names("SELECT id AS name FROM realm").count == 4,
            "tenants with audit events are kept")
    }

    @Test("The secrets of a deleted tenant are deleted even if its audit events are kept")
    func secrets() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject()
        for (name, age) in [("deleted", Duration.seconds(3000)), ("active", nil)] {
            try await insertTenant(name, deleted: age, in: fixture)
            try await insertAuditEvent(in: "demo/" + name, of: fixture)
            try await fixture.run(
                """
                INSERT INTO identity_provider (realm_id, provider, settings, secret, updated_at)
                VALUES (\("demo/" + name), 'apple.com', '{}', 'sealed', now())
                """)
            try await fixture.run(
                """
                INSERT INTO password_key (realm_id, id, key, created_at)
                VALUES (\("demo/" + name), \(name), 'sealed', now())
                """)
        }
        _ = try await Janitor(pool: fixture.pool).remove(.deletedRealm, at: JanitorFixture.now)
        #expect(try await fixture.names("SELECT realm_id AS name FROM identity_provider") == ["demo/active"])
        #expect(try await fixture.names("SELECT realm_id AS name FROM password_key") == ["demo/active"])
        #expect(try await fixture.names("SELECT id AS name FROM realm") == ["demo", "demo/active", "demo/deleted"])
    }

    @Test("The row of a deleted tenant is deleted even if an earlier tenant still has a token to revoke")
    func waitingForApple() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject()
        for (number, name) in ["first", "second"].enumerated() {
            try await insertTenant(name, deleted: .seconds(3000 - number), in: fixture)
            try await fixture.run(
                """
                INSERT INTO identity_provider (realm_id, provider, settings, secret, updated_at)
                VALUES (\("demo/" + name), 'apple.com', '{}', 'sealed', now())
                """)
        }
        try await fixture.run(
            """
            INSERT INTO apple_grant (id, realm_id, client_id, state, token_type, token, created_at, due_at)
            VALUES (gen_random_uuid(), 'demo/first', 'app', 'REVOKING', 'REFRESH_TOKEN', 'sealed', now(), now())
            """)
        // The maximum number of deleted projects and tenants in a pass is one.
        var limits = Janitor.PassLimits()
        limits.realms = 1
        let janitor = Janitor(pool: try fixture.pool, limits: limits)
        _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now)
        #expect(try await fixture.names("SELECT id AS name FROM realm") == ["demo", "demo/first"])
        try await fixture.run("DELETE FROM apple_grant")
        _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now)
        #expect(try await fixture.names("SELECT id AS name FROM realm") == ["demo"])
    }

    @Test("The row of a deleted project is deleted after the rows of its tenants")
    func projectWithTenant() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject()
        try await insertTenant("acme", deleted: .seconds(3000), in: fixture)
        let end = Timestamp(microsecondsSinceEpoch: (JanitorFixture.now - .seconds(3000)).microseconds)
        try await fixture.run("UPDATE realm SET deleted_at = \(end) WHERE id = 'demo'")
        for realm in ["demo", "demo/acme"] { try await fixture.insertAccount("ada", in: realm) }
        try await insertAuditEvent(in: "demo/acme", of: fixture)
        let janitor = Janitor(pool: try fixture.pool)
        for _ in 0..<2 { _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now) }
        #expect(try await fixture.names("SELECT realm_id AS name FROM account") == [])
        #expect(
            try await fixture.names("SELECT id AS name FROM realm") == ["demo", "demo/acme"],
            "the audit events of the tenant are kept, and expire by the policy in the row of the project")
        try await fixture.run("DELETE FROM audit_event")
        for _ in 0..<2 { _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now) }
        #expect(try await fixture.names("SELECT id AS name FROM realm") == [])
    }

    /// Every gateway learns of a deletion within seconds. Accounts that are created until then are deleted with the
    /// tenant.
    @Test("The row of a deleted tenant is kept for five minutes, and then deleted")
    func late() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject()
        try await insertTenant("new", deleted: .seconds(300), in: fixture)
        try await insertTenant("old", deleted: .seconds(301), in: fixture)
        _ = try await Janitor(pool: fixture.pool).remove(.deletedRealm, at: JanitorFixture.now)
        #expect(try await fixture.names("SELECT id AS name FROM realm") == ["demo", "demo/new"])
    }

    @Test("The events of a deleted project are deleted in batches before its row")
    func events() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject()
        let end = Timestamp(microsecondsSinceEpoch: (JanitorFixture.now - .seconds(3000)).microseconds)
        for project in ["demo", "other"] {
            try await fixture.run(
                """
                INSERT INTO account_event (project_id, sequence, id, realm_id, kind, account_id, actor, data, created_at)
                SELECT \(project), n, gen_random_uuid(), \(project), 'account.created', 'ada', 'user', '{}', now()
                FROM generate_series(1, 5) n
                """)
        }
        var limits = Janitor.PassLimits()
        (limits.batchSize, limits.batches) = (2, 2)
        let janitor = Janitor(pool: try fixture.pool, limits: limits)
        _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now)
        #expect(try await fixture.names("SELECT project_id AS name FROM account_event").count == 10)
        try await fixture.run("UPDATE realm SET deleted_at = \(end) WHERE id = 'demo'")
        _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now)
        #expect(try await fixture.names("SELECT id AS name FROM realm") == ["demo"], "one event is left")
        _ = try await janitor.remove(.deletedRealm, at: JanitorFixture.now)
        #expect(try await fixture.names("SELECT DISTINCT project_id AS name FROM account_event") == ["other"])
        #expect(try await fixture.names("SELECT id AS name FROM realm") == [])
    }
}
