import HTTP
import Identity
import Testing

@testable import Support

@Suite("Brands of projects and apps", .serialized)
struct BrandConfigTests {
    static let brand: JSON = [
        "name": "Acme", "color": "#1d4ea8", "privacyUrl": "https://acme.example/privacy",
        "termsUrl": "https://acme.example/terms", "supportUrl": "mailto:help@acme.example",
    ]

    @Test("A brand is set, returned, changed by a mask, and removed by empty texts")
    func setAndRemove() async throws {
        let configurator = try await Configurator()
        let set = try await configurator.send(.patch, "config", ["brand": Self.brand], mask: "brand")
        #expect(set.json["brand"] == Self.brand)
        let kept = try await configurator.send(.patch, "config", [:])
        #expect(kept.json["brand"] == Self.brand, "Firebase's clients do not know the member")
        let changed = try await configurator.send(
            .patch, "config", ["brand": ["color": "#ABCDEF", "name": "Other", "termsUrl": ""]],
            mask: "brand.color,brand.termsUrl")
        #expect(changed.json["brand"]?["color"] == "#abcdef")
        #expect(changed.json["brand"]?["name"] == "Acme")
        #expect(changed.json["brand"]?["termsUrl"] == nil)
        #expect(try await configurator.send(.get, "config").json["brand"] == changed.json["brand"])
        let empty: JSON = ["name": "", "color": "", "privacyUrl": "", "termsUrl": "", "supportUrl": ""]
        let removed = try await configurator.send(.patch, "config", ["brand": empty], mask: "brand")
        #expect(removed.json["brand"] == [:])
    }

    @Test(
        "An invalid brand is rejected",
        arguments: [
            ("color", "red", "400 Invalid JSON payload received. /brand/color must be # and six hexadecimal digits"),
            (
                "privacyUrl", "mailto:help@acme.example",
                "400 Invalid JSON payload received. /brand/privacyUrl must be an https URL of at most 2048 bytes, without user"
            ),
            (
                "supportUrl", "javascript:alert(1)",
                "400 Invalid JSON payload received. /brand/supportUrl must be an https URL of at most 2048 bytes, without user, or mailto: with an email address"
            ),
            (
                "name", "Acme\nBcc: all@example.com",
                "400 INVALID_CONFIG : brand.name must have 1 to 200 characters, none of them a control character or a line separator"
            ),
        ])
    func refusals(member: String, value: String, expected: String) async throws {
        let configurator = try await Configurator()
        let brand: JSON = ["brand": .object([member: .string(value)])]
        #expect(try await configurator.send(.patch, "config", brand, mask: "brand").outcome == expected)
        let ofApp = try await configurator.send(.patch, "apps/default", brand, mask: "brand").outcome
        #expect(ofApp == expected.replacing("brand.name", with: "app default: brand.name"))
        #expect(try await configurator.send(.get, "config").json["brand"] == [:])
    }

    @Test("The scope `config` allows a change of the colour; a name or a link needs the scope `trust` too")
    func scope() async throws {
        let gateway = try await TestGateway()
        let configurator = Configurator(
            gateway: gateway, serviceKey: try await ServiceKey(in: gateway, scopes: ServiceKeyScopes([.config])))
        for path in ["config", "apps/default"] {
            let color: JSON = ["brand": ["color": "#123456"]]
            #expect(try await configurator.send(.patch, path, color, mask: "brand.color").outcome == "200")
            for member in ["name", "privacyUrl", "termsUrl", "supportUrl"] {
                let body: JSON = ["brand": .object([member: Self.brand[member] ?? .null])]
                let outcome = try await configurator.send(.patch, path, body, mask: "brand.\(member)").outcome
                #expect(outcome == "403 PERMISSION_DENIED : The service key lacks the scope trust.", "\(member)")
            }
        }
    }

    @Test("A change is audited with the new brand, without email addresses (a brand can imitate another company's)")
    func audited() async throws {
        let configurator = try await Configurator()
        _ = try await configurator.send(.patch, "config", ["brand": Self.brand], mask: "brand")
        _ = try await configurator.send(.patch, "apps/default", ["brand": ["name": "Acme Go"]], mask: "brand")
        let trail = try await configurator.gateway.send(
            .get, "/v1/projects/demo/auditEvents", by: configurator.serviceKey)
        let events = trail.json["auditEvents"]?.elements ?? []
        let changes = events.filter { $0["action"] == "brand.changed" }
        let expected: Set<JSON> = [
            ["app": "default", "name": "Acme Go"],
            [
                "name": "Acme", "color": "#1d4ea8", "privacyUrl": "https://acme.example/privacy",
                "termsUrl": "https://acme.example/terms", "supportUrl": "mailto",
            ],
        ]
        #expect(Set(changes.compactMap { $0["detail"] }) == expected)
    }

    @Test("An email has the brand of the app whose API key the request has, and of no app after an administrator's")
    func appOfEmails() async throws {
        let gateway = try await TestGateway()
        let user = try await gateway.signUp()
        #expect(try await gateway.sendOobCode("VERIFY_EMAIL", ["idToken": .string(user.idToken)]).status == 200)
        #expect(try await gateway.emails(.verifyEmail).map(\.content.app) == [ID("default")])
        let key = try await ServiceKey(in: gateway)
        let body: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com"]
        #expect(try await gateway.send(.post, "/v1/projects/demo/accounts:sendOobCode", body, by: key).status == 200)
        #expect(try await gateway.emails(.resetPassword).map(\.content.app) == [nil])
    }

    @Test("Pages show the brand's name and links, and a page about a failure also the ID of the request")
    func pages() async throws {
        let configurator = try await Configurator()
        let gateway = configurator.gateway
        #expect(try await gateway.getWithoutAPIKey("/__/auth/forgotPassword").text.contains("<footer><ul>") == false)
        _ = try await configurator.send(.patch, "config", ["brand": Self.brand], mask: "brand")
        let page = try await gateway.getWithoutAPIKey("/__/auth/forgotPassword").text
        #expect(page.contains(#"<p class="project"><bdi>Acme</bdi></p>"#))
        let footer = try #require(page.firstMatch(of: /<footer>.*<\/footer>/)).output
        #expect(
            footer.matches(of: /href="([^"]*)"/).map { String($0.output.1) } == [
                "mailto:help@acme.example", "https://acme.example/privacy", "https://acme.example/terms",
            ])
        #expect(!footer.contains("Request ID"))
        let failure = try await gateway.getWithoutAPIKey("/none/__/auth/forgotPassword")
        let id = try #require(failure.headers["X-Request-Id"])
        #expect(failure.text.contains("<footer><p>Request ID: <code>\(id)</code></p></footer>"))
    }
}
