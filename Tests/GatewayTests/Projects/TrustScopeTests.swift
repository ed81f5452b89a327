import API
import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("The scope `trust` of service keys", .serialized)
struct TrustScopeTests {
    static let refusal = "403 PERMISSION_DENIED : The service key lacks the scope trust."

    /// A request that changes the configuration.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let method: HTTP.Method
        let path: String
        let body: JSON
        var mask: String?

        init(_ description: String, _ method: HTTP.Method, _ path: String, _ body: JSON = [:], mask: String? = nil) {
            testDescription = description
            (self.method, self.path, self.body, self.mask) = (method, path, body, mask)
        }
    }

    static let corpPath = "oauthIdpConfigs/oidc.corp"

    static let linksInEmails = Row(
        "the page to which links in emails lead", .patch, "config",
        ["notification": ["sendEmail": ["callbackUri": "https://localhost/account"]]],
        mask: "notification.sendEmail.callbackUri")
    static let issuer = Row(
        "an OpenID provider's issuer", .patch, corpPath, ["issuer": "https://evil.example"], mask: "issuer")
    static let appWithBundleID = Row(
        "an app with a bundle ID", .post, "apps", ["appId": "new", "bundleIds": ["com.example.new"]])

    /// Requests that need the scope `trust`.
    static let needingTrust: [Row] = [
        linksInEmails,
        Row(
            "the address to which replies to emails go", .patch, "config",
            ["notification": ["sendEmail": ["resetPasswordTemplate": ["replyTo": "a@example.com"]]]],
            mask: "notification.sendEmail.resetPasswordTemplate.replyTo"),
        Row(
            "the subject of an email", .patch, "config",
            ["notification": ["sendEmail": ["resetPasswordTemplate": ["subject": "Call +1 555 0100"]]]],
            mask: "notification.sendEmail.resetPasswordTemplate.subject"),
        Row(
            "the name of the sender of emails", .patch, "config",
            ["notification": ["sendEmail": ["verifyEmailTemplate": ["senderDisplayName": "Your bank"]]]],
            mask: "notification.sendEmail.verifyEmailTemplate.senderDisplayName"),
        Row(
            "the name of an OpenID provider, which emails show", .patch, corpPath, ["displayName": "Other"],
            mask: "displayName"),
        Row(
            "authorized domains", .patch, "config", ["authorizedDomains": ["localhost", "evil.example"]],
            mask: "authorizedDomains"),
        Row(
            "the platforms of the rule about Apple", .patch, "config",
            ["loginServicesConfig": ["requiresAppleOnEveryPlatform": false]], mask: "loginServicesConfig"),
        Row(
            "the relation of an OpenID provider", .patch, corpPath,
            ["relation": "own", "relationReason": "our own accounts"], mask: "relation,relationReason"),
        Row(
            "a new OpenID provider", .post, "oauthIdpConfigs?oauthIdpConfigId=oidc.new",
            ["issuer": "https://new.example.com", "clientId": "c"]),
        issuer,
        Row("the client ID of an OpenID provider", .patch, corpPath, ["clientId": "x"], mask: "clientId"),
        Row(
            "trust in an OpenID provider's email addresses", .patch, corpPath, ["trustsEmail": true],
            mask: "trustsEmail"),
        Row("a client secret", .patch, corpPath, ["clientSecret": "another"], mask: "clientSecret"),
        Row("an OpenID provider enabled", .patch, corpPath, ["enabled": true], mask: "enabled"),
        Row("an OpenID provider removed", .delete, corpPath),
        Row(
            "Google's client IDs", .patch, Configurator.googlePath, ["clientIds": ["google-client", "x"]],
            mask: "clientIds"),
        Row("Google removed", .delete, Configurator.googlePath),
        Row(
            "Apple's bundle IDs", .patch, Configurator.applePath,
            ["appleSignInConfig": ["bundleIds": ["com.evil.app"]]],
            mask: "appleSignInConfig.bundleIds"),
        Row(
            "Apple's team", .patch, Configurator.applePath,
            ["appleSignInConfig": ["codeFlowConfig": ["teamId": "TEAM999999"]]],
            mask: "appleSignInConfig.codeFlowConfig.teamId"),
        Row(
            "unhashed nonces of Apple", .patch, Configurator.applePath,
            ["appleSignInConfig": ["acceptsUnhashedNonces": true]],
            mask: "appleSignInConfig.acceptsUnhashedNonces"),
        appWithBundleID,
        Row("an app's client IDs", .patch, "apps/ios", ["clientIds": ["google.com": ["x"]]], mask: "clientIds"),
        Row("an app's bundle ID", .patch, "apps/ios", ["bundleIds": ["com.evil.app"]], mask: "bundleIds"),
        Row("an app with client IDs removed", .delete, "apps/ios"),
        Row(
            "a tenant's provider", .post, "tenants/TENANT/oauthIdpConfigs?oauthIdpConfigId=oidc.new",
            ["issuer": "https://new.example.com", "clientId": "c"]),
    ]

    /// Requests that need only the scope `config`.
    static let needingConfigOnly: [Row] = [
        Row("passwords switched off", .patch, "config", ["signIn": ["email": ["enabled": false]]], mask: "signIn"),
        Row(
            "the language of emails", .patch, "config", ["notification": ["defaultLocale": "ja"]],
            mask: "notification.defaultLocale"),
        Row(
            "the authorized domains written back unchanged", .patch, "config", ["authorizedDomains": ["localhost"]],
            mask: "authorizedDomains"),
        Row("a provider disabled", .patch, Configurator.googlePath, ["enabled": false], mask: "enabled"),
        Row(
            "an OpenID provider written back unchanged", .patch, corpPath,
            [
                "enabled": false, "clientId": "c", "issuer": "https://id.example.com", "displayName": "Corp",
                "clientSecret": "secret",
            ]),
        Row("an app without client IDs", .post, "apps", ["appId": "new"]),
        Row(
            "the sign-in methods that an app shows", .patch, "apps/ios", ["signInMethods": ["apple.com"]],
            mask: "signInMethods"),
        Row("a tenant", .post, "tenants", ["displayName": "Corp"]),
    ]

    /// A project with Apple, Google, a disabled `oidc.corp`, the app `ios`, and a tenant.
    struct Fixture {
        let configurator: Configurator
        let tenant: String

        init() async throws {
            configurator = try await Configurator()
            try await configurator.enableApple()
            try await configurator.enableGoogle()
            let corp: JSON = [
                "clientId": "c", "issuer": "https://id.example.com", "displayName": "Corp", "clientSecret": "secret",
            ]
            let ios: JSON = [
                "appId": "ios", "bundleIds": ["com.example.app"], "clientIds": ["google.com": ["ios-client"]],
            ]
            #expect(
                try await configurator.send(.post, "oauthIdpConfigs?oauthIdpConfigId=oidc.corp", corp).outcome == "200")
            #expect(try await configurator.send(.post, "apps", ios).outcome == "200")
            let made = try await configurator.send(.post, "tenants", ["displayName": "Corp"])
            tenant = try #require(made.json["tenantId"]?.string)
        }

        /// Sends the request with a service key that has only these scopes.
        func outcome(of row: Row, scopes: Set<ServiceKeyScope>) async throws -> String {
            let key = try await ServiceKey(id: "limited", in: configurator.gateway, scopes: ServiceKeyScopes(scopes))
            return try await Configurator(gateway: configurator.gateway, serviceKey: key)
                .send(row.method, row.path.replacing("TENANT", with: tenant), row.body, mask: row.mask).outcome
        }
    }

    @Test(
        "The scope `trust` is needed for settings that decide which tokens are trusted, where codes are sent, or what emails say",
        arguments: needingTrust)
    func withoutTrust(row: Row) async throws {
        let fixture = try await Fixture()
        let trail = try await fixture.configurator.serviceKeyAuditTrail()
        let scopes = Set(ServiceKeyScope.allCases).subtracting([.trust])
        #expect(try await fixture.outcome(of: row, scopes: scopes) == Self.refusal)
        #expect(try await fixture.configurator.serviceKeyAuditTrail() == trail, "the audit trail is unchanged")
    }

    @Test("For settings that need `trust`, the scopes `config` and `trust` are sufficient", arguments: needingTrust)
    func configAndTrust(row: Row) async throws {
        #expect(["200", "204"].contains(try await Fixture().outcome(of: row, scopes: [.config, .trust])))
    }

    @Test(
        "The scope `trust` without the scope `config` is not sufficient",
        arguments: [linksInEmails, issuer, appWithBundleID])
    func trustOnly(row: Row) async throws {
        let outcome = try await Fixture().outcome(of: row, scopes: [.trust])
        #expect(outcome == "403 PERMISSION_DENIED : The service key lacks the scope config.")
    }

    @Test("For settings that do not need `trust`, the scope `config` is sufficient", arguments: needingConfigOnly)
    func configOnly(row: Row) async throws {
        #expect(try await Fixture().outcome(of: row, scopes: [.config]) == "200")
    }
}
