import Encoding
import HTTP
import Testing

@testable import Support

@Suite("The switch of the language on pages")
struct LanguageSwitchTests {
    /// The hidden fields of the switch, which can share a form with other buttons; `nil` for a page without it.
    private func fields(_ page: Exchange) -> [String: String]? {
        let own = page.text.firstMatch(of: #/<footer>.*<form>(.*)</form>/#)?.output.1
        let shared =
            page.text.contains(#"form="screens" name="change""#)
            ? page.text.firstMatch(of: #/<form id="screens"[^>]*>(.*?)</form>/#)?.output.1 : nil
        guard let form = own ?? shared else { return nil }
        let hidden = form.matches(of: #/type="hidden" name="([^"]*)" value="([^"]*)"/#)
        return Dictionary(uniqueKeysWithValues: hidden.map { (String($0.output.1), String($0.output.2)) })
    }

    private func language(_ page: Exchange) -> String? { page.headers["Content-Language"] }

    @Test("On the sign-in page, the switch keeps the flow, and precedes the language that the app requested")
    func signInPage() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        let visit = SignInPageVisit(gateway)
        let page = try await visit.open(["hl": "de"])
        #expect(language(page) == "de")
        let kept = PercentEncoding.encode(form: try #require(fields(page)).map { ($0, $1) })
        let other = try await visit.browser.send(.get, SignInPageVisit.path + "?\(kept)&language=ja&screen=signUp")
        #expect(language(other) == "de", "another button of the form chooses no language")
        let switched = try await visit.browser.send(.get, SignInPageVisit.path + "?\(kept)&language=ja&change=")
        #expect(language(switched) == "ja")
        #expect(try #require(fields(switched)).keys.contains("flow"))
        let hostile = try await visit.browser.send(
            .get, SignInPageVisit.path + "?\(kept)&screen=javascript:x&continueUri=https://evil.example/")
        #expect(try #require(fields(hostile)).keys.sorted() == ["flow"])
        let rejected = try await visit.submit(switched, "signIn", ["email": "ada@example.com", "password": "wrong"])
        #expect(language(rejected) == "ja")
        #expect(try #require(fields(rejected)).keys.contains("flow"))
        let result = try await visit.submit(rejected, "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(try await visit.exchange(result.requiredResult()).status == 200)
    }

    @Test("The language that an app requests precedes one that the user chose before, also in the steps of the flow")
    func requestedByApp() async throws {
        let gateway = try await TestGateway()
        let visit = SignInPageVisit(gateway)
        visit.browser.setCookie("__Host-sekisho-language", "ko")
        #expect(language(try await visit.open()) == "ko")
        let page = try await visit.openURI(["hl": "fr"])
        #expect(language(page) == "fr")
        let rejected = try await visit.submit(page, "signIn", ["email": "eve@example.com", "password": "wrong"])
        #expect(language(rejected) == "fr")
    }

    @Test("A page of a link keeps the code and the mode of the link, and no parameter that it does not use")
    func emailedLink() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        let page = try await TestBrowser(gateway).send(
            .get, "/__/auth/action?mode=verifyEmail&oobCode=\(code)&lang=de&x=%22%3E%3Cscript%3E")
        let kept = try #require(fields(page), "\(page.text)")
        #expect(kept["oobCode"] == code && kept["mode"] == "verifyEmail")
        #expect(kept.count == 2)
        #expect(!page.text.contains("script&gt;") && !page.text.contains("<script>"))
        #expect(page.text.contains(#"<option value="de" lang="de" selected>Deutsch</option>"#))
    }

    @Test("A page about a failure, a page after a form and a callback have no switch")
    func notRepeatable() async throws {
        let gateway = try await TestGateway()
        let browser = TestBrowser(gateway)
        #expect(fields(try await browser.send(.get, "/__/auth/action?oobCode=bad")) == nil)
        #expect(fields(try await browser.send(.get, "/__/auth/handler?state=x")) == nil)
        let (account, _) = try await AccountBrowser.ofAda(gateway)
        #expect(fields(try await account.open("email?continueUrl=https://evil.example/")) == [:])
        let rejected = try await account.submit("email", [("email", "nonsense")])
        #expect(rejected.status == 400 && fields(rejected) == nil)
    }
}
