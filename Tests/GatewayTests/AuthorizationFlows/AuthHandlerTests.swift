import Crypto
import HTTP
import IPAddresses
import Identity
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("The handler of Firebase's JavaScript SDK", .serialized)
struct AuthHandlerTests {
    /// The `redirectUrl` of ``TestGateway/handlerURL``.
    private static let appPage = "https://localhost/app?tab=1#top"

    /// Signs in with the event that the script of a result page delivers to the SDK, as the SDK does.
    static func signIn(withEventOf page: Exchange, at gateway: TestGateway, _ more: [String: JSON] = [:]) async throws
        -> Exchange
    {
        let event = try #require(page.delivery?["event"], "\(page.text)")
        return try await gateway.signIn(
            at: event["urlResponse"]?.string, sessionID: event["sessionId"]?.string,
            more.merging(["returnIdpCredential": true]) { $1 })
    }

    @Test(
        "The handler signs in by popup and redirect with Apple, Google and OpenID, at both paths",
        arguments: ["apple.com", "google.com", "oidc.corp"], ["/__/auth/handler", "/emulator/auth/handler"])
    func signIn(provider: String, path: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for (type, mode) in [("signInViaPopup", "popup"), ("signInViaRedirect", "page")] {
            let browser = TestBrowser(gateway)
            let started = try await browser.send(.get, TestGateway.handlerURL(provider, type: type, at: path))
            #expect(started.status == 303, "\(started.text)")
            let page = try await browser.signInAtProvider(opening: #require(started.location))
            #expect(page.status == 200, "\(page.text)")
            let delivery = try #require(page.delivery)
            #expect(delivery["mode"]?.string == mode)
            #expect(delivery["key"] == "pk_test:[DEFAULT]")
            #expect(delivery["returnTo"]?.string == Self.appPage)
            #expect(delivery["event"]?["type"]?.string == type)
            #expect(delivery["event"]?["eventId"] == "0123456789")
            #expect(delivery["event"]?["error"] == nil)
            #expect(try await Self.signIn(withEventOf: page, at: gateway).outcome == "200")
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("The handler links an identity, and a re-authentication with an unknown identity creates no account")
    func operations() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let ada = try await gateway.signUp(email: "someone@example.com")
        let browser = TestBrowser(gateway)
        let linking = try await browser.send(.get, TestGateway.handlerURL("google.com", type: "linkViaPopup"))
        let linkingPage = try await browser.signInAtProvider(.mary, opening: #require(linking.location))
        let linked = try await Self.signIn(withEventOf: linkingPage, at: gateway, ["idToken": .string(ada.idToken)])
        #expect(linked.json["localId"]?.string == ada.localId, "\(linked.text)")
        let reauthentication = try await browser.send(
            .get, TestGateway.handlerURL("google.com", type: "reauthViaRedirect"))
        let strangersPage = try await browser.signInAtProvider(.ada, opening: #require(reauthentication.location))
        #expect(try await Self.signIn(withEventOf: strangersPage, at: gateway).outcome == "400 EMAIL_NOT_FOUND")
        #expect(try await gateway.accountCount() == 1)
    }

    @Test("After a cancelled sign-in, the page delivers an event with the SDK's error")
    func cancelled() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let browser = TestBrowser(gateway)
        let started = try await browser.send(.get, TestGateway.handlerURL("google.com"))
        let page = try await browser.signInAtProvider(opening: #require(started.location)) { response in
            response = response.filter { $0.0 == "state" } + [("error", "access_denied")]
        }
        #expect(page.delivery?["event"]?["error"]?["code"] == "auth/user-cancelled")
        #expect(page.delivery?["waits"] == false, "the script delivers the event without a click")
    }

    @Test("The cookie of a flow is HttpOnly, Secure and SameSite=Lax")
    func cookie() async throws {
        let started = try await TestBrowser(TestGateway.withAppleGoogleAndOpenID()).send(
            .get, TestGateway.handlerURL("google.com"))
        let cookie = try #require(started.headers["Set-Cookie"])
        #expect(cookie.hasPrefix("__Host-sekisho-flow-"))
        #expect(cookie.hasSuffix("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"))
        #expect(
            started.location?.hasSuffix("#") == true,
            "without an empty fragment, the browser would add the fragment of the handler's URL")
    }

    @Test(
        "The handler's pages have strict headers, but none that separates a popup from the page that opened the popup")
    func headers() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let browser = TestBrowser(gateway)
        let started = try await browser.send(.get, TestGateway.handlerURL("google.com"))
        let result = try await browser.signInAtProvider(opening: #require(started.location))
        let failure = try await browser.send(.get, "/__/auth/handler?state=x")
        for page in [started, result, failure] {
            #expect(page.headers["Cache-Control"] == "no-store")
            #expect(page.headers["Referrer-Policy"] == "no-referrer")
            #expect(page.headers["Cross-Origin-Opener-Policy"] == nil)
            #expect(page.headers["X-Frame-Options"] == nil)
            #expect(!page.headers.contains { $0.name.lowercased().hasPrefix("access-control-") })
        }
        for page in [result, failure] {
            let policy = try #require(page.headers["Content-Security-Policy"])
            #expect(policy.hasPrefix("default-src 'none'; "))
            #expect(policy.hasSuffix("form-action 'none'; frame-ancestors 'none'; base-uri 'none'"))
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
            #expect(policy.contains("script-src 'sha256-") == (page.delivery != nil))
        }
    }

    @Test("The SDK's iframe loads Google's library, and only the project's domains may embed the iframe")
    func iframe() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for path in ["/__/auth/iframe", "/emulator/auth/iframe"] {
            let iframe = try await TestBrowser(gateway).send(.get, path + "?apiKey=pk_test&appName=a&eid=p")
            #expect(iframe.status == 200)
            let policy = try #require(iframe.headers["Content-Security-Policy"])
            #expect(policy.contains("; script-src 'sha256-"))
            #expect(policy.contains("' https://apis.google.com; "))
            #expect(policy.contains("; frame-ancestors https://localhost:* http://localhost:*; "))
            #expect(iframe.headers["X-Frame-Options"] == nil)
            #expect(iframe.headers["Cache-Control"] == "public, max-age=300")
        }
        try await gateway.makeOtherProject(apiKey: "pk_other") {
            $0.realm.project.authorizedDomains = ["other.example"]
        }
        let ofOtherProject = try await TestBrowser(gateway).send(.get, "/__/auth/iframe?apiKey=pk_other&appName=a")
        let ancestors = try #require(ofOtherProject.headers["Content-Security-Policy"])
        #expect(
            ancestors.contains("; frame-ancestors https://other.example:*; "),
            "the domains are those of the API key's project")
        let unknown = try await TestBrowser(gateway).send(.get, "/__/auth/iframe?apiKey=unknown&appName=a")
        #expect(unknown.status == 400)
        #expect(unknown.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
    }

    @Test(
        "The frame contains the API key that decides which pages may embed it, whatever else the query contains",
        arguments: ["api%E2%84%AAey=pk_other&apiKey=pk_test", "apiKey=pk_test&apikey=pk_other", "api%4Bey=pk_test"])
    func frameKey(query: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        try await gateway.makeOtherProject(apiKey: "pk_other") {
            $0.realm.project.authorizedDomains = ["other.example"]
        }
        let frame = try await TestBrowser(gateway).send(.get, "/__/auth/iframe?\(query)&appName=%22%3E%3Cscript%3E")
        #expect(frame.text.contains(#"<body data-frame="pk_test:&quot;&gt;&lt;script&gt;">"#), "\(frame.text)")
        let policy = try #require(frame.headers["Content-Security-Policy"])
        #expect(policy.contains("; frame-ancestors https://localhost:* http://localhost:*; "))
    }

    @Test(
        "A frame or a handler with a repeated parameter is refused",
        arguments: ["apiKey=pk_test", "api%4Bey=pk_other", "appName=b", "eid=q"])
    func repeatedParameter(parameter: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for path in ["/__/auth/iframe?apiKey=pk_test&appName=a&eid=p", TestGateway.handlerURL("google.com") + "&eid=p"]
        {
            #expect(try await TestBrowser(gateway).send(.get, path).status != 400)
            let refused = try await TestBrowser(gateway).send(.get, "\(path)&\(parameter)")
            #expect(refused.status == 400)
            #expect(refused.heading == "This sign-in link is incomplete")
            #expect(!refused.text.contains("data-frame"))
        }
    }

    @Test("The handler drops a custom parameter `prompt` that contains `none`, as `createAuthUri` does")
    func promptNone() async throws {
        let browser = TestBrowser(try await TestGateway.withAppleGoogleAndOpenID())
        for (prompt, isKept) in [("select_account", true), ("none", false), ("login NONE", false)] {
            let url = TestGateway.handlerURL("google.com", ["customParameters": #"{"prompt":"\#(prompt)"}"#])
            let location = try #require(try await browser.send(.get, url).location)
            #expect((QueryParameters(location)["prompt"] == prompt) == isKept, "\(location)")
        }
    }

    @Test("The redirect URI has the host that a trusted proxy names, if that host is an authorized domain")
    func proxy() async throws {
        let gateway = try await TestGateway(trustedProxies: [try #require(IPNetwork("192.0.2.1"))])
        for (host, origin) in [
            ("localhost", "https://localhost"), ("localhost:8443", "https://localhost:8443"),
            ("evil.example", "https://auth.example.com"), ("localhost/x", "https://auth.example.com"),
            ("localhost?x", "https://auth.example.com"),
        ] {
            let started = try await TestBrowser(gateway).send(
                .get, TestGateway.handlerURL("google.com"),
                headers: [("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https")])
            let uri = QueryParameters(try #require(started.location))["redirect_uri"]
            #expect(uri == origin + "/__/auth/handler")
        }
        let twice = try await TestBrowser(gateway).send(
            .get, TestGateway.handlerURL("google.com"),
            headers: [("X-Forwarded-Host", "localhost"), ("X-Forwarded-Host", "localhost")])
        let configured = QueryParameters(try #require(twice.location))["redirect_uri"]
        #expect(
            configured == "https://auth.example.com/__/auth/handler", "the client may have sent one of the two values")
        let untrusted = try await TestBrowser(TestGateway()).send(
            .get, TestGateway.handlerURL("google.com"), headers: [("X-Forwarded-Host", "localhost")])
        let uri = QueryParameters(try #require(untrusted.location))["redirect_uri"]
        #expect(uri == "https://auth.example.com/__/auth/handler")
    }

    @Test(
        "A handler URL with an invalid parameter gets a page that explains the error",
        arguments: [
            (["providerId": ""], "This sign-in link is incomplete"),
            (["apiKey": ""], "This sign-in link is incomplete"),
            (["authType": "signInWithRedirect"], "This sign-in link is incomplete"),
            (["customParameters": "[]"], "This sign-in link is incomplete"),
            (["apiKey": "unknown"], "This sign-in link is incomplete"),
            (["tid": "unknown-tenant"], "This sign-in link is incomplete"),
            (["providerId": "oidc.none"], "This sign-in is not available"),
            (["redirectUrl": "https://evil.example/"], "This website cannot use this sign-in"),
        ])
    func malformed(change: [String: String], heading: String) async throws {
        let browser = TestBrowser(try await TestGateway.withAppleGoogleAndOpenID())
        let page = try await browser.send(.get, TestGateway.handlerURL("google.com", change))
        #expect(page.status == 400)
        #expect(page.heading == heading)
        #expect(browser.cookies.isEmpty)
    }
}
