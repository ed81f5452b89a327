import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("The account page: telephone numbers")
struct AccountPhoneTests {
    private static let number = "+1 555-555-0123"

    private func adaWithPhones() async throws -> (browser: AccountBrowser, tokens: TestGateway.Tokens) {
        try await AccountBrowser.ofAda(TestGateway.withPhoneNumbers())
    }

    /// Requests a code on the page, and returns the form for the code with the code.
    private func codeForm(
        _ browser: AccountBrowser, number: String = Self.number
    ) async throws -> (form: [(String, String)], code: String) {
        let page = try await browser.submit("phone", step: "sendCode", [("phone", number)])
        #expect(page.status == 200, "\(page.text)")
        let form = try #require(page.forms.first { $0.step == "confirm" }, "\(page.text)").hidden
        let sessionInfo = try #require(form.first { $0.0 == "enrolment" }?.1)
        return (form, try #require(browser.gateway.code(of: sessionInfo)))
    }

    private func confirm(_ browser: AccountBrowser, _ form: [(String, String)], _ code: String) async throws -> Exchange
    {
        try await browser.browser.send(
            .post, AccountBrowser.root + "/phone", form: form + [("code", code)], headers: AccountBrowser.ownForm)
    }

    @Test("A number is added with its code, signs in, is announced, and can be removed")
    func add() async throws {
        let (browser, ada) = try await adaWithPhones()
        let gateway = browser.gateway
        #expect(try await browser.open("methods").words.contains("Add a telephone number"))
        let (form, code) = try await codeForm(browser)
        let added = try await confirm(browser, form, code)
        #expect(added.status == 303, "\(added.text)")
        let page = try await browser.follow(try #require(added.location))
        #expect(page.words.contains("Your telephone number was added."))
        #expect(!page.words.contains("Add a telephone number"))
        #expect(try await gateway.signIn(phoneNumber: "+15555550123").json["localId"]?.string == ada.localId)
        #expect(try await gateway.emails(.identityLinked).count == 1)
        let methods = try await gateway.database.pool.query(
            "SELECT s.method FROM browser_session b JOIN session s ON s.realm_id = b.realm_id AND s.id = b.session_id")
        #expect(try methods.map { try $0.decode("method", as: String.self) } == ["password"])
        #expect(try await browser.submitAndFollow("remove?method=phone").words.contains("was removed"))
        #expect(try await gateway.signIn(phoneNumber: "+15555550123").json["isNewUser"] == true)
    }

    @Test("A wrong code shows the same form again, and adds nothing")
    func wrongCode() async throws {
        let (browser, _) = try await adaWithPhones()
        let (form, code) = try await codeForm(browser)
        let wrong = try await confirm(browser, form, code == "000000" ? "111111" : "000000")
        #expect(wrong.status == 400)
        #expect(wrong.words.contains("This code is wrong or too old."))
        #expect(try await browser.open("methods").words.contains("Add a telephone number"))
        let again = try #require(wrong.forms.first { $0.step == "confirm" }).hidden
        #expect(try await confirm(browser, again, code).status == 303)
    }

    @Test("A number of another account is not taken from it")
    func taken() async throws {
        let (browser, _) = try await adaWithPhones()
        let gateway = browser.gateway
        let bob = try await gateway.signIn(phoneNumber: "+15555550123")
        let (form, code) = try await codeForm(browser)
        let rejected = try await confirm(browser, form, code)
        #expect(rejected.status == 400)
        #expect(rejected.words.contains("Another account has this telephone number."))
        #expect(try await gateway.signIn(phoneNumber: "+15555550123").json["localId"] == bob.json["localId"])
    }

    @Test("A text that is not a number with a calling code is rejected, and no code is sent", arguments: ["x", "555"])
    func invalid(number: String) async throws {
        let (browser, _) = try await adaWithPhones()
        let rejected = try await browser.submit("phone", step: "sendCode", [("phone", number)])
        #expect(rejected.status == 400)
        #expect(rejected.words.contains("This is not a telephone number with a country code."))
        #expect(rejected.text.contains(#"value="\#(number)""#))
    }

    @Test("Where no telephone numbers are allowed, the page neither offers nor accepts one")
    func notAllowed() async throws {
        let (browser, _) = try await AccountBrowser.ofAda(TestGateway())
        #expect(try await !browser.open("methods").words.contains("Add a telephone number"))
        #expect(try await browser.open("phone").status == 400)
    }

    @Test("A code needs a recent login when it is sent and when it is entered")
    func recentLogin() async throws {
        let (browser, _) = try await adaWithPhones()
        let (form, code) = try await codeForm(browser)
        browser.ageLogin()
        let posted = try await confirm(browser, form, code)
        #expect(posted.location?.hasPrefix("../signIn?request=") == true, "\(posted.text)")
    }
}
