import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("Profile data that an app does not request", .serialized)
struct RequestedScopesTests {
    @Test(
        "Unrequested data is dropped before it is stored, if the policy requires it",
        arguments: [
            (true, #"["email", "name"]"#, true, true), (true, #"["email"]"#, true, false),
            (true, #"["name"]"#, false, true), (true, "[]", false, false), (false, "[]", true, true),
        ])
    func dropping(drops: Bool, scopes: String, keepsEmail: Bool, keepsName: Bool) async throws {
        let gateway = try await TestGateway { $0.dropsUnrequestedProfile = drops }
            .withAppSettings(#"{"requestedScopes": \#(scopes)}"#)
        let signedIn = try await gateway.signIn(gateway.googleCredential(.mary))
        #expect(signedIn.status == 200)
        let account = try await gateway.accountSeenByUser(try #require(signedIn.json["idToken"]?.string))
        #expect((account["email"] != nil) == keepsEmail)
        #expect((account["displayName"] != nil) == keepsName)
        let email = try #require(SimulatedPerson.mary.email)
        let name = try #require(SimulatedPerson.mary.familyName)
        let stored = try await gateway.accountsAsStored().joined()
        #expect(stored.contains(email) == keepsEmail)
        #expect(stored.contains(name) == keepsName)
        #expect(signedIn.text.contains(email) == keepsEmail)
        #expect(signedIn.text.contains(name) == keepsName)
    }

    @Test("The sign-in methods list the scopes that the app requests")
    func scopes() async throws {
        let gateway = try await TestGateway().withAppSettings(
            #"{"platform": "ios", "bundleIds": ["com.example.app"], "requestedScopes": ["email"]}"#)
        let methods = try await gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey)]
        ).json["methods"]
        // The methods are Apple, Google and the password.
        #expect(methods?[0]?["scopes"] == ["email"])
        #expect(methods?[0]?["clientId"] == "com.example.app")
        #expect(methods?[0]?["nonce"] == ["required": false, "transform": "sha256"])
        #expect(methods?[1]?["scopes"] == ["openid", "email"])
        #expect(methods?[1]?["clientId"]?.string == SimulatedProviders.googleClientID)
        #expect(methods?[2]?["scopes"] == nil)
    }

    @Test(
        "On the web and on Android, Apple's sign-in method has the Services ID, and the client hashes its nonce",
        arguments: ["web", "android"])
    func servicesID(platform: String) async throws {
        let gateway = try await TestGateway().withAppSettings(#"{"platform": "\#(platform)"}"#)
        // Because this app has the bundle ID, Apple's other client ID (com.example.web) counts as a Services ID.
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO app (project_id, id, name, settings, created_at)
            VALUES ('demo', 'ios', 'ios', '{"bundleIds": ["com.example.app"]}', now())
            """)
        let apple = try await gateway.withFreshCaches().send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey)]
        ).json["methods"]?[0]
        #expect(apple?["clientId"] == "com.example.web")
        #expect(apple?["nonce"]?["transform"] == "sha256")
    }
}
