import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

/// A flow is a sign-in in the browser, which `createAuthUri` starts. The browser returns to the client with the flow's
/// grant, a secret in the URL. With the grant, the client completes the sign-in.
@Suite("A sign-in in the browser for a client of the API", .serialized)
struct ClientFlowTests {
    private typealias Tokens = TestGateway.Tokens

    /// A member of an app's settings.
    private static let redirectURIs = #""redirectUris": ["com.example.app:/done", "https://links.example/a"]"#

    @Test(
        "Apple, Google and an OpenID provider sign in, and a second sign-in finds the account",
        arguments: ["apple.com", "google.com", "oidc.corp"])
    func signIn(provider: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow(provider)
        let signedIn = try await flow.complete()
        #expect(signedIn.outcome == "200")
        let tokens = try Tokens(signedIn)
        #expect(signedIn.json["providerId"] == .string(provider))
        #expect(signedIn.json["isNewUser"] == true)
        #expect(signedIn.json["oauthIdToken"]?.string?.split(separator: ".").count == 3)
        #expect(signedIn.json["oauthAccessToken"]?.string?.isEmpty == false)
        #expect(try await gateway.lookup(tokens.idToken).status == 200)
        let again = try await gateway.startFlow(provider).complete()
        #expect(again.json["localId"]?.string == tokens.localId)
        #expect(again.json["isNewUser"] == nil)
    }

    @Test("The request to Apple has the Services ID and a nonce, and asks for a response by form")
    func appleRequest() async throws {
        let flow = try await TestGateway.withAppleGoogleAndOpenID().startFlow("apple.com")
        #expect(flow.authURI.hasPrefix("https://appleid.apple.com/auth/authorize?"))
        let request = QueryParameters(flow.authURI)
        #expect(request["response_type"] == "code id_token")
        #expect(request["response_mode"] == "form_post")
        #expect(request["scope"] == "email name")
        #expect(request["client_id"] == TestGateway.servicesID)
        #expect(request["redirect_uri"] == "https://auth.example.com/__/auth/handler")
        #expect(!request["nonce"].isEmpty)
        #expect(request.all["code_challenge"] == nil)
        #expect(flow.authURI.contains("scope=email%20name"))
    }

    @Test(
        "The request to another provider has a nonce and a PKCE challenge, and asks for a code",
        arguments: ["google.com", "oidc.corp"])
    func request(provider: String) async throws {
        let request = QueryParameters(try await TestGateway.withAppleGoogleAndOpenID().startFlow(provider).authURI)
        #expect(request["response_type"] == "code")
        #expect(request["code_challenge"].count == 43)
        #expect(request["code_challenge_method"] == "S256")
        #expect(!request["nonce"].isEmpty)
        #expect(request["scope"] == "openid email profile")
    }

    @Test("A flow returns the name that Apple sends only once, and stores Apple's refresh token to revoke it later")
    func appleGrant() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let withoutRefreshToken = try await gateway.startFlow("apple.com").complete(.mary)
        #expect(withoutRefreshToken.json["oauthRefreshToken"] == nil)
        _ = try await gateway.database.pool.execute("DELETE FROM apple_grant")
        let countBefore = gateway.simulators.apple.faultInjection.requestCount(at: SimulatedApple.tokenPath)
        let signedIn = try await gateway.startFlow("apple.com").complete(.ada, ["returnRefreshToken": true])
        #expect(signedIn.json["displayName"]?.string == "Ada Lovelace")
        #expect(signedIn.json["oauthRefreshToken"]?.string?.isEmpty == false)
        #expect(try await gateway.appleGrantLines() == ["REDEEMING REFRESH_TOKEN com.example.web"])
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.web"])
        #expect(gateway.simulators.apple.faultInjection.requestCount(at: SimulatedApple.tokenPath) == countBefore + 1)
        #expect(try await gateway.delete(Tokens(signedIn).idToken).status == 200)
        try await gateway.processDueAppleGrants()
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("Apple's refresh token is kept if it is processed late, or if Apple's private key is missing at first")
    func lateWorker() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.startFlow("apple.com").complete(.ada)
        gateway.clock.advance(by: AuthorizationCode.lifetime + .seconds(1))
        let secret = try await gateway.database.pool.query(
            "SELECT secret FROM identity_provider WHERE provider = 'apple.com'"
        ).first?.decode("secret", as: [UInt8].self)
        try await gateway.database.pool.execute(
            "UPDATE identity_provider SET secret = NULL WHERE provider = 'apple.com'")
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["REDEEMING REFRESH_TOKEN com.example.web"])
        try await gateway.database.pool.execute(
            "UPDATE identity_provider SET secret = \(secret) WHERE provider = 'apple.com'")
        gateway.clock.advance(by: .seconds(3600))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.web"])
    }

    @Test("The browser returns with the grant to a redirect URI that is registered for the app")
    func registeredURI() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID(Self.redirectURIs)
        for (continueURI, expected) in [
            ("com.example.app:/done", "com.example.app:/done?grant="),
            ("https://links.example/a", "https://links.example/a?grant="),
        ] {
            let flow = try await gateway.startFlow("google.com", ["continueUri": .string(continueURI)])
            let location = try await flow.signInAtProvider()
            #expect(location.hasPrefix(expected), "\(location)")
            #expect(try await flow.signIn(at: location).outcome == "200")
        }
    }

    @Test("Without registered redirect URIs, the browser returns with the grant to any page of an authorized domain")
    func pageOfDomain() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("google.com", ["continueUri": "https://localhost/x?a=1#top"])
        let location = try await flow.signInAtProvider()
        #expect(location.hasPrefix("https://localhost/x?a=1&grant="))
        #expect(location.hasSuffix("#top"))
        #expect(try await flow.signIn(at: location).outcome == "200")
    }

    @Test(
        "A continue URI is rejected unless it is a registered redirect URI or at an authorized domain",
        arguments: [
            ("https://evil.example/", "400 UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
            ("https://links.example/b", "400 UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
            ("https://localhost.evil.example/", "400 UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
            ("com.example.app:/other", "400 UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"),
            ("javascript:alert(1)", "400 INVALID_CONTINUE_URI"),
            ("https://user@localhost/", "400 INVALID_CONTINUE_URI"),
            ("https://localhost/?grant=x", "400 INVALID_CONTINUE_URI"), ("/relative", "400 INVALID_CONTINUE_URI"),
            ("", "400 MISSING_CONTINUE_URI"),
        ])
    func otherURI(continueURI: String, outcome: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID(Self.redirectURIs)
        let started = try await gateway.createAuthUri("google.com", ["continueUri": .string(continueURI)])
        #expect(started.outcome == outcome)
    }

    @Test("Apple's and Google's errors for a cancellation are reported alike")
    func cancelled() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for (provider, error) in [("apple.com", "user_cancelled_authorize"), ("google.com", "access_denied")] {
            let flow = try await gateway.startFlow(provider)
            let back = try await TestBrowser(gateway).signInAtProvider(opening: flow.authURI) { response in
                response = response.filter { $0.0 == "state" } + [("error", error)]
            }
            #expect(back.location == "https://localhost/done?error=user_cancelled")
            #expect(try await flow.signIn(at: try #require(back.location)).outcome == "400 USER_CANCELLED")
        }
    }

    @Test("A flow links only if it was started to link, and signs in only if it was started to sign in")
    func operation() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let ada = try await gateway.signUp(email: "someone@example.com")
        let linked = try await gateway.startFlow("google.com", ["operation": "LINK"])
            .complete(.mary, ["idToken": .string(ada.idToken)])
        #expect(linked.outcome == "200")
        #expect(linked.json["localId"]?.string == ada.localId)
        let refusal =
            "400 INVALID_IDP_RESPONSE : The request must perform the operation that was given to createAuthUri."
        #expect(try await gateway.startFlow("google.com", ["operation": "LINK"]).complete(.mary).outcome == refusal)
        let linking = try await gateway.startFlow("google.com").complete(.ada, ["idToken": .string(ada.idToken)])
        #expect(linking.outcome == refusal)
    }

    @Test("A flow that was started as a re-authentication creates no account, even with autoCreate")
    func reauthentication() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let unknown = try await gateway.startFlow("google.com", ["operation": "REAUTHENTICATE"])
            .complete(.mary, ["autoCreate": true])
        #expect(unknown.status == 400)
        #expect(try await gateway.startFlow("google.com").complete(.mary).status == 200)
        let known = try await gateway.startFlow("google.com", ["operation": "REAUTHENTICATE"]).complete(.mary)
        #expect(known.outcome == "200")
        #expect(known.json["isNewUser"] == nil)
    }

    @Test(
        "createAuthUri rejects an invalid session ID, operation or provider, and returns a session ID that the client chose"
    )
    func members() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let short = try await gateway.createAuthUri("google.com", ["sessionId": "short"])
        #expect(short.outcome == "400 INVALID_ARGUMENT : sessionId must have 16 to 128 visible ASCII characters.")
        #expect(try await gateway.createAuthUri("google.com", ["operation": "X"]).status == 400)
        #expect(try await gateway.createAuthUri("facebook.com").status == 400)
        let chosen = try await gateway.createAuthUri("google.com", ["sessionId": "a-session-id-of-the-client"])
        #expect(chosen.json["sessionId"] == "a-session-id-of-the-client")
        #expect(chosen.json["providerId"] == "google.com")
    }

    @Test("The client's scopes and parameters are added to the request, but replace nothing that the gateway sets")
    func parameters() async throws {
        let flow = try await TestGateway.withAppleGoogleAndOpenID().startFlow(
            "google.com",
            [
                "oauthScope": "https://www.googleapis.com/auth/calendar email",
                "customParameter": [
                    "login_hint": "ada@example.com", "prompt": "select_account", "client_id": "evil", "state": "evil",
                    "Nonce": "evil", "redirect_uri": "https://evil.example", "response_type": "token", "scope": "evil",
                    "code_challenge": "evil", "request_uri": "https://evil.example", "request": "evil",
                    "response_mode": "fragment", "redirect.uri": "evil", "client id": "evil", "state[": "evil",
                ],
            ])
        let request = QueryParameters(flow.authURI)
        #expect(request["scope"] == "openid email profile https://www.googleapis.com/auth/calendar")
        #expect(request["login_hint"] == "ada@example.com")
        #expect(request["prompt"] == "select_account")
        #expect(!flow.authURI.contains("evil"))
    }

    @Test("The parameter `prompt` is dropped if it contains `none`, because the user has to see a page of the provider")
    func promptNone() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for prompt in ["none", "NONE", "login none", "none\t"] {
            let flow = try await gateway.startFlow("google.com", ["customParameter": ["Prompt": .string(prompt)]])
            #expect(!flow.authURI.lowercased().contains("prompt"), "\(prompt)")
        }
    }

    @Test(
        "createAuthUri rejects Google if the project lacks Apple, and a sign-in with Google if Google is for linking only"
    )
    func loginServices() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.database.pool.execute("DELETE FROM identity_provider WHERE provider = 'apple.com'")
        #expect(try await gateway.withFreshCaches().createAuthUri("google.com").wireCode == "OPERATION_NOT_ALLOWED")

        let linkOnly = try await TestGateway.withAppleGoogleAndOpenID(#""linkOnlyMethods": ["google.com"]"#)
        #expect(try await linkOnly.createAuthUri("google.com").wireCode == "OPERATION_NOT_ALLOWED")
        #expect(try await linkOnly.createAuthUri("google.com", ["operation": "LINK"]).status == 200)
    }

    @Test("The grant of a flow in a tenant is accepted only with the tenant's ID")
    func tenant() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let fixture = try await TenantFixture(gateway)
        let tenant = try await fixture.makeTenantWithProvidersOfProject()
        let flow = try await gateway.startFlow("google.com", ["tenantId": .string(tenant)])
        let location = try await flow.signInAtProvider(.mary)
        #expect(try await flow.signIn(at: location).wireCode == "INVALID_IDP_RESPONSE")
        let signedIn = try await flow.signIn(at: location, ["tenantId": .string(tenant)])
        #expect(signedIn.outcome == "200")
        #expect(signedIn.json["tenantId"]?.string == tenant)
    }

    @Test("A rate limit applies to the flows that one network starts")
    func limits() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        var last = try await gateway.createAuthUri("google.com")
        for _ in 0..<Policy.authorizationFlowLimit where last.status == 200 {
            last = try await gateway.createAuthUri("google.com")
        }
        #expect(last.wireCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
    }

    @Test("A flow stores no row before the provider responds, and puts no secret into the database or the URL")
    func secrets() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("apple.com")
        #expect(!flow.authURI.contains(flow.sessionID))
        let count: SQL = "SELECT count(*) AS count FROM authorization_flow"
        #expect(try await gateway.database.pool.query(count)[0].decode("count", as: Int.self) == 0)
        let location = try await flow.signInAtProvider()
        #expect(!location.contains(flow.sessionID))
        let dump = try await gateway.databaseDump()
        for secret in [flow.sessionID, QueryParameters(location)["grant"], QueryParameters(flow.authURI)["nonce"]] {
            #expect(!dump.contains(secret))
        }
    }
}
