import HTTP
import Postgres
import Simulators
import Testing

@testable import Support

/// A flow is a sign-in in the browser. Its grant is the secret in the URL to which the browser returns after the
/// provider's response.
@Suite("Attacks on the pages and provider responses of a sign-in in the browser", .serialized)
struct AuthorizationAttackTests {
    @Test("A forged state causes no database query")
    func forgedStateIsNotLookedUp() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.database.pool.execute("ALTER TABLE realm RENAME TO renamed")
        for state in ["x.unknown", "x.%00", "x.demo"] {
            let page = try await TestBrowser(gateway.withFreshCaches()).send(
                .get, "/__/auth/handler?code=x&state=" + state)
            #expect(page.status == 400, "a query of the renamed table would have failed with another status")
        }
    }

    @Test("A code of the former issuer is not sent to the provider's new issuer")
    func otherIssuer() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("oidc.corp")
        let changed = try await gateway.mergingProviderSettings(
            "oidc.corp", #"{"openId": {"issuer": "https://b.corp.example", "trustsEmail": false}}"#)
        let page = try await TestBrowser(changed).signInAtProvider(opening: flow.authURI)
        #expect(page.heading == "This sign-in is not available")
        #expect(!gateway.simulators.requestLog.urls.contains("https://b.corp.example/token"))
    }

    @Test("A response of the provider does not finish a flow in a browser that lacks the flow's cookie")
    func cookie() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for provider in ["google.com", "apple.com"] {
            let attacker = TestBrowser(gateway)
            let started = try await attacker.send(.get, TestGateway.handlerURL(provider))
            let url = try #require(started.location)
            for victim in [TestBrowser(gateway), try await Self.browserWithOtherFlow(gateway)] {
                let page = try await victim.signInAtProvider(.mary, opening: url)
                #expect(page.status == 400)
                #expect(page.heading == "We cannot finish this sign-in")
                #expect(page.delivery == nil)
                #expect(!page.text.contains("grant"))
            }
        }
    }

    private static func browserWithOtherFlow(_ gateway: TestGateway) async throws -> TestBrowser {
        let browser = TestBrowser(gateway)
        _ = try await browser.send(.get, TestGateway.handlerURL("google.com"))
        return browser
    }

    @Test("A code that was issued to another flow is rejected", arguments: ["apple.com", "google.com", "oidc.corp"])
    func codeInjection(provider: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let otherFlow = try await gateway.startFlow(provider)
        let stolenCode = try gateway.authorizationCode(of: .mary, for: otherFlow.authURI)
        let victimsFlow = try await gateway.startFlow(provider)
        let page = try await TestBrowser(gateway).signInAtProvider(opening: victimsFlow.authURI) { response in
            response = response.map { $0.0 == "code" ? ("code", stolenCode) : $0 }
        }
        #expect(page.status == 400)
        #expect(page.heading == "We could not sign you in")
    }

    @Test("A response of one provider is not accepted in a flow of another provider")
    func mixUp() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let google = try await gateway.startFlow("google.com")
        let page = try await TestBrowser(gateway).signInAtProvider(opening: google.authURI) { response in
            response = response.map { $0.0 == "iss" ? ("iss", "https://a.corp.example") : $0 }
        }
        #expect(page.heading == "We could not sign you in")
        #expect(gateway.simulators.google.faultInjection.requestCount(at: SimulatedGoogle.tokenPath) == 0)

        let corporate = try await gateway.startFlow("oidc.corp")
        let withoutIssuer = try await TestBrowser(gateway).signInAtProvider(opening: corporate.authURI) {
            $0.removeAll { $0.0 == "iss" }
        }
        #expect(withoutIssuer.heading == "We could not sign you in", "this provider always sends iss")

        let form = try await TestBrowser(gateway).send(
            .post, "/__/auth/handler", form: [("state", QueryParameters(google.authURI)["state"]), ("code", "x")])
        #expect(form.status == 400)
        let apple = try await gateway.startFlow("apple.com")
        let query = try await TestBrowser(gateway).send(
            .get, "/__/auth/handler?code=x&state=" + QueryParameters(apple.authURI)["state"])
        #expect(query.status == 400)
        #expect(gateway.simulators.apple.faultInjection.requestCount(at: SimulatedApple.tokenPath) == 0)
    }

    @Test(
        "A provider that does not send `iss` has its own redirect URI, and so does not get codes of other providers")
    func providerWithoutIss() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO identity_provider (realm_id, provider, settings, updated_at) VALUES ('demo', 'oidc.silent',
                '{"enabled": true, "clientIds": ["corp-client"], "openId": {"issuer": "https://silent.corp.example",
                "trustsEmail": false}}', now())
            """)
        let flow = try await gateway.withFreshCaches().startFlow("oidc.silent")
        let request = QueryParameters(flow.authURI)
        #expect(request["redirect_uri"] == "https://auth.example.com/__/auth/handler/demo/oidc.silent")
        let query = "?code=c-of-apple&state=" + request["state"]
        for path in ["/__/auth/handler", "/__/auth/handler/demo/oidc.corp"] {
            let page = try await TestBrowser(gateway).send(.get, path + query)
            #expect(page.heading == "We could not sign you in")
        }
        #expect(!gateway.simulators.requestLog.urls.contains("https://silent.corp.example/token"))
        let location = try await flow.signInAtProvider()
        #expect(try await flow.signIn(at: location).outcome == "200")
    }

    @Test("A browser gets at most five cookies of flows, and a rejected response removes the cookie of its flow")
    func cookies() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let browser = TestBrowser(gateway)
        for _ in 0..<12 { _ = try await browser.send(.get, TestGateway.handlerURL("google.com")) }
        #expect(browser.cookies.count <= 5)
        let started = try await browser.send(.get, TestGateway.handlerURL("google.com"))
        let before = browser.cookies.count
        _ = try await browser.signInAtProvider(opening: #require(started.location)) {
            $0 = $0.filter { $0.0 == "state" }
        }
        #expect(browser.cookies.count == before - 1, "the cookie of the rejected flow is removed")
    }

    @Test("A repeated parameter of a response is rejected", arguments: ["state", "code", "iss", "error"])
    func repeated(name: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let google = try await gateway.startFlow("google.com")
        let page = try await TestBrowser(gateway).signInAtProvider(opening: google.authURI) { response in
            response += [(name, "access_denied")]
            // The response has no `error` yet, so a second one repeats it.
            if name == "error" { response += [(name, "access_denied")] }
        }
        #expect(page.heading == "We could not sign you in")
        let apple = try await gateway.startFlow("apple.com")
        let form = try await TestBrowser(gateway).signInAtProvider(opening: apple.authURI) {
            $0 += [(name, "x"), (name, "y")]
        }
        #expect(form.status == 400)
        #expect(gateway.tokenRequestCount == 0)
    }

    @Test("A code of one tenant's provider is not sent to another tenant's provider of the same name")
    func otherTenant() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let tenants = try await TenantFixture(gateway)
        var flows: [(flow: ClientFlow, issuer: String)] = []
        for number in 1...2 {
            let (tenant, issuer) = (
                try await tenants.makeTenantWithProvidersOfProject(), "https://silent\(number).corp.example"
            )
            _ = try await gateway.database.pool.execute(
                """
                UPDATE identity_provider SET settings = jsonb_set(settings, '{openId,issuer}', to_jsonb(\(issuer)::text))
                WHERE realm_id = \("demo/" + tenant) AND provider = 'oidc.corp'
                """)
            let fresh = try gateway.withFreshCaches()
            flows.append((try await fresh.startFlow("oidc.corp", ["tenantId": .string(tenant)]), issuer))
        }
        let (attacker, victim) = (flows[0], flows[1])
        let attackerURI = QueryParameters(attacker.flow.authURI)["redirect_uri"]
        let victimURI = QueryParameters(victim.flow.authURI)["redirect_uri"]
        #expect(attackerURI != victimURI)
        // The attacker makes the victim's provider return a code with the state of the attacker's flow.
        let query = "?code=c-of-victim&state=" + QueryParameters(attacker.flow.authURI)["state"]
        let page = try await TestBrowser(attacker.flow.gateway).send(.get, victimURI + query)
        #expect(page.status == 400)
        #expect(!gateway.simulators.requestLog.urls.contains(attacker.issuer + "/token"))
        #expect(try await attacker.flow.signInAtProvider().contains("grant="))
    }

    @Test("A provider's response cannot be replayed")
    func replay() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for provider in ["apple.com", "google.com"] {
            let flow = try await gateway.startFlow(provider)
            let browser = TestBrowser(gateway)
            #expect(try await browser.signInAtProvider(opening: flow.authURI).status == 303)
            let again = try await browser.signInAtProvider(opening: flow.authURI)
            #expect(again.status == 400)
            #expect(again.heading == "This sign-in is already finished")
        }
    }

    @Test("A forged or changed state is rejected", arguments: ["", "x", ".", "x.demo", "x.other", "x.%00"])
    func forgedState(text: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let real = QueryParameters(try await gateway.startFlow("google.com").authURI)["state"]
        // Besides `text`: a valid state with another realm, with 7 other characters before `.demo`, and with one
        // character more.
        for state in [
            text, real.replacing(".demo", with: ".demo/t"), String(real.dropLast(12)) + "AAAAAAA.demo", real + "x",
        ] {
            let page = try await TestBrowser(gateway).send(.get, "/__/auth/handler?code=x&state=" + state)
            #expect(page.status == 400)
            #expect(page.heading == "This sign-in has expired")
        }
    }

    @Test("No event is delivered to a page outside the authorized domains")
    func foreignPage() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for page in [
            "https://evil.example/", "https://localhost.evil.example/", "https://localhost@evil.example/",
            "javascript:alert(1)", "//evil.example", "https://evil.example\\@localhost/",
        ] {
            let popup = try await TestBrowser(gateway).send(
                .get, TestGateway.handlerURL("google.com", ["redirectUrl": page]))
            #expect(popup.status == 400)
            #expect(popup.location == nil)
            #expect(!popup.text.contains("evil"))
            let redirect = try await TestBrowser(gateway).send(
                .get, TestGateway.handlerURL("google.com", type: "signInViaRedirect", ["redirectUrl": page]))
            #expect(redirect.delivery == nil)
        }
    }

    @Test("Parameters cannot put markup or a script into a page")
    func markup() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let browser = TestBrowser(gateway)
        let evil = #"a"></body><script>alert(1)</script>"#
        let started = try await browser.send(
            .get,
            TestGateway.handlerURL(
                "google.com", ["eventId": evil, "appName": evil, "redirectUrl": "https://localhost/\"><script>"]))
        let page =
            started.status == 303 ? try await browser.signInAtProvider(opening: #require(started.location)) : started
        #expect(!page.text.contains("<script>alert"))
        #expect(!page.text.contains("localhost/\"><"))
    }
}
