import Encoding
import HTTP
import IPAddresses
import Identity
import Pages
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("The account page: what it shows")
struct AccountPageViewTests {
    @Test(
        "The page has the brand of the app from which the user came, also after signing in, and no other cookie decides"
    )
    func brandOfApp() async throws {
        let configurator = try await Configurator()
        let brand: JSON = ["brand": ["name": "Acme Go"]]
        #expect(try await configurator.send(.patch, "apps/default", brand, mask: "brand").outcome == "200")
        let gateway = configurator.gateway
        let (ada, _) = try await AccountBrowser.ofAda(gateway)
        func name(_ query: String, of browser: AccountBrowser) async throws -> Bool {
            try await browser.browser.send(.get, AccountBrowser.root + query).text.contains("Acme Go")
        }
        #expect(try await !name("", of: ada))
        #expect(try await !name("?app=unknown", of: ada))
        #expect(try await name("?app=default", of: ada))
        #expect(try await name("", of: ada))
        #expect(try await name("/methods", of: ada))
        let stranger = try await AccountBrowser(gateway, nil)
        let signedOut = try await stranger.browser.send(.get, AccountBrowser.root + "?app=default")
        #expect(signedOut.status == 303)
        let signIn = try await stranger.browser.send(.get, "/demo/__/auth/signIn?account=1")
        #expect(signIn.text.contains("Acme Go"))
    }

    @Test(
        "Without a session, every part leads to the sign-in page and back to the part",
        arguments: AccountPath.allCases.filter { $0 != .delete })
    func signedOut(path: AccountPath) async throws {
        let stranger = try await AccountBrowser(TestGateway(), nil)
        let response = try await stranger.open(path.rawValue)
        #expect(response.status == 303)
        let location = try #require(response.location)
        let expected =
            path == .overview ? "signIn?account=1" : "../signIn?account=1&continue=next%3D\(path.rawValue)"
        #expect(location == expected)
        guard path != .overview else { return }
        let (browser, _) = try await AccountBrowser.ofAda(stranger.gateway)
        let returned = try await browser.browser.send(.get, AccountBrowser.root + "?next=\(path.rawValue)")
        #expect(returned.location == "account/\(path.rawValue)")
    }

    @Test("The page about deletion is public, and has no form without a session")
    func publicDeletion() async throws {
        let stranger = try await AccountBrowser(TestGateway(), nil)
        let page = try await stranger.open("delete")
        #expect(page.status == 200)
        #expect(page.heading == "Delete account")
        #expect(page.forms.isEmpty)
        #expect(page.text.contains("../signIn?account=1&amp;continue=next%3Ddelete"))
        let posted = try await stranger.browser.send(
            .post, AccountBrowser.root + "/delete", form: [("confirmed", "true")], headers: AccountBrowser.ownForm)
        #expect(posted.status == 303)
    }

    @Test(
        "Each part of a signed-in user is a page that no cache keeps and no frame shows",
        arguments: AccountPath.allCases.filter { $0 != .add })
    func headers(path: AccountPath) async throws {
        let (browser, _) = try await AccountBrowser.ofAda(TestGateway.withSecondFactors())
        let part = path == .remove ? "remove?method=password" : path.rawValue
        let page = try await browser.open(part)
        let expected: Int =
            switch path {
            // Only an account with a second factor has recovery codes, and the project's origins do not have the page.
            case .recoveryCodes, .passkey: 400
            // The account has no passkey.
            case .rename: 404
            default: 200
            }
        #expect(page.status == expected, "\(page.status) \(page.location ?? "")")
        #expect(page.headers["Cache-Control"] == "no-store")
        #expect(page.headers["X-Frame-Options"] == "DENY")
        #expect(page.headers["Referrer-Policy"] == "same-origin")
        let policy = try #require(page.headers["Content-Security-Policy"])
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("script-src"))
    }

    @Test("The overview and the ways to sign in show the account")
    func overview() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        _ = try await gateway.update(ada.idToken, ["displayName": "Countess"])
        _ = try await gateway.link(gateway.googleCredential(), to: ada.idToken)
        let overview = try await browser.open().words
        #expect(overview.contains("ada@example.com") && overview.contains("Countess"))
        let methods = try await browser.open("methods").words
        #expect(methods.contains("Google") && methods.contains("Password"))
    }

    @Test("The activity is told in words, and an operator's change says who made it")
    func activity() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        _ = try await gateway.link(gateway.googleCredential(), to: ada.idToken)
        _ = try await gateway.administerAccounts(
            ":update", ["localId": .string(ada.localId), "displayName": "Countess"])
        let activity = try await browser.open("activity").words
        #expect(activity.contains("Google added"))
        #expect(activity.contains("Account changed, by the people who run Demo"), "\(activity)")
        #expect(activity.contains("Email address confirmed"))
    }

    @Test("A user with many devices sees all of them, page by page")
    func manyDevices() async throws {
        let gateway = try await TestGateway()
        let (browser, _) = try await AccountBrowser.ofAda(gateway)
        try await gateway.copySession(times: 14)
        let first = try await browser.open("devices")
        let next = try #require(first.text.firstMatch(of: #/href="(devices\?after=[^"]*)"/#)?.output.1)
        let second = try await browser.open(String(next))
        #expect(first.text.matches(of: /<section>/).count == Page.deviceLimit)
        #expect(second.text.matches(of: /<section>/).count == 15 - Page.deviceLimit)
    }

    @Test("Threat 8: names of devices and profiles are text, and no header of a client is shown")
    func hostileNames() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        _ = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"],
            headers: ["User-Agent": "<script>alert(1)</script> (your account is safe; iPhone)"])
        _ = try await gateway.update(ada.idToken, ["displayName": "<script>alert(1)</script>"])
        for part in ["", "devices", "profile"] {
            let page = try await browser.open(part)
            #expect(page.status == 200)
            #expect(!page.text.contains("<script"))
            #expect(!page.text.contains("your account is safe"))
        }
    }

    @Test("Threat 15: on an app's host there is no session, and the page leads to the gateway's own host")
    func forwardedHost() async throws {
        let proxy = try #require(IPNetwork("192.0.2.0/24"))
        let gateway = try await TestGateway(trustedProxies: [proxy])
        let (browser, _) = try await AccountBrowser.ofAda(gateway)
        let response = try await browser.open("methods", headers: [("X-Forwarded-Host", "localhost")])
        #expect(response.status == 303)
        #expect(response.location == "https://auth.example.com/demo/__/auth/account/methods")
        let root = try await browser.browser.send(.get, "/__/auth/account")
        #expect(root.location == "https://auth.example.com/demo/__/auth/account")
    }

    @Test("A link cannot make the page state that something was done")
    func forgedNotice() async throws {
        let (browser, _) = try await AccountBrowser.ofAda(TestGateway())
        for query in ["done=password", "done=password&proof=AAAA", "done=others&proof="] {
            let page = try await browser.open("methods?" + query)
            #expect(page.status == 200)
            #expect(!page.text.contains(#"role="status""#))
        }
        let deleted = try await AccountBrowser(browser.gateway, nil).open("delete?deleted=QUEUED&proof=AAAA")
        #expect(deleted.heading == "Delete account")
    }
}
