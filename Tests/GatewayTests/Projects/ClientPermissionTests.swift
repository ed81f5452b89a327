import HTTP
import Identity
import Postgres
import Providers
import Storage
import Testing

@testable import Support

@Suite("Settings that restrict clients, in a project and in a tenant")
struct ClientPermissionTests {
    /// A project or a tenant, and what a test does in it.
    struct Realm: Sendable {
        let fixture: TenantFixture
        /// `nil` for the project.
        let tenant: String?

        var gateway: TestGateway { fixture.gateway }
        private var path: String {
            tenant.map { "\(TenantFixture.tenantsPath)/\($0)" } ?? "/v2/projects/demo/config"
        }

        init(inTenant: Bool, _ profile: Policy.Profile = .firebase) async throws {
            fixture = try await TenantFixture(TestGateway(profile))
            tenant = inTenant ? try await fixture.makeTenant() : nil
            if let tenant {
                for provider in ["apple.com", "google.com"] {
                    #expect(try await fixture.enableProvider(provider, in: tenant).outcome == "200")
                }
            }
        }

        func configure(_ body: JSON, mask: String) async throws {
            let exchange = try await fixture.send(.patch, path, body, [("updateMask", mask)])
            #expect(exchange.outcome == "200")
        }

        func post(_ operation: String, _ body: [String: JSON] = [:]) async throws -> Exchange {
            try await fixture.callAsClient(operation, in: tenant, body)
        }

        /// The members that name the tenant in a request.
        var tenantMember: [String: JSON] { tenant.map { ["tenantId": .string($0)] } ?? [:] }

        func administer(_ operation: String, _ body: JSON) async throws -> Exchange {
            let realm = tenant.map { "/tenants/\($0)" } ?? ""
            return try await fixture.send(.post, "/v1/projects/demo\(realm)/accounts\(operation)", body)
        }

        func restrict(_ permission: String, _ isRestricted: Bool = true) async throws {
            let permissions: JSON = .object([permission: .bool(isRestricted)])
            try await configure(["client": ["permissions": permissions]], mask: "client.permissions.\(permission)")
        }
    }

    @Test(
        "With `disabledUserSignup`, clients create no account in any way; users sign in, and backends create accounts",
        arguments: [false, true])
    func signUp(inTenant: Bool) async throws {
        let realm = try await Realm(inTenant: inTenant)
        let gateway = realm.gateway
        let guest = try await gateway.signUpAnonymously(realm.tenantMember)
        let apple = try gateway.appleCredential()
        #expect(try await gateway.signIn(apple, realm.tenantMember).status == 200)
        try await realm.restrict("disabledUserSignup")
        let ada: [String: JSON] = ["email": "carol@example.com", "password": "secret1"]
        let refused = "400 ADMIN_ONLY_OPERATION"
        #expect(try await realm.post("signUp", ada).outcome == refused)
        #expect(try await realm.post("signUp").outcome == refused)
        #expect(try await gateway.signIn(gateway.googleCredential(), realm.tenantMember).outcome == refused)
        let link = try await realm.post(
            "sendOobCode",
            ["requestType": "EMAIL_SIGNIN", "email": "new@example.com", "continueUrl": "http://localhost/"])
        #expect(link.status == 200)
        let code = try await gateway.latestCode(.signIn)
        #expect(try await gateway.signInWithEmailLink("new@example.com", code, realm.tenantMember).outcome == refused)
        // Nobody was created.
        let accounts = try await gateway.database.pool.query("SELECT id FROM account").count
        #expect(accounts == 2, "the guest and the user of Apple")

        #expect(try await gateway.signIn(try gateway.appleCredential(), realm.tenantMember).status == 200)
        #expect(try await realm.administer("", .object(ada)).outcome == "200")
        #expect(try await realm.post("signInWithPassword", ada).outcome == "200")
        let upgraded = try await realm.post(
            "signUp", ["idToken": .string(guest.idToken), "email": "guest@example.com", "password": "secret1"])
        #expect(upgraded.outcome == "200", "the account of the guest exists already")
        let token = try realm.fixture.serviceKey.customToken(uid: "bob", at: gateway.clock.now) {
            if let tenant = realm.tenant { $0["tenant_id"] = .string(tenant) }
        }
        #expect(try await realm.post("signInWithCustomToken", ["token": .string(token)]).outcome == "200")
    }

    @Test(
        "With `disabledUserDeletion`, clients neither delete nor merge accounts; backends delete them",
        arguments: [false, true])
    func deletion(inTenant: Bool) async throws {
        let realm = try await Realm(inTenant: inTenant)
        let gateway = realm.gateway
        let ada = try await realm.fixture.signUp(in: realm.tenant)
        let target = try await realm.fixture.signUp(in: realm.tenant, email: "bob@example.com")
        try await realm.restrict("disabledUserDeletion")
        let refused = "400 ADMIN_ONLY_OPERATION"
        let merge: [String: JSON] = [
            "idToken": .string(ada.idToken), "targetIdToken": .string(target.idToken), "dryRun": true,
        ]
        #expect(try await realm.post("delete", ["idToken": .string(ada.idToken)]).outcome == refused)
        #expect(try await realm.post("merge", merge).outcome == refused)
        try await realm.restrict("disabledUserDeletion", false)
        let preview = try await realm.post("merge", merge)
        #expect(preview.outcome == "200")
        try await realm.restrict("disabledUserDeletion")
        let commit = ["idToken": .string(ada.idToken), "mergeToken": preview.json["mergeToken"] ?? .null]
        #expect(try await realm.post("merge", commit).outcome == refused)
        #expect(try await gateway.lookup(ada.idToken).status == 200)
        #expect(try await realm.administer(":delete", ["localId": .string(ada.localId)]).outcome == "200")
    }

    @Test("A tenant's own setting replaces that of the project, in both directions, until it is removed")
    func precedence() async throws {
        let realm = try await Realm(inTenant: true)
        let project = Realm(of: realm)
        try await project.restrict("disabledUserSignup")
        #expect(try await realm.post("signUp").outcome == "400 ADMIN_ONLY_OPERATION", "as in the project")
        try await realm.restrict("disabledUserSignup", false)
        #expect(try await realm.post("signUp").outcome == "200")
        #expect(try await project.post("signUp").outcome == "400 ADMIN_ONLY_OPERATION")
        try await realm.configure([:], mask: "client")
        #expect(try await realm.post("signUp").outcome == "400 ADMIN_ONLY_OPERATION")
    }

    static func strength(_ options: JSON, state: String = "ENFORCE", atSignIn: Bool = false) -> JSON {
        [
            "passwordPolicyConfig": [
                "passwordPolicyEnforcementState": .string(state), "forceUpgradeOnSignin": .bool(atSignIn),
                "passwordPolicyVersions": [["customStrengthOptions": options]],
            ]
        ]
    }

    @Test("Password rules apply in their realm only", arguments: [false, true])
    func passwordRules(inTenant: Bool) async throws {
        let realm = try await Realm(inTenant: inTenant)
        let other = inTenant ? Realm(of: realm) : nil
        try await realm.configure(
            Self.strength(["minPasswordLength": 8, "containsNumericCharacter": true]), mask: "passwordPolicyConfig")
        let weak: [String: JSON] = ["email": "ada@example.com", "password": "correct horse"]
        #expect(
            try await realm.post("signUp", weak).outcome
                == "400 PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain a numeric character]"
        )
        if let other { #expect(try await other.post("signUp", weak).outcome == "200") }
        let policy = try await realm.gateway.send(
            .get, "/v2/passwordPolicy", body: [],
            query: [("key", TestGateway.apiKey)] + (realm.tenant.map { [("tenantId", $0)] } ?? []))
        #expect(policy.json["customStrengthOptions"]?["containsNumericCharacter"] == true)
        #expect(policy.json["enforcementState"] == "ENFORCE")
    }

    @Test("Password rules that are off leave a minimum length of 6", arguments: [false, true], Policy.Profile.allCases)
    func rulesOff(inTenant: Bool, profile: Policy.Profile) async throws {
        let realm = try await Realm(inTenant: inTenant, profile)
        try await realm.configure(
            Self.strength(["minPasswordLength": 12, "containsNumericCharacter": true], state: "OFF", atSignIn: true),
            mask: "passwordPolicyConfig")
        #expect(
            try await realm.post("signUp", ["email": "ada@example.com", "password": "short"]).outcome
                == "400 WEAK_PASSWORD : Password should be at least 6 characters")
        let ada: [String: JSON] = ["email": "ada@example.com", "password": "passwo"]
        #expect(try await realm.post("signUp", ada).outcome == "200")
        #expect(try await realm.post("signInWithPassword", ada).outcome == "200")
        let policy = try await realm.gateway.send(
            .get, "/v2/passwordPolicy", body: [],
            query: [("key", TestGateway.apiKey)] + (realm.tenant.map { [("tenantId", $0)] } ?? []))
        #expect(policy.json["enforcementState"] == "OFF")
        #expect(policy.json["forceUpgradeOnSignin"] == false)
        #expect(
            policy.json["customStrengthOptions"] == ["minPasswordLength": 6, "maxPasswordLength": 4096],
            "what clients check before they send a password")
    }

    @Test(
        "With `forceUpgradeOnSignin`, a correct password that breaks the rules opens no session",
        arguments: [false, true])
    func upgrade(inTenant: Bool) async throws {
        let realm = try await Realm(inTenant: inTenant)
        let pool = realm.gateway.database.pool
        let ada = try await realm.fixture.signUp(in: realm.tenant)
        let strict: JSON = ["minPasswordLength": 8, "containsNumericCharacter": true]
        try await realm.configure(Self.strength(strict), mask: "passwordPolicyConfig")
        #expect(try await realm.fixture.signIn(in: realm.tenant).outcome == "200", "the rules are for new passwords")
        try await realm.configure(Self.strength(strict, atSignIn: true), mask: "passwordPolicyConfig")
        let sessions = try await pool.query("SELECT FROM session").count
        let weak =
            "400 PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at least 8 characters]"
        #expect(try await realm.fixture.signIn(in: realm.tenant).outcome == weak)
        #expect(
            try await realm.fixture.signIn(in: realm.tenant, password: "wrong").outcome == "400 INVALID_PASSWORD",
            "only the correct password reveals the rule")
        for (isDisabled, outcome) in [(true, "400 USER_DISABLED"), (false, weak)] {
            _ = try await realm.administer(
                ":update", ["localId": .string(ada.localId), "disableUser": .bool(isDisabled)])
            #expect(try await realm.fixture.signIn(in: realm.tenant).outcome == outcome)
        }
        #expect(try await pool.query("SELECT FROM session").count == sessions)
        let changed = try await realm.administer(
            ":update", ["localId": .string(ada.localId), "password": "secret12"])
        #expect(changed.outcome == "200")
        #expect(try await realm.fixture.signIn(in: realm.tenant, password: "secret12").outcome == "200")
    }

    @Test("Email enumeration protection of a tenant does not depend on the project", arguments: [false, true])
    func enumeration(isOn: Bool) async throws {
        let realm = try await Realm(inTenant: true)
        let project = Realm(of: realm)
        for (target, value) in [(realm, isOn), (project, !isOn)] {
            try await target.configure(
                ["emailPrivacyConfig": ["enableImprovedEmailPrivacy": .bool(value)]], mask: "emailPrivacyConfig")
        }
        let outcomes = ["400 EMAIL_NOT_FOUND", "400 INVALID_LOGIN_CREDENTIALS"]
        #expect(try await realm.fixture.signIn(in: realm.tenant).outcome == outcomes[isOn ? 1 : 0])
        #expect(try await project.fixture.signIn(in: nil).outcome == outcomes[isOn ? 0 : 1])
    }

    @Test(
        "With `autodeleteAnonymousUsers`, guests unused for 30 days are deleted, and no other account",
        arguments: [false, true])
    func guests(inTenant: Bool) async throws {
        let realm = try await Realm(inTenant: inTenant)
        let (gateway, janitor) = (realm.gateway, Janitor(pool: realm.gateway.database.pool))
        _ = try await gateway.signUpAnonymously(realm.tenantMember)
        _ = try await realm.fixture.signUp(in: realm.tenant)
        let active = try await gateway.signUpAnonymously(realm.tenantMember)
        gateway.clock.advance(by: .seconds(31 * 86_400))
        #expect(try await gateway.refresh(active.refreshToken).status == 200)
        #expect(try await janitor.remove(.account, at: gateway.clock.now) == 0)
        try await realm.configure(["autodeleteAnonymousUsers": true], mask: "autodeleteAnonymousUsers")
        #expect(try await janitor.remove(.account, at: gateway.clock.now) == 1)
        gateway.clock.advance(by: .seconds(31 * 86_400))
        try await realm.configure(["autodeleteAnonymousUsers": false], mask: "autodeleteAnonymousUsers")
        #expect(try await janitor.remove(.account, at: gateway.clock.now) == 0)
    }

    @Test("To delete guests needs the scope `users.write`; to keep a setting does not", arguments: [false, true])
    func guestsScope(inTenant: Bool) async throws {
        let realm = try await Realm(inTenant: inTenant)
        let key = try await ServiceKey(id: "config", in: realm.gateway, scopes: ServiceKeyScopes([.config]))
        let path = realm.tenant.map { "\(TenantFixture.tenantsPath)/\($0)" } ?? ProjectConfigTests.path
        func turn(_ isOn: Bool) async throws -> Int {
            try await realm.gateway.send(
                .patch, path, ["autodeleteAnonymousUsers": .bool(isOn)], by: key,
                query: [("updateMask", "autodeleteAnonymousUsers")]
            ).status
        }
        #expect(try await turn(true) == 403)
        #expect(try await turn(false) == 200)
        try await realm.configure(["autodeleteAnonymousUsers": true], mask: "autodeleteAnonymousUsers")
        #expect(try await turn(true) == 200)
    }

    @Test("`passwordRequired` allows or rejects email links, and disabled email sign-in rejects both")
    func emailLinks() async throws {
        let realm = try await Realm(inTenant: false)
        for (email, accepted) in [
            (["enabled": true, "passwordRequired": true], "password"),
            (["enabled": true, "passwordRequired": false], "password link"),
            (["enabled": false, "passwordRequired": false], ""), (["enabled": true], "password"),
            (["passwordRequired": false], "password link"), (["enabled": false], ""),
        ] as [(JSON, String)] {
            try await realm.configure(["signIn": ["email": email]], mask: "signIn.email")
            let methods = try await realm.gateway.send(
                .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey)])
            let listed = methods.json["methods"]?.elements.map { $0["providerId"] } ?? []
            let password = listed.contains("password") ? ["password"] : []
            let link = methods.json["emailLink"] == true ? ["link"] : []
            #expect((password + link).joined(separator: " ") == accepted, "\(email)")
        }
    }

    @Test("A project with email links and without passwords stays as it is when its configuration is written back")
    func linksOnly() async throws {
        let gateway = try await TestGateway { $0.allowsPasswords = false }
        let key = try await ServiceKey(in: gateway)
        let config = try await gateway.send(.get, ProjectConfigTests.path, by: key).json
        #expect(config["signIn"]?["email"] == ["enabled": true, "passwordRequired": false])
        for mask in [nil, "signIn", "signIn.email.enabled"] {
            #expect(try await gateway.configure(config, mask: mask, by: key).json == config)
            let stored = try #require(
                try await ProjectStore(pool: gateway.database.pool, supporting: .live).realm(ofProject: ID("demo")))
            #expect(!stored.policy.allowsPasswords && stored.policy.allowsEmailLinks)
        }
    }
}

extension ClientPermissionTests.Realm {
    /// The project of a tenant.
    init(of tenant: Self) {
        fixture = tenant.fixture
        self.tenant = nil
    }
}
