import Crypto
import HTTP
import Identity
import Providers
import Storage
import Testing

@testable import API
@testable import DevMode
@testable import Gateway
@testable import Support

/// Goes over the whole tables of members, so that no setting can be accepted without an effect.
@Suite("Members of Firebase's configuration")
struct ConfigurationMemberTests {
    enum Resource: CaseIterable {
        case project, tenant, google, openID

        var path: String {
            switch self {
            case .project: "/v2/projects/demo/config"
            case .tenant: "/v2/projects/demo/tenants/"
            case .google: "/v2/projects/demo/defaultSupportedIdpConfigs/google.com"
            case .openID: "/v2/projects/demo/oauthIdpConfigs/oidc.corp"
            }
        }

        var members: [ConfigurationMember] {
            switch self {
            case .project: .ofProject
            case .tenant: .ofTenant
            case .google: .ofDefaultProvider
            case .openID: .ofOpenIDProvider
            }
        }
    }

    enum Mode: CaseIterable { case serve, dev }

    /// A gateway with all resources, and the path of `resource` on it.
    private static func gateway(
        _ profile: Policy.Profile, _ mode: Mode, for resource: Resource
    ) async throws -> (TestGateway, ServiceKey, path: String) {
        let gateway =
            switch mode {
            case .serve: try await TestGateway(profile)
            case .dev: try await TestGateway(profile, mode: .withProjectsOfDev)
            }
        let fixture = try await TenantFixture(gateway, secret: mode == .dev ? "owner" : nil)
        if resource == .openID {
            let created = try await gateway.send(
                .post, "/v2/projects/demo/oauthIdpConfigs", ["clientId": "corp", "issuer": "https://corp.example"],
                by: fixture.serviceKey, query: [("oauthIdpConfigId", "oidc.corp")])
            #expect(created.outcome == "200")
        }
        let tenant = resource == .tenant ? try await fixture.makeTenant() : ""
        return (gateway, fixture.serviceKey, resource.path + tenant)
    }

    /// The body that sets one member.
    private static func body(_ path: Substring, _ value: JSON) -> JSON {
        let names = path.split(separator: ".", maxSplits: 1)
        let inner = names.count == 1 ? value : body(names[1], value)
        return .object([String(names[0]): names[0] == "passwordPolicyVersions" ? .array([inner]) : inner])
    }

    private static func value(at path: String, in json: JSON) -> JSON? {
        path.split(separator: ".").reduce(json) { value, name in
            let member = value?[String(name)]
            return name == "passwordPolicyVersions" ? member?[0] : member
        }
    }

    private static func isCheckedByValue(_ member: ConfigurationMember) -> Bool {
        if case .accepted = member.treatment { true } else { false }
    }

    @Test(
        "A member that the gateway does not apply is rejected by its name; `sekisho dev` warns instead",
        arguments: Resource.allCases.flatMap { resource in Mode.allCases.map { (resource, $0) } },
        Policy.Profile.allCases)
    func unimplemented(of row: (resource: Resource, mode: Mode), profile: Policy.Profile) async throws {
        let (gateway, key, path) = try await Self.gateway(profile, row.mode, for: row.resource)
        let before = try await gateway.send(.get, path, by: key).json
        let members = row.resource.members.filter(Self.isCheckedByValue).map(\.path) + ["addedByALaterRelease.member"]
        for member in members {
            // The mask may name the member, a part of it, or its parent.
            for mask in ["\(member)", "\(member).part", String(member.prefix { $0 != "." })] {
                let exchange = try await gateway.send(
                    .patch, path, Self.body(member[...], "ENABLED"), by: key, query: [("updateMask", mask)])
                switch row.mode {
                case .serve: #expect(exchange.outcome == "501 OPERATION_NOT_ALLOWED : \(member) is not implemented.")
                case .dev:
                    #expect(exchange.outcome == "200")
                    #expect(
                        exchange.json["warnings"]?.elements.contains(
                            .string("\(member) is not implemented and has no effect.")) == true, "\(exchange.text)")
                }
            }
            let unmasked = try await gateway.send(
                .patch, path, Self.body(member[...], "ENABLED"), by: key, query: [("updateMask", "name")])
            #expect(unmasked.outcome == "200", "the mask excludes \(member)")
        }
        #expect(Self.unrelated(try await gateway.send(.get, path, by: key).json) == Self.unrelated(before))
    }

    /// The members without `passwordPolicyConfig`: a tenant gets its own when a request contains some part of it.
    private static func unrelated(_ json: JSON) -> JSON {
        guard case .object(var members) = json else { return json }
        members["passwordPolicyConfig"] = nil
        return .object(members)
    }

    @Test(
        "A creation with a member that the gateway does not apply is rejected, and creates nothing",
        arguments: [
            ("tenants", [], ["displayName": "Zen"]),
            ("defaultSupportedIdpConfigs", [("idpId", "google.com")], ["clientId": "demo"]),
            (
                "oauthIdpConfigs", [("oauthIdpConfigId", "oidc.corp")],
                ["clientId": "corp", "issuer": "https://corp.example"]
            ),
        ] as [(String, [(name: String, value: String)], [String: JSON])])
    func creation(collection: String, id: [(name: String, value: String)], body: [String: JSON]) async throws {
        let gateway = try await TestGateway()
        let key = try await ServiceKey(in: gateway)
        let path = "/v2/projects/demo/\(collection)"
        let before = try await gateway.send(.get, path, by: key).json
        let rejected = body.merging(["addedByALaterRelease": true]) { given, _ in given }
        #expect(
            try await gateway.send(.post, path, .object(rejected), by: key, query: id).outcome
                == "501 OPERATION_NOT_ALLOWED : addedByALaterRelease is not implemented.")
        #expect(try await gateway.send(.get, path, by: key).json == before)
    }

    @Test("A value that asks for what the gateway does anyway is accepted", arguments: Resource.allCases)
    func off(resource: Resource) async throws {
        let (gateway, key, path) = try await Self.gateway(.sekisho, .serve, for: resource)
        let before = try await gateway.send(.get, path, by: key).json
        for member in resource.members where Self.isCheckedByValue(member) {
            let values: [JSON] =
                switch member.path.split(separator: ".").last {
                case "allowTenants": [true]
                case "method": ["DEFAULT", 1]
                case "maxPasswordLength": [4096]
                case "senderLocalPart", "body": [""]
                case "token": [false]
                default: [[:], ["state": "DISABLED", "parameter": 5], ["enabled": false]]
                }
            for value in values + [.null] {
                let exchange = try await gateway.send(
                    .patch, path, Self.body(member.path[...], value), by: key, query: [("updateMask", member.path)])
                #expect(exchange.outcome == "200", "\(member.path) \(value)")
                #expect(Self.unrelated(exchange.json) == Self.unrelated(before), "\(member.path) \(value)")
            }
        }
    }

    @Test("Ignored members change nothing", arguments: Resource.allCases)
    func ignored(resource: Resource) async throws {
        let (gateway, key, path) = try await Self.gateway(.sekisho, .serve, for: resource)
        let before = try await gateway.send(.get, path, by: key).json
        for member in resource.members {
            guard case .ignored = member.treatment else { continue }
            let exchange = try await gateway.send(
                .patch, path, Self.body(member.path[...], "any"), by: key, query: [("updateMask", member.path)])
            #expect(exchange.outcome == "200", "\(member.path)")
            #expect(exchange.json == before, "\(member.path)")
        }
    }

    /// A value for each applied member that differs from the value of a new project or tenant.
    static let applied: [String: JSON] = [
        "allowPasswordSignup": false, "authorizedDomains": ["a.example"], "autodeleteAnonymousUsers": true,
        "client.permissions.disabledUserDeletion": true, "client.permissions.disabledUserSignup": true,
        "disableAuth": true, "displayName": "Zen", "emailPrivacyConfig.enableImprovedEmailPrivacy": true,
        "enableAnonymousUser": false, "enableEmailLinkSignin": false,
        "loginServicesConfig.requiresAppleOnEveryPlatform": false, "mfa.state": "MANDATORY",
        "mfa.providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 3]]],
        "mfa.enabledProviders": ["PHONE_SMS"], "mfaConfig.enabledProviders": ["PHONE_SMS"],
        "mfaConfig.state": "MANDATORY",
        "mfaConfig.providerConfigs": [["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 3]]],
        "notification.defaultLocale": "ja",
        "passkeys.enabled": false, "passkeys.origins": ["https://app.example.com"],
        "passkeys.relatedOrigins": ["https://shop.example.net"], "passkeys.rpId": "example.net",
        "passkeys.topOrigins": ["https://example.org"],
        "notification.sendEmail.callbackUri": "http://localhost/account",
        "passwordPolicyConfig.forceUpgradeOnSignin": true,
        "passwordPolicyConfig.passwordPolicyEnforcementState": "OFF",
        "signIn.allowDuplicateEmails": true, "signIn.anonymous.enabled": false, "signIn.email.enabled": false,
        "signIn.email.passwordRequired": true, "signIn.phoneNumber.enabled": true,
        "signIn.phoneNumber.testPhoneNumbers": ["+15555550100": "123456"],
        "sms.allowedCallingCodes": ["81"], "sms.budgetPerDay": 500,
        "sms.fields": [["name": "To_Number", "template": "{number}"]], "sms.format": "form",
        "sms.perCallingCode": ["81": 100], "sms.url": "https://sms.example/send", "sms.username": "demo",
        "smsRegionConfig": ["allowlistOnly": ["allowedRegions": ["JP"]]],
        "texts": [["key": "signInTitle", "language": "pt-BR", "text": "Entre"]],
        "brand.name": "Acme", "brand.color": "#123456", "brand.privacyUrl": "https://acme.example/privacy",
        "brand.termsUrl": "https://acme.example/terms", "brand.supportUrl": "https://acme.example/help",
        "blockingFunctions.triggers": ["beforeSendSms": ["functionUri": "https://hooks.example/sms"]],
        "blockingFunctions.forwardInboundCredentials.accessToken": true,
        "blockingFunctions.forwardInboundCredentials.idToken": true,
        "blockingFunctions.forwardInboundCredentials.refreshToken": true,
    ]

    /// A secret that is never returned (see `smsSecret`), and images that must be stored first (see `BrandImageTests`).
    static let testedElsewhere: Set = ["sms.secret", "brand.logo", "brand.darkLogo", "brand.favicon"]

    private static func sample(_ path: String) throws -> JSON {
        let named = applied[path]
        let ofLastName: [String: JSON] = [
            "minPasswordLength": 12, "replyTo": "help@example.com", "senderDisplayName": "Demo", "subject": "Hello",
        ]
        let name = String(path.split(separator: ".").last ?? "")
        return try #require(named ?? ofLastName[name] ?? (name.hasPrefix("contains") ? true : nil), "\(path)")
    }

    @Test(
        "Every applied member of a project and of a tenant changes and is read back",
        arguments: [Resource.project, .tenant],
        Policy.Profile.allCases)
    func appliedMembers(of resource: Resource, profile: Policy.Profile) async throws {
        let (gateway, key, path) = try await Self.gateway(profile, .serve, for: resource)
        for member in resource.members {
            guard case .applied = member.treatment, !Self.testedElsewhere.contains(member.path) else { continue }
            let sample = try Self.sample(member.path)
            let before = try await gateway.send(.get, path, by: key).json
            #expect(Self.value(at: member.path, in: before) != sample, "\(member.path)")
            let mask = String(member.path.prefix { $0 != "." })
            let exchange = try await gateway.send(
                .patch, path, Self.body(member.path[...], sample), by: key, query: [("updateMask", mask)])
            #expect(exchange.outcome == "200", "\(member.path)")
            let after = try await gateway.send(.get, path, by: key).json
            #expect(Self.value(at: member.path, in: after) == sample, "\(member.path)")
            let restored = try await gateway.send(.patch, path, before, by: key)
            #expect(restored.json == before, "\(member.path)")
        }
    }

    @Test("The secret of the sender is stored, kept by other changes, never returned, and removed by an empty text")
    func smsSecret() async throws {
        let (gateway, key, path) = try await Self.gateway(.sekisho, .serve, for: .project)
        func patch(_ body: JSON, mask: String?) async throws -> JSON {
            let exchange = try await gateway.send(
                .patch, path, body, by: key, query: mask.map { [("updateMask", $0)] } ?? [])
            #expect(exchange.outcome == "200")
            #expect(exchange.text.contains("whsec_") == false)
            return exchange.json["sms"] ?? .null
        }
        let secret: JSON = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        #expect(try await patch(["sms": ["secret": secret]], mask: "sms.secret")["isSecretStored"] == true)
        #expect(try await patch(["sms": ["budgetPerDay": 5]], mask: "sms")["isSecretStored"] == true)
        #expect(try await patch(["sms": [:]], mask: nil)["isSecretStored"] == true)
        #expect(try await patch(["sms": ["secret": ""]], mask: "sms.secret")["isSecretStored"] == false)
        let url = "https://sms.example.com/send"
        let both: JSON = ["sms": ["url": .string(url), "secret": secret]]
        #expect(try await patch(both, mask: "sms.url,sms.secret")["isSecretStored"] == true)
        #expect(try await patch(["sms": ["url": .string(url)]], mask: "sms.url")["isSecretStored"] == true)
        for (member, value) in [("url", "https://evil.example.com/"), ("format", "form"), ("username", "eve")] {
            // The new server must not get the secret, which the administrator does not know.
            #expect(
                try await patch(["sms": [member: .string(value)]], mask: "sms.\(member)")["isSecretStored"] == false)
            #expect(
                try await patch(
                    ["sms": ["secret": .string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]], mask: "sms.secret")[
                        "isSecretStored"] == true)
        }
        #expect(try await patch(["sms": ["url": ""]], mask: "sms.url")["isSecretStored"] == false)
        _ = try await patch(["sms": [:]], mask: "sms")
        let weak = try await gateway.send(
            .patch, path, ["sms": ["secret": "whsec_short"]], by: key, query: [("updateMask", "sms.secret")])
        #expect(weak.wireCode == "INVALID_CONFIG")
    }

    @Test(
        "What a tenant or a project returns can be written back, with a mask and without",
        arguments: [Resource.project, .tenant])
    func writtenBack(resource: Resource) async throws {
        let (gateway, key, path) = try await Self.gateway(.sekisho, .serve, for: resource)
        for member in resource.members {
            guard case .applied = member.treatment, member.path != "signIn.email.enabled",
                !Self.testedElsewhere.contains(member.path)
            else { continue }
            _ = try await gateway.send(
                .patch, path, Self.body(member.path[...], try Self.sample(member.path)), by: key,
                query: [("updateMask", member.path)])
        }
        let stored = try await gateway.send(.get, path, by: key).json
        for query in [[], [("updateMask", stored.keys.sorted().joined(separator: ","))]] {
            let exchange = try await gateway.send(.patch, path, stored, by: key, query: query)
            #expect(exchange.outcome == "200")
            #expect(exchange.json == stored)
        }
    }

    @Test(
        "Features that Firebase's clients can ask for are rejected by their names",
        arguments: [
            (["recaptcha_config": ["email_password_enforcement_state": "AUDIT"]], "recaptchaConfig"),
            (["recaptchaConfig": ["emailPasswordEnforcementState": "AUDIT"]], "recaptchaConfig"),
            (["blockingFunctions": ["triggerz": true]], "blockingFunctions.triggerz"),
            (["quota": ["signUpQuotaConfig": ["quota": "1000"]]], "quota"),
            (["multiTenant": ["allowTenants": false]], "multiTenant.allowTenants"),
            (["client.permissions.disabledUserSignup": true], "\"client.permissions.disabledUserSignup\""),
            (["client": ["permissions": ["disabledUserSignups": true]]], "client.permissions.disabledUserSignups"),
            (["passwordPolicy": ["enforced": true]], "passwordPolicy.enforced"),
            (["é": true], "(unreadable)"),
        ] as [(JSON, String)])
    func features(body: JSON, name: String) async throws {
        let (gateway, key, path) = try await Self.gateway(.firebase, .serve, for: .project)
        #expect(
            try await gateway.send(.patch, path, body, by: key).outcome
                == "501 OPERATION_NOT_ALLOWED : \(name) is not implemented.")
    }

    @Test(
        "Features that are off are accepted",
        arguments: [
            ["mfa": [:]], ["mfa": ["state": "DISABLED", "enabledProviders": []]],
            ["mfa": ["state": "STATE_UNSPECIFIED", "providerConfigs": [["state": "DISABLED"]]]],
            ["recaptchaConfig": ["emailPasswordEnforcementState": "OFF", "useAccountDefender": false]],
            ["blockingFunctions": ["triggers": [:], "forwardInboundCredentials": ["idToken": false]]],
            ["signIn": ["phoneNumber": ["enabled": false, "testPhoneNumbers": ["+15555550100": "123456"]]]],
            ["smsRegionConfig": [:], "quota": [:], "multiTenant": ["allowTenants": true]],
        ] as [JSON])
    func featuresOff(body: JSON) async throws {
        let (gateway, key, path) = try await Self.gateway(.firebase, .serve, for: .project)
        #expect(try await gateway.send(.patch, path, body, by: key).outcome == "200")
    }
}

extension Gateway.Mode {
    /// The mode of Firebase's emulator, with the projects and tenants of `sekisho dev`.
    static var withProjectsOfDev: Gateway.Mode {
        get throws {
            var mode = Gateway.Mode.emulator(project: ID("demo"))
            let masterKeys = try MasterKeys(current: TestGateway.masterKey)
            mode.extensions = { pool, _ in
                let projects = DevProjects(
                    pool: pool, supportedProviders: .live, masterKeys: masterKeys, clock: .live, defaultID: ID("demo"),
                    onLookup: { _ in })
                return ModeExtensions(
                    projectLookup: projects.realm(ofProject:), resolveTenant: projects.tenant(existing:orCreate:of:))
            }
            return mode
        }
    }
}
