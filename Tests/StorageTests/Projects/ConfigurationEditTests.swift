import Identity
import Postgres
import Providers
import Storage
import Support
import Testing

/// Edits of a project and of its tenants. A tenant has the apps of its project.
@Suite("Edits of a configuration that violate App Review guideline 4.8, or repair a violation", .serialized)
struct ConfigurationEditTests {
    typealias Fixture = ConfigurationStoreTests.Fixture

    static let corp = ProviderID("oidc.corp")

    /// Creates a tenant with Apple as its only provider, or without providers.
    private static func createTenant(in fixture: Fixture, hasApple: Bool = true) async throws -> Tenant {
        let tenant = Tenant(id: ID("t"), parent: fixture.id, settings: TenantSettings())
        try await PostgresTenantStore(pool: fixture.database.pool, supporting: .live)
            .create(tenant, by: .system, at: fixture.start)
        guard hasApple else { return tenant }
        _ = try await fixture.store.edit(tenant.realm, by: .system, allowing: .changeTrust) {
            $0.set(ConfigurationStoreTests.apple)
            $0.set(Secret("p8"), of: .apple)
        }
        return tenant
    }

    private static func isCompliant(_ fixture: Fixture, in realm: ID<Realm>) async throws -> Bool {
        let read = try #require(try await fixture.store.configuration(of: realm))
        return read.apps.allSatisfy { LoginServices(of: $0.app, in: read.realm).isCompliant }
    }

    /// Runs two edits at the same time, and returns whether each was accepted. Until both have started, each waits for
    /// the lock on `audit_event` or for the other edit.
    private static func simultaneously(
        _ fixture: Fixture, _ first: @escaping @Sendable () async throws -> Void,
        _ second: @escaping @Sendable () async throws -> Void
    ) async throws -> [Bool] {
        let edits = try await fixture.database.pool.transaction { transaction in
            _ = try await transaction.execute("LOCK TABLE audit_event IN SHARE ROW EXCLUSIVE MODE")
            let edits = [first, second].map { edit in
                Task {
                    do {
                        try await edit()
                        return true
                    } catch is ConfigurationRefusal {
                        return false
                    }
                }
            }
            try await fixture.database.waitForBlockedStatements(2)
            return edits
        }
        return try await edits.asyncMap { try await $0.value }
    }

    @Test("Concurrent edits of a tenant and its project are checked one after the other")
    func tenantAndProject() async throws {
        let fixture = try await Fixture()
        let tenant = try await Self.createTenant(in: fixture)
        let outcomes = try await Self.simultaneously(fixture) {
            _ = try await fixture.store.edit(tenant.realm, by: .system, allowing: .changeTrust) {
                $0.set(ConfigurationStoreTests.google)
            }
        } _: {
            _ = try await fixture.edit { $0.apps[0].app.settings.signInMethods = [.google, .password] }
        }
        #expect(outcomes.count { $0 } == 1, "the second edit would add a violation")
        #expect(try await Self.isCompliant(fixture, in: tenant.realm))
    }

    @Test(
        "Concurrent edits of a tenant's settings and of an app's exemption from the guideline are checked one after the other"
    )
    func settingsAndExemption() async throws {
        let fixture = try await Fixture()
        try await fixture.edit {
            $0.realm.policy.allowsPasswords = false
            $0.realm.policy.allowsAnonymous = false
            $0.realm.policy.allowsEmailLinks = false
        }
        let tenant = try await Self.createTenant(in: fixture, hasApple: false)
        let store = PostgresTenantStore(pool: fixture.database.pool, supporting: .live)
        let outcomes = try await Self.simultaneously(fixture) {
            _ = try await store.change(tenant.id, by: .system, at: fixture.start, in: fixture.id) {
                $0.allowsAnonymous = true
            }
        } _: {
            _ = try await fixture.edit {
                $0.apps[0].app.settings.exemption = LoginServicesExemption(
                    kind: .organisationAccounts, reason: "staff")
            }
        }
        #expect(outcomes.count { $0 } == 1, "the second edit would add a violation")
        #expect(try await Self.isCompliant(fixture, in: tenant.realm))
    }

    @Test("An edit may keep a violation, but must not add one for another provider")
    func stepByStep() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        // Without its private key, Apple cannot work. Google without Apple violates the guideline.
        _ = try await fixture.database.pool.execute("UPDATE identity_provider SET secret = NULL")
        let oldViolation = ConfigurationProblem.loginServices(.init(.appleCannotWork, .google), app: ID("default"))
        // A more severe violation, but for the same app and provider.
        let hidden = try await fixture.edit { $0.apps[0].app.settings.signInMethods = [.google] }
        #expect(
            hidden.after.warnings == [
                .loginServices(.init(.appleNotShown, .google), app: ID("default")), oldViolation,
            ])
        let added = LoginServicesViolation(.appleNotShown, Self.corp)
        await #expect(
            throws: ConfigurationRefusal(problems: [
                .loginServices(added, app: ID("default")),
                .loginServices(.init(.appleCannotWork, Self.corp), app: ID("default")),
            ])
        ) {
            try await fixture.edit {
                var corp = ConfigurationStoreTests.corp
                corp.isEnabled = true
                $0.set(corp)
                $0.apps[0].app.settings.signInMethods = [.google, Self.corp]
            }
        }
        #expect(try await fixture.edit { $0.apps[0].app.settings.signInMethods = nil }.after.warnings == [oldViolation])
        #expect(try await fixture.edit { $0.set(Secret("p8"), of: .apple) }.after.warnings == [])
    }

    @Test("An edit of a project must not add a violation in a tenant without providers")
    func tenantWithoutProviders() async throws {
        let fixture = try await Fixture()
        let tenant = try await Self.createTenant(in: fixture, hasApple: false)
        let store = PostgresTenantStore(pool: fixture.database.pool, supporting: .live)
        _ = try await store.change(tenant.id, by: .system, at: fixture.start, in: fixture.id) {
            $0.allowsPasswords = true
        }
        let exemption = LoginServicesExemption(kind: .organisationAccounts, reason: "staff")
        let problem = ConfigurationProblem.loginServices(
            .init(.exemptionContradicted, .password), app: ID("default"), tenant: tenant.id)
        await #expect(throws: ConfigurationRefusal(problems: [problem])) {
            try await fixture.edit {
                $0.realm.policy.allowsPasswords = false
                $0.realm.policy.allowsAnonymous = false
                $0.realm.policy.allowsEmailLinks = false
                $0.apps[0].app.settings.exemption = exemption
            }
        }
    }

    @Test("The rule about Apple cannot be extended to every platform if an app would violate it in a tenant")
    func policyInTenant() async throws {
        let fixture = try await Fixture()
        let tenant = try await Self.createTenant(in: fixture, hasApple: false)
        try await fixture.edit {
            $0.realm.policy.requiresAppleOnEveryPlatform = false
            $0.apps[0].app.settings.platform = .web
        }
        _ = try await fixture.store.edit(tenant.realm, by: .system, allowing: .changeTrust) {
            $0.set(ConfigurationStoreTests.google)
        }
        let problem = ConfigurationProblem.loginServices(
            .init(.appleNotEnabled, .google, isDueToPolicy: true), app: ID("default"), tenant: tenant.id)
        await #expect(throws: ConfigurationRefusal(problems: [problem])) {
            try await fixture.edit { $0.realm.policy.requiresAppleOnEveryPlatform = true }
        }
        #expect(try await Self.isCompliant(fixture, in: tenant.realm))
    }

    @Test("A stored violation is tolerated for 90 days, but only once")
    func grace() async throws {
        let fixture = try await Fixture()
        let grace = GracePeriodStore(pool: fixture.database.pool, supporting: .live)
        #expect(try await grace.update(at: fixture.start).isEmpty)
        try await fixture.enableAppleAndGoogle()
        // Without its private key, Apple cannot work. Google without Apple violates the guideline.
        _ = try await fixture.database.pool.execute("UPDATE identity_provider SET secret = NULL")
        let end = fixture.start + .seconds(90 * 86_400)
        let violation = GracePeriodStore.Violation(project: fixture.id, app: ID("default"), graceEndsAt: end)
        #expect(try await grace.update(at: fixture.start) == [violation])
        #expect(try await grace.update(at: end + .seconds(1)) == [violation], "there is no second period")
        func app() async throws -> App { try #require(try await fixture.projects.apps(of: fixture.id).first).app }
        #expect(try await app().withoutEndedGracePeriod(at: fixture.start).graceEndsAt == end)
        #expect(try await app().withoutEndedGracePeriod(at: end).graceEndsAt == nil)
        try await fixture.edit { $0.name = "Other" }
        #expect(try await app().graceEndsAt == end, "an edit does not end the grace period")
        try await fixture.edit { $0.set(Secret("p8"), of: .apple) }
        #expect(try await grace.update(at: fixture.start).isEmpty)
        #expect(try await app().graceEndsAt == nil)
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
