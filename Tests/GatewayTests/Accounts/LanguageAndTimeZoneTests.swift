import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Language and time zone of an account")
struct LanguageAndTimeZoneTests {
    private func members(_ user: JSON) -> [JSON?] { [user["language"], user["timeZone"]] }

    @Test("A user sets, changes and removes language and time zone")
    func update() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let steps: [(change: [String: JSON], members: [JSON?])] = [
            (["language": "de-AT", "timeZone": "Europe/Vienna"], ["de", "Europe/Vienna"]),
            (["displayName": "Ada"], ["de", "Europe/Vienna"]),
            (["language": "zh-TW"], ["zh-Hant", "Europe/Vienna"]),
            (["language": "", "timeZone": "UTC"], [nil, "UTC"]),
            (["timeZone": ""], [nil, nil]),
        ]
        for step in steps {
            #expect(try await gateway.update(ada.idToken, step.change).status == 200)
            #expect(members(try await gateway.accountSeenByUser(ada.idToken)) == step.members, "\(step.change)")
        }
    }

    @Test(
        "A language that is not supported and a time zone that does not exist are rejected and change nothing",
        arguments: [
            ["language": "nl"], ["language": "xx-XX"], ["language": "en\u{7F}"], ["timeZone": "Europe/Atlantis"],
            ["timeZone": "europe/vienna"], ["timeZone": "EST5EDT"], ["timeZone": "+02:00"],
            ["timeZone": "Europe/Vienna", "language": "nl"],
        ] as [[String: JSON]])
    func rejected(change: [String: JSON]) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        _ = try await gateway.update(ada.idToken, ["language": "fr", "timeZone": "Europe/Paris"])
        #expect(try await gateway.update(ada.idToken, change).wireCode == "INVALID_PROFILE_ATTRIBUTE")
        let byBackend = change.merging(["localId": .string(ada.localId)]) { $1 }
        #expect(
            try await gateway.administerAccounts(":update", .object(byBackend)).wireCode == "INVALID_PROFILE_ATTRIBUTE")
        #expect(try await gateway.createAccountAsAdmin(.object(change)).wireCode == "INVALID_PROFILE_ATTRIBUTE")
        #expect(members(try await gateway.accountSeenByUser(ada.idToken)) == ["fr", "Europe/Paris"])
    }

    @Test("A backend creates, updates and imports accounts with both; an import leaves unknown values out")
    func backend() async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.createAccountAsAdmin(["localId": "ada", "language": "ja", "timeZone": "Asia/Tokyo"])
        #expect(members(try await gateway.accountSeenByAdmin("ada")) == ["ja", "Asia/Tokyo"])
        let change: JSON = ["localId": "ada", "language": "ko", "timeZone": "Asia/Seoul"]
        let audit = try await gateway.newAuditEvents { _ = try await gateway.administerAccounts(":update", change) }
        #expect(audit.map(\.action) == ["account.updated"])
        #expect(audit.allSatisfy { $0.description.contains("language") && $0.description.contains("timeZone") })
        #expect(members(try await gateway.accountSeenByAdmin("ada")) == ["ko", "Asia/Seoul"])
        let users: JSON = [
            ["localId": "bob", "language": "ar", "timeZone": "Asia/Riyadh"],
            ["localId": "eve", "language": "tlh", "timeZone": "Mars/Olympus"],
        ]
        #expect(try await gateway.administerAccounts(":batchCreate", ["users": users]).status == 200)
        #expect(members(try await gateway.accountSeenByAdmin("bob")) == ["ar", "Asia/Riyadh"])
        #expect(members(try await gateway.accountSeenByAdmin("eve")) == [nil, nil])
    }

    @Test(
        "An email has the language that the app requests for emails, else the account's, else the request's",
        arguments: [
            (["X-Firebase-Locale": "ja", "Accept-Language": "de"], "fr", "ja"),
            (["Accept-Language": "de"], "fr", "fr"), (["Accept-Language": "de"], nil, "de"),
            (["X-Firebase-Locale": "nl", "Accept-Language": "de"], "fr", "fr"), ([:], "fr", "fr"), ([:], nil, nil),
        ] as [([String: String], String?, String?)])
    func emails(headers: [String: String], account: String?, email: String?) async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        let ada = try await gateway.signUp()
        if let account { _ = try await gateway.update(ada.idToken, ["language": .string(account)]) }
        for body: JSON in [
            ["requestType": "PASSWORD_RESET", "email": "ada@example.com"],
            ["requestType": "VERIFY_EMAIL", "idToken": .string(ada.idToken)],
        ] {
            gateway.clock.advance(by: .seconds(1))
            let sent = try await gateway.post(
                "/v1/accounts:sendOobCode", body, headers: Headers(headers.map { ($0.key, $0.value) }))
            #expect(sent.status == 200)
            #expect(try await gateway.emails().last?.language == email, "\(body)")
        }
    }

    @Test("An address without account gets the language of the request")
    func unknownAddress() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        let ada = try await gateway.signUp()
        _ = try await gateway.update(ada.idToken, ["language": "fr"])
        let body: JSON = ["requestType": "PASSWORD_RESET", "email": "eve@example.com"]
        _ = try await gateway.post("/v1/accounts:sendOobCode", body, headers: ["Accept-Language": "de"])
        #expect(try await gateway.emails().last?.language == "de")
    }

    @Test("The account page saves both, and then has the language of the account")
    func page() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        let page = try await browser.submitAndFollow(
            "preferences", [("accountLanguage", "de"), ("timeZone", "Europe/Berlin")])
        #expect(page.words.contains("Ihre Sprache und Zeitzone wurden gespeichert."), "\(page.words)")
        #expect(members(try await gateway.accountSeenByUser(ada.idToken)) == ["de", "Europe/Berlin"])
        browser.browser.setCookie("__Host-sekisho-language", "")
        let headers = [("Accept-Language", "fr")]
        #expect(try await browser.open("devices", headers: headers).headers["Content-Language"] == "de")
        #expect(try await browser.open("devices?lang=it", headers: headers).headers["Content-Language"] == "it")
        browser.browser.setCookie("__Host-sekisho-language", "ja")
        #expect(try await browser.open("devices", headers: headers).headers["Content-Language"] == "ja")
    }

    @Test(
        "The account page shows times in the time zone of the account, and otherwise in UTC",
        arguments: [("Europe/Berlin", "09:00 Europe/Berlin"), ("Asia/Kathmandu", "13:45"), ("", "08:00")])
    func times(timeZone: String, shown: String) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        _ = try await gateway.update(ada.idToken, ["timeZone": .string(timeZone)])
        // Times of the last 48 hours are distances.
        gateway.clock.advance(by: .seconds(3 * 86_400))
        let browser = try await AccountBrowser(gateway, TestGateway.Tokens(gateway.signIn()))
        let page = try await browser.open()
        #expect(page.words.contains(shown), "\(page.words)")
        #expect(page.text.contains(#"datetime="2027-01-15T08:00:00"#))
        if timeZone.isEmpty { #expect(page.words.contains("UTC")) }
    }

    @Test("A time zone that does not exist comes back with the chosen language, and nothing is saved")
    func rejectedOnPage() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        let rejected = try await browser.submit(
            "preferences", [("accountLanguage", "de"), ("timeZone", "Europe/\"><script>")])
        #expect(rejected.status == 400)
        #expect(rejected.text.contains(#"role="alert""#) && rejected.text.contains(#"aria-invalid="true""#))
        #expect(rejected.text.contains(#"<option value="de" lang="de" selected>"#))
        #expect(!rejected.text.contains("<script>"))
        #expect(members(try await gateway.accountSeenByUser(ada.idToken)) == [nil, nil])
    }

    @Test(
        "A language that does not exist comes back with what is known, and nothing is saved",
        arguments: [("xx", "Europe/Paris", 1), ("xx", "Europe/Nowhere", 2)])
    func unknownLanguage(tag: String, timeZone: String, problems: Int) async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        _ = try await gateway.update(ada.idToken, ["language": "ja", "timeZone": "Asia/Tokyo"])
        let rejected = try await browser.submit(
            "preferences?lang=en", [("accountLanguage", tag), ("timeZone", timeZone)])
        #expect(rejected.status == 400)
        #expect(rejected.words.contains("Choose a language from the list."), "\(rejected.words)")
        #expect(rejected.text.matches(of: /aria-invalid="true"/).count == problems)
        #expect(rejected.text.contains(#"<option value="ja" lang="ja" selected>"#))
        #expect(rejected.text.contains(#"value="\#(timeZone)""#))
        #expect(members(try await gateway.accountSeenByUser(ada.idToken)) == ["ja", "Asia/Tokyo"])
    }
}
