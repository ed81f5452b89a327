import HTTP
import Identity
import Providers
import Storage
import Testing

@testable import Support

@Suite("A project's configuration", .serialized)
struct ProjectConfigTests {
    static let path = "/v2/projects/demo/config"

    @Test("The configuration is returned only for a service key of the project")
    func shown() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let config = try await gateway.send(.get, Self.path, by: backend)
        #expect(
            config.json == [
                "name": .string("projects/\(gateway.realm.project.number)/config"),
                "signIn": [
                    "email": ["enabled": true, "passwordRequired": false], "anonymous": ["enabled": true],
                    "phoneNumber": ["enabled": false], "allowDuplicateEmails": false,
                ],
                "client": ["permissions": ["disabledUserSignup": false, "disabledUserDeletion": false]],
                "autodeleteAnonymousUsers": false,
                "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
                "passwordPolicyConfig": [
                    "passwordPolicyEnforcementState": "ENFORCE", "forceUpgradeOnSignin": false,
                    "passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 6]]],
                ],
                "loginServicesConfig": ["requiresAppleOnEveryPlatform": true],
                "authorizedDomains": ["localhost"],
                "notification": ["sendEmail": ["method": "DEFAULT"], "defaultLocale": "en"],
                "mfa": ["state": "DISABLED", "enabledProviders": []],
                "passkeys": [
                    "enabled": true, "rpId": "example.com", "origins": [], "relatedOrigins": [], "topOrigins": [],
                ],
                "recaptchaConfig": ["emailPasswordEnforcementState": "OFF", "phoneEnforcementState": "OFF"],
                "multiTenant": ["allowTenants": true], "smsRegionConfig": [:],
                "sms": [
                    "format": "webhook", "isSecretStored": false, "allowedCallingCodes": [], "budgetPerDay": 100,
                ], "blockingFunctions": [:], "brand": [:], "texts": [],
            ])
        #expect(try await gateway.send(.get, "/v2/projects/other/config", by: backend).status == 403)
        #expect(try await gateway.getWithoutAPIKey(Self.path).status == 403)
        let client = try await gateway.send(.get, Self.path, body: [], query: [("key", TestGateway.apiKey)])
        #expect(client.outcome.hasPrefix("400 INSUFFICIENT_PERMISSION"))
    }

    /// Values that differ from the stored ones.
    static let allMembersChanged: JSON = [
        "signIn": ["email": ["enabled": false], "anonymous": ["enabled": false], "allowDuplicateEmails": true],
        "emailPrivacyConfig": ["enableImprovedEmailPrivacy": true],
        "passwordPolicyConfig": ["passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": 12]]]],
        "loginServicesConfig": ["requiresAppleOnEveryPlatform": false],
        "authorizedDomains": ["App.Example.com"],
    ]

    @Test(
        "A change applies only to the members that the mask names, or to all members if the mask is empty",
        // A mask, and short names of the members that change.
        arguments: [
            ("signIn.email.enabled", "passwords"),
            ("signIn.anonymous.enabled", "anonymous"),
            ("signIn.allowDuplicateEmails", "duplicates"),
            ("signIn", "passwords anonymous duplicates"),
            ("signIn.email,signIn.anonymous", "passwords anonymous"),
            ("emailPrivacyConfig.enableImprovedEmailPrivacy", "enumeration"),
            ("emailPrivacyConfig,authorizedDomains", "enumeration domains"),
            ("passwordPolicyConfig", "length"),
            ("passwordPolicyConfig.passwordPolicyVersions", "length"),
            ("passwordPolicyConfig.passwordPolicyVersions.customStrengthOptions", ""),
            ("authorizedDomains.first", ""),
            ("signIn.phoneNumber.enabled,mfa,nonsense,,.", ""),
            ("sign,signIn.emai", ""),
            ("sign_in.email.enabled,authorized_domains", "passwords domains"),
            ("loginServicesConfig", "platforms"),
            ("loginServicesConfig.requiresAppleOnEveryPlatform", "platforms"),
            ("", "passwords anonymous duplicates enumeration length platforms domains"),
        ])
    func mask(mask: String, changed: String) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let answer = try await gateway.configure(Self.allMembersChanged, mask: mask, by: backend)
        #expect(answer.outcome == "200")
        let realm = try #require(
            try await ProjectStore(pool: gateway.database.pool, supporting: .live).realm(
                ofProject: gateway.realm.project.id))
        let changes = [
            ("passwords", !realm.policy.allowsPasswords), ("anonymous", !realm.policy.allowsAnonymous),
            ("duplicates", realm.policy.allowsDuplicateEmails),
            ("enumeration", realm.policy.emailEnumerationProtection),
            ("length", realm.policy.minimumPasswordLength == 12),
            ("platforms", !realm.policy.requiresAppleOnEveryPlatform),
            ("domains", realm.project.authorizedDomains == ["app.example.com"]),
        ]
        #expect(changes.filter(\.1).map(\.0).joined(separator: " ") == changed)
        #expect(try await gateway.send(.get, Self.path, by: backend).json == answer.json)
    }

    @Test("The password rules are replaced as a whole")
    func passwordRules() async throws {
        let gateway = try await TestGateway(.firebase) { $0.requiresSymbol = true }
        let backend = try await ServiceKey(in: gateway)
        func options(_ options: JSON) -> JSON {
            ["passwordPolicyConfig": ["passwordPolicyVersions": [["customStrengthOptions": options]]]]
        }
        let mask = "passwordPolicyConfig.passwordPolicyVersions"
        let answer = try await gateway.configure(
            options([
                "minPasswordLength": 9, "maxPasswordLength": 4096, "containsLowercaseCharacter": true,
                "containsUppercaseCharacter": true, "containsNumericCharacter": false,
            ]), mask: mask, by: backend)
        let shown: JSON = [
            "minPasswordLength": 9, "containsLowercaseCharacter": true, "containsUppercaseCharacter": true,
        ]
        #expect(
            answer.json["passwordPolicyConfig"]?["passwordPolicyVersions"]?[0]?["customStrengthOptions"] == shown)
        let weak = try await gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "correct horse"])
        #expect(weak.outcome.contains("[Password must contain an upper case character]"))
        let reset = try await gateway.configure([:], by: backend)
        #expect(
            reset.json["passwordPolicyConfig"]?["passwordPolicyVersions"]?[0]?["customStrengthOptions"]
                == ["minPasswordLength": 6])
    }

    @Test("Members that the body omits are kept with a mask, and reset without a mask")
    func omittedMembers() async throws {
        let gateway = try await TestGateway(.firebase) {
            $0.allowsAnonymous = false
            $0.emailEnumerationProtection = false
            $0.recentLoginMaxAge = .seconds(60)
            $0.requiresAppleOnEveryPlatform = false
        }
        let backend = try await ServiceKey(in: gateway)
        let kept = try await gateway.configure(
            [:], mask: "signIn.anonymous.enabled,emailPrivacyConfig", by: backend)
        #expect(kept.json["signIn"]?["anonymous"]?["enabled"] == false)
        #expect(kept.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false)
        let reset = try await gateway.configure([:], by: backend)
        #expect(reset.json["signIn"]?["anonymous"]?["enabled"] == true)
        #expect(reset.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
        #expect(reset.json["authorizedDomains"] == ["localhost"])
        #expect(reset.json["loginServicesConfig"] == ["requiresAppleOnEveryPlatform": false])
        let realm = try #require(
            try await ProjectStore(pool: gateway.database.pool, supporting: .live).realm(
                ofProject: gateway.realm.project.id))
        #expect(realm.policy.recentLoginMaxAge == .seconds(60), "the maximum login age is not part of this resource")
    }

    @Test("A mask in snake_case does not reset other members")
    func snakeCase() async throws {
        let gateway = try await TestGateway(.firebase) { $0.allowsAnonymous = false }
        let backend = try await ServiceKey(in: gateway)
        let answer = try await gateway.send(
            .patch, Self.path, ["authorizedDomains": ["a.example"]], by: backend,
            query: [("update_mask", "authorized_domains")])
        #expect(answer.json["authorizedDomains"] == ["a.example"])
        #expect(answer.json["signIn"]?["anonymous"]?["enabled"] == false)
    }

    @Test("A change takes effect on the next request")
    func nextRequest() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        #expect(try await gateway.post("/v1/accounts:signUp").status == 200)
        _ = try await gateway.configure(
            ["signIn": ["anonymous": ["enabled": false]], "authorizedDomains": ["a.example"]],
            mask: "signIn.anonymous,authorizedDomains", by: backend)
        #expect(try await gateway.post("/v1/accounts:signUp").outcome == "400 ADMIN_ONLY_OPERATION")
        let project = try await gateway.send(.get, "/v1/projects", body: [], query: [("key", TestGateway.apiKey)])
        #expect(project.json["authorizedDomains"] == ["a.example"])
    }

    static let minimumLengthPath =
        "/passwordPolicyConfig/passwordPolicyVersions/0/customStrengthOptions/minPasswordLength"

    @Test(
        "An invalid change of the configuration changes nothing",
        arguments: [
            (minimumLength(5), "400 Invalid JSON payload received. \(minimumLengthPath) must be 6 to 64"),
            (minimumLength(65), "400 Invalid JSON payload received. \(minimumLengthPath) must be 6 to 64"),
            (
                ["passwordPolicyConfig": ["passwordPolicyVersions": [[:], [:]]]],
                "400 Invalid JSON payload received. /passwordPolicyConfig/passwordPolicyVersions must not have more than 1 item"
            ),
            (
                ["authorizedDomains": ["a.example", "https://b.example"]],
                "400 Invalid JSON payload received. /authorizedDomains/1 must be a host name, without scheme, port or path"
            ),
            (
                ["authorizedDomains": "a.example"],
                "400 Invalid JSON payload received. /authorizedDomains must be an array"
            ),
            (
                ["signIn": ["email": ["enabled": "yes"]]],
                "400 Invalid JSON payload received. /signIn/email/enabled must be a boolean"
            ),
            (
                ["passwordPolicyConfig": ["passwordPolicyEnforcementState": "MAYBE"]],
                "400 Invalid JSON payload received. /passwordPolicyConfig/passwordPolicyEnforcementState must be equal to one of the allowed values: PASSWORD_POLICY_ENFORCEMENT_STATE_UNSPECIFIED, OFF, ENFORCE"
            ),
            (
                [
                    "passwordPolicyConfig": [
                        "passwordPolicyVersions": [["customStrengthOptions": ["maxPasswordLength": 30]]]
                    ]
                ],
                "501 OPERATION_NOT_ALLOWED : passwordPolicyConfig.passwordPolicyVersions.customStrengthOptions.maxPasswordLength is not implemented."
            ),
        ] as [([String: JSON], String)])
    func refusals(body: [String: JSON], expected: String) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let body = body.merging(["emailPrivacyConfig": ["enableImprovedEmailPrivacy": true]]) { $1 }
        #expect(try await gateway.configure(.object(body), by: backend).outcome == expected)
        let config = try await gateway.send(.get, Self.path, by: backend)
        #expect(config.json["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false)
    }

    @Test("A configuration can be written back unchanged")
    func roundTrip() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let current = try await gateway.send(.get, Self.path, by: backend)
        let writtenBack = try await gateway.configure(current.json, by: backend)
        #expect(writtenBack.outcome == "200")
        #expect(writtenBack.json == current.json)
    }

    static func minimumLength(_ count: Int) -> [String: JSON] {
        [
            "passwordPolicyConfig": [
                "passwordPolicyVersions": [["customStrengthOptions": ["minPasswordLength": .number(Double(count))]]]
            ]
        ]
    }
}

extension TestGateway {
    /// Changes the configuration of the project `demo`.
    ///
    /// - Parameter mask: the `updateMask` (default: none, so every member is replaced).
    func configure(_ body: JSON, mask: String? = nil, by key: ServiceKey) async throws -> Exchange {
        try await send(
            .patch, ProjectConfigTests.path, body, by: key, query: mask.map { [("updateMask", $0)] } ?? [])
    }
}
