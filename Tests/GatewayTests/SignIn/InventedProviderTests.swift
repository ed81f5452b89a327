import Email
import HTTP
import Identity
import Providers
import SMTP
import Simulators
import Testing

@testable import Gateway
@testable import Support

/// ``IdentityProvider/invented`` is one file, and no code outside that file and its simulator names it.
@Suite("A built-in provider that the gateway did not know before", .serialized)
struct InventedProviderTests {
    private static let id = "invented.example"
    private static let settings: JSON = [
        "enabled": true, "clientId": .string(InventedProvider.clientID), "clientSecret": "secret",
    ]

    /// A gateway that supports the provider, and a project that has configured it.
    private static func configured() async throws -> Configurator {
        var mode = Mode.serve(at: "https://auth.example.com")
        mode.providers = ProviderList(apple: .apple, others: [.google, .invented])
        let gateway = try await TestGateway(mode: mode)
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let created = try await configurator.send(.post, "defaultSupportedIdpConfigs?idpId=\(id)", settings)
        #expect(created.status == 200, "\(created.text)")
        return configurator
    }

    private static func credential(_ gateway: TestGateway, _ subject: String = "ada") throws -> ProviderCredential {
        ProviderCredential(provider: id, idToken: try gateway.simulators.invented.idToken(subject))
    }

    @Test("Administrators configure the provider like other built-in providers")
    func configuration() async throws {
        let configurator = try await Self.configured()
        let shown: JSON = [
            "name": "projects/demo/defaultSupportedIdpConfigs/invented.example", "enabled": true,
            "clientId": .string(InventedProvider.clientID), "clientIds": [.string(InventedProvider.clientID)],
        ]
        let path = "defaultSupportedIdpConfigs/\(Self.id)"
        #expect(try await configurator.send(.get, path).json == shown)
        let list = try await configurator.send(.get, "defaultSupportedIdpConfigs").json
        #expect(list["defaultSupportedIdpConfigs"]?[2] == shown)
        for (name, value) in [("relation", "own"), ("relation", "organisation")] {
            let refused = try await configurator.send(.patch, path, [name: .string(value)], mask: name)
            #expect(refused.text.contains("invented.example's relation must be social"), "\(refused.text)")
        }
        let domains = try await configurator.send(.patch, path, ["hostedDomains": ["a.example"]], mask: "hostedDomains")
        #expect(domains.text.contains("and are for google.com only"), "\(domains.text)")
        let unknown = try await configurator.send(
            .post, "defaultSupportedIdpConfigs?idpId=facebook.com", Self.settings)
        #expect(unknown.text.contains("expected apple.com, google.com or invented.example"), "\(unknown.text)")
        let impostor = try await configurator.send(
            .post, "oauthIdpConfigs?oauthIdpConfigId=oidc.x",
            ["enabled": true, "clientId": "c", "issuer": "https://login.invented.example/other"])
        #expect(impostor.text.contains("oidc.x's issuer is that of invented.example"), "\(impostor.text)")
        #expect(try await configurator.send(.delete, path).status == 200)
    }

    @Test("A token signs in, and the next token finds the account")
    func token() async throws {
        let gateway = try await Self.configured().gateway
        let first = try await gateway.signIn(Self.credential(gateway))
        #expect(first.outcome == "200", "\(first.text)")
        #expect(first.json["providerId"] == .string(Self.id))
        #expect(first.json["federatedId"] == "https://invented.example/people/ada")
        #expect(first.json["emailVerified"] == true)
        let second = try await gateway.signIn(Self.credential(gateway))
        #expect(second.json["localId"] == first.json["localId"])
        #expect(second.json["isNewUser"] == nil)
        // A generic provider cannot sign in with the token.
        let other = ProviderCredential(provider: "oidc.x", idToken: try gateway.simulators.invented.idToken("ada"))
        #expect(try await gateway.signIn(other).status == 400)
    }

    @Test("A browser signs in, with PKCE and a nonce")
    func browser() async throws {
        let gateway = try await Self.configured().gateway
        let flow = try await gateway.startFlow(Self.id)
        #expect(flow.authURI.hasPrefix("https://login.invented.example/authorize?"))
        let request = QueryParameters(flow.authURI)
        #expect(request["response_type"] == "code")
        #expect(request["code_challenge"].count == 43)
        #expect(request["scope"] == "openid email profile")
        #expect(request["redirect_uri"] == "https://auth.example.com/__/auth/handler")
        let signedIn = try await flow.complete()
        #expect(signedIn.outcome == "200", "\(signedIn.text)")
        #expect(signedIn.json["providerId"] == .string(Self.id))
        #expect(signedIn.json["oauthAccessToken"] == "invented-access")
        #expect(try await gateway.startFlow(Self.id).complete().json["localId"] == signedIn.json["localId"])
    }

    @Test("Apps learn about the provider, and guideline 4.8 applies to it")
    func loginMethods() async throws {
        let gateway = try await Self.configured().gateway
        let response = try await gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey)])
        let methods = try #require(response.json["methods"]?.elements)
        #expect(methods.first?["providerId"] == "apple.com")
        let method = try #require(methods.first { $0["providerId"] == .string(Self.id) })
        #expect(method["kind"] == "social")
        #expect(method["clientId"] == .string(InventedProvider.clientID))
        #expect(method["scopes"] == ["openid", "email", "profile"])
        let withoutApple = try await gateway.withAppSettings(#"{"signInMethods": ["invented.example"]}"#)
        let refused = try await withoutApple.signIn(Self.credential(gateway))
        #expect(refused.text.contains("LOGIN_SERVICES_4_8"), "\(refused.text)")
    }

    @Test("A notice to the owner names the provider, and an export contains the identity")
    func noticeAndExport() async throws {
        let gateway = try await Self.configured().gateway
        let owner = try await gateway.signUpVerified()
        let linked = try await gateway.link(Self.credential(gateway), to: owner.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let notice = try #require(try await gateway.emails(.identityLinked).last)
        let renderer = EmailRenderer(sender: try #require(EmailAddress("no-reply@example.com"))) { _, _ in
            "https://auth.example.com/__/auth/action"
        }
        let message = try #require(
            renderer.message(
                of: notice.queued.email, notice.content, for: SendingRealm(realm: gateway.realm, name: "Demo")))
        #expect(message.text.contains("Invented"), "\(message.text)")
        try await gateway.makeServiceKey()
        let export = try await gateway.batchGet()
        let identities = try #require(export.json["users"]?[0]?["providerUserInfo"]?.elements)
        let identity = try #require(identities.first { $0["providerId"] == .string(Self.id) })
        #expect(identity["rawId"] == "ada")
    }
}
