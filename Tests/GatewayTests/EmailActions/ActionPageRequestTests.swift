import HTTP
import Identity
import Postgres
import Testing

@testable import Support

/// The action page is the page that a link in an email opens. ``ActionPageTests`` tests what its form does.
@Suite("Requests for the action page")
struct ActionPageRequestTests {
    static let path = "/__/auth/action"

    /// A gateway with one account, `ada@example.com`, and a code for it.
    struct Fixture {
        let gateway: TestGateway
        let ada: TestGateway.Tokens
        let code: String

        init(_ purpose: OOBCode.Purpose, change: @escaping (inout Policy) -> Void = { _ in }) async throws {
            gateway = try await TestGateway(.sekisho, passwords: .withoutHashing, change: change)
            ada = try await gateway.signUp(password: "first secret")
            code = try await gateway.storeCode(purpose, of: ada)
        }

        /// Opens the action page with the code.
        func open(
            _ query: [(name: String, value: String)] = [], method: HTTP.Method = .get, headers: Headers = [:]
        ) async throws -> Exchange {
            try await gateway.send(method, path, query: [("oobCode", code)] + query, headers: headers)
        }

        /// Submits the form of the action page with the code.
        ///
        /// - Parameter moreFields: further fields, each after an ampersand.
        func submit(_ moreFields: String = "", headers: Headers = TestGateway.formHeaders) async throws -> Exchange {
            try await gateway.submitForm(path, text: "oobCode=\(code)\(moreFields)", headers: headers)
        }
    }

    @Test("Opening the action page does not redeem the code", arguments: OOBCode.Purpose.allCases)
    func opening(purpose: OOBCode.Purpose) async throws {
        let fixture = try await Fixture(purpose)
        let before = try await fixture.gateway.databaseDump()
        let page = try await fixture.open()
        #expect(page.status == 200)
        #expect(page.text.contains("Demo") && page.text.contains("ada@example.com"))
        #expect(try await fixture.open(method: .head).status == 200)
        #expect(try await fixture.gateway.databaseDump() == before)
    }

    @Test("The stored code determines the action page, not the mode in the link")
    func mode() async throws {
        let fixture = try await Fixture(.resetPassword)
        let page = try await fixture.open([("mode", "verifyEmail"), ("apiKey", "stolen")])
        #expect(page.text.contains(#"name="newPassword""#))
    }

    @Test("The action page ignores `step=disavow` with a code that changes the address, and changes the address")
    func ignoredStep() async throws {
        let fixture = try await Fixture(.changeEmail)
        let page = try await fixture.submit("&step=disavow")
        #expect(page.status == 200 && page.text.contains("new@example.com"))
        #expect(
            try await fixture.gateway.signIn(email: "new@example.com", password: "first secret").status == 200)
    }

    @Test("Submitting the action page does not redeem a sign-in code: only the app can redeem it")
    func signIn() async throws {
        let fixture = try await Fixture(.signIn)
        let before = try await fixture.gateway.databaseDump()
        #expect(try await fixture.submit().text.contains("on the device that has the app"))
        #expect(try await fixture.gateway.databaseDump() == before)
    }

    @Test("A sign-in page links to the app, with the code")
    func appLink() async throws {
        let fixture = try await Fixture(.signIn)
        let page = try await fixture.open([
            ("apiKey", "a&b"), ("lang", "en"), ("continueUrl", "http://localhost/in?a=b&oobCode=x#f"),
        ])
        #expect(
            page.text.contains(
                #"href="http://localhost/in?a=b&amp;mode=signIn&amp;oobCode=\#(fixture.code)&amp;apiKey=a%26b&amp;lang=en#f""#
            ), "\(page.text)")
    }

    @Test("The form of the action page contains the code, the continue URL and the language of the link")
    func continueURL() async throws {
        let fixture = try await Fixture(.verifyEmail)
        let text = try await fixture.open([("lang", "ja-JP"), ("continueUrl", "https://localhost/?a=1&b=2")]).text
        #expect(text.contains(#"<input type="hidden" name="oobCode" value="\#(fixture.code)">"#))
        #expect(text.contains(#"name="continueUrl" value="https://localhost/?a=1&amp;b=2">"#))
        #expect(text.contains(#"name="lang" value="ja">"#))
        #expect(text.contains(#"<form method="post" action="action">"#))
    }

    @Test(
        "The action page has the first supported language of these: the link's, the browser's, the project's",
        arguments: [
            ("ja", "en", "ja"), ("en-US", "ja", "en"), (nil, "ja;q=0.9, en;q=0.8", "ja"), ("nl", "ja", "ja"),
            (nil, "nl", "ja"), ("zh-TW", "en", "zh-Hant"), (nil, "pt-PT, en", "pt-BR"), ("en-XA", "de", "en"),
            (nil, nil, "ja"), ("", "en", "en"),
        ] as [(String?, String?, String)])
    func language(requested: String?, browser: String?, language: String) async throws {
        let fixture = try await Fixture(.verifyEmail)
        let backend = try await ServiceKey(in: fixture.gateway)
        let configured = try await fixture.gateway.send(
            .patch, "/v2/projects/demo/config", ["notification": ["defaultLocale": "ja"]], by: backend,
            query: [("updateMask", "notification.defaultLocale")])
        #expect(configured.status == 200, "\(configured.text)")
        let page = try await fixture.open(
            requested.map { [("lang", $0)] } ?? [], headers: browser.map { ["Accept-Language": $0] } ?? [:])
        #expect(page.text.contains(#"<html lang="\#(language)" dir=""#))
        #expect(page.headers["Content-Language"] == language)
        let switched = try await fixture.open((requested.map { [("lang", $0)] } ?? []) + [("hl", "ko-KR")])
        #expect(switched.headers["Content-Language"] == "ko")
    }

    @Test("The browser keeps the language of the parameter hl, and only a link or the parameter precedes it")
    func chosenLanguage() async throws {
        let fixture = try await Fixture(.verifyEmail)
        #expect(try await fixture.open().headers["Set-Cookie"] == nil)
        #expect(try await fixture.open([("hl", "nl")]).headers["Set-Cookie"] == nil)
        let chosen = try await fixture.open([("hl", "zh-TW")])
        let cookie = try #require(chosen.headers["Set-Cookie"])
        #expect(cookie == "__Host-sekisho-language=zh-Hant; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax; Secure")
        let headers: Headers = ["Cookie": "__Host-sekisho-language=zh-Hant", "Accept-Language": "de"]
        #expect(try await fixture.open(headers: headers).headers["Content-Language"] == "zh-Hant")
        #expect(try await fixture.open([("lang", "fr")], headers: headers).headers["Content-Language"] == "fr")
        let invalid: Headers = ["Cookie": "__Host-sekisho-language=<script>", "Accept-Language": "de"]
        #expect(try await fixture.open(headers: invalid).headers["Content-Language"] == "de")
    }

    @Test(
        "The notice of a changed address is in the language of the form, and the audit event has the client's network")
    func languageOfEmails() async throws {
        let fixture = try await Fixture(.changeEmail)
        // Only a verified address gets a notice.
        _ = try await fixture.gateway.database.pool.execute("UPDATE account SET email_verified = true")
        let audit = try await fixture.gateway.newAuditEvents {
            _ = try await fixture.submit(
                "&lang=ja",
                headers: [
                    "Content-Type": "application/x-www-form-urlencoded", "Accept-Language": "en",
                    "User-Agent": "Phone",
                ])
        }
        #expect(try await fixture.gateway.emails(.emailChanged).map(\.language) == ["ja"])
        #expect(audit.map(\.network) == ["192.0.2.0/24"])
    }
}
