import Encoding
import HTTP
import IPAddresses
import Identity
import Testing

@testable import Support

@Suite("Accounts that a browser remembers")
struct RememberedAccountTests {
    private static let cookie = "__Host-sekisho-accounts-demo"
    private static let remembering = ["email": "ada@example.com", "password": "secret1", "remember": "on"]

    private static func visit() async throws -> SignInPageVisit {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: "ada@example.com")
        return SignInPageVisit(gateway)
    }

    private static func remember(_ visit: SignInPageVisit, email: String = "ada@example.com") async throws {
        let page = try await visit.open(["prompt": "login"])
        let done = try await visit.submit(page, "signIn", remembering.merging(["email": email]) { $1 })
        #expect(done.result != nil, "\(done.text)")
    }

    @Test("Only a user who asks for it is remembered, with a sealed cookie that scripts cannot read")
    func optIn() async throws {
        let visit = try await Self.visit()
        _ = try await visit.signIn()
        #expect(visit.browser.cookies[Self.cookie] == nil)
        let page = try await visit.open(["prompt": "login"])
        let done = try await visit.submit(page, "signIn", Self.remembering)
        let header = try #require(
            done.headers.filter { $0.name == "Set-Cookie" }.map(\.value).first { $0.hasPrefix(Self.cookie) })
        #expect(header.contains("; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure"), "\(header)")
        #expect(!header.contains("ada"))
        let next = try await visit.open(["prompt": "login"])
        #expect(next.text.contains("Accounts on this device"))
        #expect(next.text.contains(#"value="ada@example.com""#))
    }

    @Test("After a failed attempt, the form shows the choice, and the last form decides", arguments: [false, true])
    func choiceAfterFailure(isWanted: Bool) async throws {
        let visit = try await Self.visit()
        let ticked = try await visit.submit(
            visit.open(), "signIn", Self.remembering.merging(["password": "wrong"]) { $1 })
        #expect(ticked.text.contains(#/<input id="remember"[^>]* checked/#), "\(ticked.text)")
        var fields = Self.remembering
        fields["remember"] = isWanted ? "on" : nil
        let failed = try await visit.submit(ticked, "signIn", fields.merging(["password": "wrong"]) { $1 })
        #expect(failed.text.contains(#/<input id="remember"[^>]* checked/#) == isWanted)
        // The sealed visit has the choice too: that of the form decides.
        let done = try await visit.submit(ticked, "signIn", fields)
        #expect(done.result != nil)
        #expect((visit.browser.cookies[Self.cookie] != nil) == isWanted)
    }

    @Test("The cookie proves nothing: without a session, a login is required")
    func provesNothing() async throws {
        let visit = try await Self.visit()
        try await Self.remember(visit)
        let other = SignInPageVisit(visit.gateway)
        other.browser.setCookie(Self.cookie, try #require(visit.browser.cookies[Self.cookie]))
        let page = try await other.open()
        #expect(page.text.contains("Accounts on this device") && page.text.contains("current-password"))
        #expect(!page.text.contains("Continue as <bdi>"))
        #expect(try await other.open(["prompt": "none"]).location?.contains("error=login_required") == true)
        let wrong = try await other.submit(page, "signIn", ["email": "ada@example.com", "password": "wrong"])
        #expect(wrong.result == nil)
    }

    @Test("A user who chooses a remembered account comes to the password, where the focus is")
    func choose() async throws {
        let visit = try await Self.visit()
        try await Self.remember(visit)
        let page = try await visit.open(["prompt": "login"])
        let list = try await visit.rememberedAccounts()
        let button = try #require(
            list.text.firstMatch(of: #/form="screens" name="account" value="([^"]*)"/#), "\(list.text)")
        let flow = try #require(try page.form("signIn")["flow"])
        let query = PercentEncoding.encode(form: [("flow", flow), ("account", String(button.output.1))])
        let chosen = try await visit.browser.send(.get, SignInPageVisit.path + "?" + query)
        #expect(chosen.text.contains(#/<input id="password"[^>]* autofocus/#), "\(chosen.text)")
        #expect(!page.text.contains(#/<input id="password"[^>]* autofocus/#))
    }

    @Test("A user removes an account from the list")
    func remove() async throws {
        let visit = try await Self.visit()
        try await Self.remember(visit)
        let list = try await visit.rememberedAccounts()
        let button = #/form="forget" name="account" value="([^"]*)"/#
        let account = try #require(list.text.firstMatch(of: button)?.output.1, "\(list.text)")
        let removed = try await visit.follow(visit.submit(list, "forget", ["account": String(account)]))
        #expect(removed.heading == "Sign in", "without accounts, there is no list")
        #expect(visit.browser.cookies[Self.cookie] == nil)
        #expect(try await !visit.open(["prompt": "login"]).text.contains("Accounts on this device"))
    }

    @Test("The browser remembers five accounts, and each for 180 days")
    func limits() async throws {
        let visit = try await Self.visit()
        for index in 0..<6 {
            _ = try await visit.gateway.signUp(email: "user\(index)@example.com")
            try await Self.remember(visit, email: "user\(index)@example.com")
        }
        let page = try await visit.rememberedAccounts().text
        for index in 0..<6 { #expect(page.contains("Sign in as") && page.contains("user\(index)@") == (index > 0)) }
        visit.gateway.clock.advance(by: .seconds(180 * 86_400))
        #expect(try await !visit.open(["prompt": "login"]).text.contains("Accounts on this device"))
    }

    @Test(
        "The account of a provider is remembered if the user has chosen so on the page, and the choice can be taken back",
        arguments: ["apple.com", "google.com"], [true, false])
    func provider(provider: String, isKept: Bool) async throws {
        let visit = SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
        var page = try await visit.open()
        #expect(page.text.contains(#"name="step" value="remember""#), "\(page.text)")
        page = try await visit.follow(visit.submit(page, "remember"))
        #expect(page.text.contains("Your account will be remembered on this device."), "\(page.text)")
        if !isKept { page = try await visit.follow(visit.submit(page, "dontRemember")) }
        #expect(page.text.contains("Your account will be remembered") == isKept)
        let done = try await visit.signIn(with: provider, on: page)
        #expect(done.result != nil, "\(done.text)")
        #expect((visit.browser.cookies[Self.cookie] != nil) == isKept)
        let next = try await visit.open(["prompt": "login"])
        let note = #/providerId=([a-z.]+)&(?:(?!providerId).)*<\/a><p class="note"><bdi>[^<]+<\/bdi><\/p>/#
        #expect(next.text.matches(of: note).map { String($0.output.1) } == (isKept ? [provider] : []))
        guard isKept else { return }
        let list = try await visit.rememberedAccounts()
        #expect(list.text.contains(#"form="forget""#) && !list.text.contains("Sign in as"), "\(list.text)")
    }

    @Test("The box of the page counts for a passkey too", arguments: [true, false])
    func passkey(isWanted: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey().acceptingPasskeysOnPages()
        var ada = try await gateway.enrolPasskey(gateway.signUp(email: "ada@example.com"))
        let visit = SignInPageVisit(gateway)
        let ticked = try await visit.submit(
            visit.open(), "signIn", Self.remembering.merging(["password": "wrong"]) { $1 })
        let done = try await visit.submitPasskey(ticked, &ada.device, isWanted ? ["remember": "on"] : [:])
        #expect(done.result != nil, "\(done.text)")
        #expect((visit.browser.cookies[Self.cookie] != nil) == isWanted)
    }

    @Test("A cookie that the gateway did not seal for this purpose is ignored", arguments: ["", "x", "flow"])
    func forged(value: String) async throws {
        let visit = try await Self.visit()
        let page = try await visit.open()
        let flow: [String: String] = try page.form("signIn")
        visit.browser.setCookie(Self.cookie, value == "flow" ? flow["flow"] ?? "" : value)
        let next = try await visit.open()
        #expect(next.status == 200)
        #expect(!next.text.contains("Accounts on this device"))
    }

    @Test("On the host of an app, the page neither shows nor stores remembered accounts")
    func forwardedHost() async throws {
        let gateway = try await TestGateway(trustedProxies: [try #require(IPNetwork("192.0.2.0/24"))])
        _ = try await gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(gateway)
        try await Self.remember(visit)
        let forwarded = [("X-Forwarded-Host", "localhost"), ("X-Forwarded-Proto", "https")]
        let page = try await visit.browser.send(.get, SignInPageVisit.url(["prompt": "login"]), headers: forwarded)
        #expect(page.status == 200 && !page.text.contains("ada@example.com"))
        let done = try await visit.submit(
            page, "signIn", Self.remembering, headers: SignInPageVisit.formHeaders + forwarded)
        #expect(!done.headers.contains { $0.name == "Set-Cookie" && $0.value.contains("sekisho-accounts") })
    }
}

extension SignInPageVisit {
    /// The page that lists the accounts, to which the first screen leads.
    func rememberedAccounts() async throws -> Exchange {
        let page = try await open(["prompt": "login"])
        #expect(page.text.contains(#"form="screens" name="screen" value="accounts""#), "\(page.text)")
        let list = try await show("accounts", after: page)
        #expect(list.heading == "Accounts on this device", "\(list.text)")
        return list
    }

    /// Another screen of the flow of a page.
    func show(_ screen: String, after page: Exchange) async throws -> Exchange {
        let query = PercentEncoding.encode(form: [("flow", try page.form("cancel")["flow"] ?? ""), ("screen", screen)])
        return try await browser.send(.get, Self.path + "?" + query)
    }
}
