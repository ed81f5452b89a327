import Encoding
import Identity
import Postgres
import Providers
import Storage
import Support
import Testing

@Suite("The stored configuration of projects", .serialized)
struct ConfigurationStoreTests {
    /// Does not encrypt: prefixes each secret with its realm and provider.
    static let encryption = SecretEncryption { secret, provider, realm in
        Array("\(realm)/\(provider.rawValue)/\(secret.expose())".utf8)
    } matches: { sealed, secret, provider, realm in
        sealed == Array("\(realm)/\(provider.rawValue)/\(secret.expose())".utf8)
    } sealSMS: { secret, project in
        Array("\(project)/\(secret.expose())".utf8)
    } matchesSMS: { sealed, secret, project in
        sealed == Array("\(project)/\(secret.expose())".utf8)
    }

    struct Fixture: Sendable {
        let database: TestDatabase
        let store: ConfigurationStore
        let projects: ProjectStore
        let id = ID<Project>("demo")
        let start = Instant(seconds: 1_800_000_000)

        init() async throws {
            database = try TestDatabase()
            store = ConfigurationStore(
                pool: database.pool,
                rules: ConfigurationRules(
                    supportedProviders: .live, acceptsSecret: { secret, _ in secret.expose() != "bad" }),
                secrets: encryption, clock: .fixed(at: start))
            projects = ProjectStore(pool: database.pool, supporting: .live)
            let realm = Realm(
                Project(id: id, number: 1, profile: .sekisho, authorizedDomains: ["localhost"], supporting: .live),
                policy: Policy(.sekisho))
            #expect(
                try await projects.create(
                    realm, name: "Demo", app: App(id: ID("default")), keys: [], by: .commandLine, at: start))
        }

        /// Edits the project as a service key that may do everything except discard identities.
        @discardableResult
        func edit(
            isDryRun: Bool = false, _ change: @escaping ProjectEditor.Change
        ) async throws -> ConfigurationStore.Edit {
            try #require(
                try await store.edit(ID(id), by: .serviceKey("k"), allowing: .changeTrust, isDryRun: isDryRun, change))
        }

        func enableAppleAndGoogle() async throws {
            try await edit {
                $0.set(apple)
                $0.set(Secret("p8"), of: .apple)
                $0.set(google)
            }
        }

        /// Actor, action and subject of each audit event after the creation of the project, sorted.
        func auditLines() async throws -> [String] {
            try await database.pool.query(
                "SELECT actor || ' ' || action || ' ' || subject AS line FROM audit_event WHERE action <> 'project.added'"
            ).map { try $0.decode("line", as: String.self) }.sorted()
        }
    }

    static let apple = ProviderSettings(
        provider: .apple, isEnabled: true, clientIDs: ["com.example.app"], hasSecret: false,
        apple: AppleSettings(teamID: "TEAM123456", keyID: "KEY1234567", acceptsUnhashedNonces: true))
    static let google = ProviderSettings(provider: .google, isEnabled: true, clientIDs: ["a", "b"])
    static let corp = ProviderSettings(
        provider: ProviderID("oidc.corp"), isEnabled: false, clientIDs: ["c"],
        openID: OpenIDSettings(issuer: "https://id.example.com", displayName: "Corp", trustsEmail: true),
        statedRelation: .organisation,
        relationReason: "accounts of our employees")

    static let ios = ConfiguredApp(
        app: App(
            id: ID("ios"),
            settings: AppSettings(
                platform: .ios, distribution: .appStore, bundleIDs: ["com.example.app"],
                signInMethods: [.google], clientIDs: ["google.com": ["ios"]],
                exemption: LoginServicesExemption(
                    kind: .thirdPartyClient, reason: "because",
                    declaration: .init(actor: "key:k", declaredAt: Instant(seconds: 1_800_000_000))))),
        name: "The app")

    @Test("A configuration is read as it was stored, whether by project or by API key")
    func roundTrip() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        let edit = try await fixture.edit {
            $0.set(Self.corp)
            $0.set(Self.ios)
            $0.name = "Other"
            $0.realm.policy.allowsAnonymous = false
            $0.realm.project.authorizedDomains = ["a.example"]
        }
        var apple = Self.apple
        apple.hasSecret = true
        let read = try #require(try await fixture.store.configuration(of: ID(fixture.id)))
        var expected = edit.after.realm
        expected.project.appNames = [ID("default"): "default", Self.ios.app.id: Self.ios.name]
        #expect(read.realm == expected)
        #expect(read.realm.providers == [apple, Self.google, Self.corp])
        #expect(read.apps == [ConfiguredApp(app: App(id: ID("default")), name: "default"), Self.ios])
        #expect(read.name == "Other")
        #expect(read.realm.project.authorizedDomains == ["a.example"])
        #expect(try await fixture.projects.realm(ofProject: fixture.id) == read.realm)
        #expect(try await fixture.projects.apps(of: fixture.id) == read.apps)
        let keys = APIKeyStore(pool: fixture.database.pool)
        let hash = [UInt8](repeating: 1, count: 32)
        #expect(try await keys.create(id: "k", hash: hash, for: Self.ios.app.id, in: fixture.id, at: fixture.start))
        let found = try #require(try await keys.realmAndApp(ofKeyWithHash: hash, supporting: .live))
        #expect(found.realm == read.realm)
        #expect(found.app == Self.ios.app)
    }

    @Test("A project can be created together with its providers and secrets")
    func creation() async throws {
        let fixture = try await Fixture()
        var apple = Self.apple
        apple.hasSecret = true
        let realm = Realm(
            Project(id: ID("new"), number: 2, profile: .firebase, authorizedDomains: [], supporting: .live),
            policy: Policy(.firebase), providers: [apple, Self.google])
        let isCreated = try await fixture.projects.create(
            realm, name: "New", app: Self.ios.app, keys: [], secrets: [.apple: [1, 2]], by: .commandLine,
            at: fixture.start)
        #expect(isCreated)
        var expected = realm
        expected.project.apps = [Self.ios.app]
        expected.project.appNames = [Self.ios.app.id: Self.ios.app.id.rawValue]
        #expect(try await fixture.projects.realm(ofProject: ID("new")) == expected)
        let secrets = ProviderSecretStore(pool: fixture.database.pool)
        #expect(try await secrets.secret(of: .apple, in: ID("new")) == [1, 2])
        #expect(try await secrets.secret(of: .google, in: ID("new")) == nil)
    }

    @Test("An edit can remove apps, and providers with their secrets")
    func removal() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        try await fixture.edit { $0.set(Self.ios) }
        try await fixture.edit {
            $0.remove(.google)
            $0.remove(.apple)
            $0.remove(ID<App>("ios"))
        }
        let read = try #require(try await fixture.store.configuration(of: ID(fixture.id)))
        #expect(read.realm.providers.isEmpty)
        #expect(read.apps.map(\.app.id.rawValue) == ["default"])
        #expect(try await ProviderSecretStore(pool: fixture.database.pool).all().isEmpty)
    }

    @Test("A change with several problems is rejected, the error has all of them, and nothing is stored")
    func refusal() async throws {
        let fixture = try await Fixture()
        let expected = ConfigurationRefusal(problems: [
            .noClientIDs(.google, app: nil), .secret(.google),
            .loginServices(.init(.appleNotEnabled, .google), app: ID("default")),
        ])
        await #expect(throws: expected) {
            try await fixture.edit {
                $0.name = "Other"
                $0.set(ProviderSettings(provider: .google, isEnabled: true, clientIDs: []))
                $0.set(Secret("bad"), of: .google)
            }
        }
        let read = try #require(try await fixture.store.configuration(of: ID(fixture.id)))
        #expect(read.name == "Demo")
        #expect(read.realm.providers.isEmpty)
        #expect(try await fixture.auditLines().isEmpty)
    }

    @Test("A change may keep an existing violation, but must not add one for another app")
    func oldProblems() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        // Without its private key, Apple cannot work. Google without Apple violates App Review guideline 4.8.
        _ = try await fixture.database.pool.execute("UPDATE identity_provider SET secret = NULL")
        let warned = ConfigurationProblem.loginServices(.init(.appleCannotWork, .google), app: ID("default"))
        #expect(try await fixture.edit { $0.name = "Other" }.after.warnings == [warned])
        await #expect(
            throws: ConfigurationRefusal(problems: [.loginServices(.init(.appleCannotWork, .google), app: ID("ios"))])
        ) {
            try await fixture.edit { configuration in
                var app = Self.ios
                app.app.settings.exemption = nil
                app.app.settings.signInMethods = nil
                configuration.set(app)
            }
        }
    }

    @Test("A dry run reports its changes and stores nothing")
    func dryRun() async throws {
        let fixture = try await Fixture()
        let edit = try await fixture.edit(isDryRun: true) {
            $0.set(Self.apple)
            $0.set(Secret("p8"), of: .apple)
        }
        // `enabled`, `clientIds`, `teamId`, `keyId`, `acceptsUnhashedNonces` and `privateKey`.
        #expect(edit.after.changes(since: edit.before).count == 6)
        #expect(try await fixture.store.configuration(of: ID(fixture.id))?.realm.providers == [])
        #expect(try await fixture.auditLines().isEmpty)
    }

    @Test("Secrets are stored encrypted, kept if an edit omits them, and removed by an empty secret")
    func secrets() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        let secrets = ProviderSecretStore(pool: fixture.database.pool)
        #expect(try await secrets.secret(of: .apple, in: ID(fixture.id)) == Array("demo/apple.com/p8".utf8))
        let again = try await fixture.edit { $0.set(Secret("p8"), of: .apple) }
        #expect(again.after.changes(since: again.before).isEmpty)
        let other = try await fixture.edit { $0.set(Secret("other"), of: .apple) }
        #expect(other.after.changes(since: other.before).map(\.path) == [["providers", "apple.com", "privateKey"]])
        #expect(try await secrets.all().map(\.sealed) == [Array("demo/apple.com/other".utf8)])
        // A change of the settings keeps the secret.
        try await fixture.edit { configuration in
            var apple = try #require(configuration.realm.settings(of: .apple))
            apple.clientIDs.append("com.example.web")
            configuration.set(apple)
        }
        #expect(try await secrets.all().count == 1)
        try await fixture.edit {
            $0.remove(.google)
            $0.set(Secret(""), of: .apple)
        }
        #expect(try await secrets.all().isEmpty)
        #expect(try await fixture.projects.realm(ofProject: fixture.id)?.settings(of: .apple)?.hasSecret == false)
    }

    @Test("A secret is re-encrypted unless it was changed in the meantime")
    func reseal() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        let secrets = ProviderSecretStore(pool: fixture.database.pool)
        let old = try #require(try await secrets.all().first)
        try await secrets.reseal(old, as: [1])
        try await secrets.reseal(old, as: [2])
        #expect(try await secrets.all().map(\.sealed) == [[1]])
    }

    @Test("Edits are audited, without secrets")
    func trail() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        try await fixture.edit { $0.set(Self.ios) }
        _ = try await fixture.store.edit(ID(fixture.id), by: .commandLine, allowing: []) {
            $0.apps[1].app.settings.exemption = nil
            $0.apps[1].app.settings.signInMethods = nil
        }
        #expect(
            try await fixture.auditLines() == [
                "cli app.changed ios", "cli exemption.withdrawn ios", "key:k app.added ios",
                "key:k exemption.declared ios", "key:k provider.added apple.com", "key:k provider.added google.com",
            ])
        let leaks = try await fixture.database.pool.query(
            "SELECT 1 AS one FROM audit_event WHERE detail::text LIKE '%p8%'")
        #expect(leaks.isEmpty)
    }

    @Test("Stored members that only a newer release knows are ignored")
    func newer() async throws {
        let fixture = try await Fixture()
        try await fixture.enableAppleAndGoogle()
        _ = try await fixture.database.pool.execute(
            "UPDATE identity_provider SET settings = settings || '{\"later\": [1]}'")
        _ = try await fixture.database.pool.execute("UPDATE app SET settings = '{\"later\": {\"a\": null}}'")
        let read = try #require(try await fixture.store.configuration(of: ID(fixture.id)))
        #expect(read.realm.settings(of: .google) == Self.google)
        #expect(read.apps[0].app.settings == AppSettings())
    }

    @Test("If one edit removes Apple while another enables Google, one of them is rejected", arguments: 0..<5)
    func race(_: Int) async throws {
        let fixture = try await Fixture()
        try await fixture.edit {
            $0.set(Self.apple)
            $0.set(Secret("p8"), of: .apple)
        }
        async let removal: ConfigurationStore.Edit? = try? fixture.edit { $0.remove(.apple) }
        async let addition: ConfigurationStore.Edit? = try? fixture.edit { $0.set(Self.google) }
        let outcomes = await [removal != nil, addition != nil]
        #expect(outcomes.filter { $0 }.count == 1)
        let read = try #require(try await fixture.store.configuration(of: ID(fixture.id)))
        #expect(read.apps.allSatisfy { LoginServices(of: $0.app, in: read.realm).isCompliant })
    }

    @Test("An unknown project has no configuration and cannot be edited")
    func unknownProject() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.store.configuration(of: ID("nobody"))?.name == nil)
        #expect(try await fixture.store.edit(ID("nobody"), by: .commandLine, allowing: []) { _ in }?.after.name == nil)
    }
}
