import Encoding
import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("The account page: what it changes")
struct AccountPageFormTests {
    private static let accepted: [(part: String, step: String?, values: [(String, String)])] = [
        ("remove?method=google.com", nil, []), ("email", nil, [("email", "new@example.com")]),
        ("password", nil, [("newPassword", "another secret")]), ("profile", nil, [("displayName", "Countess")]),
        ("preferences", nil, [("accountLanguage", "en"), ("timeZone", "Europe/London")]),
        ("secure", nil, [("newPassword", "another secret")]), ("data", nil, []),
        ("delete", nil, [("confirmed", "true")]),
    ]

    /// A browser of Ada, who can sign in with her password and with Google.
    private func adaWithGoogle(
        _ gateway: TestGateway
    ) async throws -> (browser: AccountBrowser, tokens: TestGateway.Tokens) {
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        return (browser, ada)
    }

    @Test("Threat 1: a form without the token of this session, form and method, or of another page, changes nothing")
    func foreignForms() async throws {
        let gateway = try await TestGateway()
        let (browser, _) = try await adaWithGoogle(gateway)
        let (other, _) = try await otherBrowser(gateway)
        let otherToken = try #require(try await other.open("password").forms.first?.hidden.first?.1)
        let removal = try #require(try await browser.open("remove?method=password").forms.first?.hidden.first?.1)
        for (part, step, values) in Self.accepted {
            let before = try await gateway.accountsAsStored()
            let attempts = [
                try await browser.submit(part, step: step, values) { $0.removeAll { $0.0 == "formToken" } },
                try await browser.submit(part, step: step, values) { $0[0].1 = otherToken },
                try await browser.submit(part, step: step, values) { $0[0].1 = removal },
                try await browser.submit(
                    part, step: step, values,
                    headers: [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]),
                try await browser.submit(
                    part, step: step, values, headers: [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")]),
                try await browser.submit(part, step: step, values, headers: [("Origin", "https://evil.example")]),
                try await browser.submit(part, step: step, values, headers: []),
            ]
            #expect(attempts.map(\.status) == Array(repeating: 400, count: 7), "\(part)")
            #expect(try await gateway.accountsAsStored() == before, "\(part)")
            #expect(try await gateway.emails(.accountExported).isEmpty)
        }
    }

    private func otherBrowser(
        _ gateway: TestGateway
    ) async throws -> (browser: AccountBrowser, tokens: TestGateway.Tokens) {
        let eve = try await gateway.signUpVerified(email: "eve@example.com")
        return (try await AccountBrowser(gateway, eve), eve)
    }

    @Test("Threat 18: a change, an export and a deletion need a recent login, before the form and with it")
    func recentLogin() async throws {
        let gateway = try await TestGateway()
        let (browser, _) = try await adaWithGoogle(gateway)
        for (part, _, values) in Self.accepted {
            let fresh = try await AccountBrowser(gateway, TestGateway.Tokens(gateway.signIn()))
            let form = try #require(try await fresh.open(part).forms.first, "\(part)")
            fresh.ageLogin()
            let path = AccountBrowser.root + "/" + part.prefix { $0 != "?" }
            let posted = try await fresh.browser.send(
                .post, path, form: form.hidden + values, headers: AccountBrowser.ownForm)
            for response in [posted, try await fresh.open(part)] {
                #expect(response.status == 303, "\(part)")
                #expect(response.location?.hasPrefix("../signIn?request=") == true, "\(response.location ?? "")")
            }
        }
        #expect(try await browser.open("methods").status == 200)
        #expect(try await gateway.auditTrail().allSatisfy { $0.action != "account.exported" })
        #expect(try await gateway.signIn().status == 200)
    }

    @Test("A way to sign in is removed, announced and audited as by the API")
    func removal() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await adaWithGoogle(gateway)
        var words = ""
        let events = try await gateway.newAuditEvents {
            words = try await browser.submitAndFollow("remove?method=google.com").words
        }
        #expect(words.contains("The way to sign in was removed."))
        #expect(events.map(\.description) == ["user identity.unlinked \(ada.localId) provider=google.com"])
        #expect(try await gateway.emails(.identityUnlinked).count == 1)
        let again = try await browser.open("remove?method=google.com")
        #expect(again.status == 404)
    }

    @Test("The last way to sign in stays, even where the policy does not protect it")
    func lastWay() async throws {
        let gateway = try await TestGateway { $0.protectsLastSignInMethod = false }
        let (browser, _) = try await adaWithGoogle(gateway)
        let form = try #require(try await browser.open("remove?method=password").forms.first)
        #expect(try await browser.submit("remove?method=google.com").status == 303)
        let posted = try await browser.browser.send(
            .post, AccountBrowser.root + "/remove", form: form.hidden, headers: AccountBrowser.ownForm)
        #expect(posted.status == 400)
        #expect(posted.heading == "This is your only way to sign in")
        #expect(try await browser.open("remove?method=password").forms.isEmpty)
        #expect(try await gateway.signIn().status == 200)
    }

    @Test(
        "A way to sign in stays if the project no longer accepts the other one, on the page and in the API",
        arguments: ["disabled", "not configured"])
    func lastUsableWay(_ state: String) async throws {
        let gateway = try await TestGateway { $0.protectsLastSignInMethod = true }
        let (browser, ada) = try await adaWithGoogle(gateway)
        let form = try #require(try await browser.open("remove?method=password").forms.first)
        _ = try await gateway.database.pool.execute(
            state == "disabled"
                ? #"UPDATE identity_provider SET settings = settings || '{"enabled": false}' WHERE provider = 'google.com'"#
                : "DELETE FROM identity_provider WHERE provider = 'google.com'")
        let fresh = try gateway.withFreshCaches()
        let later = try await AccountBrowser(fresh, nil)
        for (name, value) in browser.browser.cookies { later.browser.setCookie(name, value) }
        let posted = try await later.browser.send(
            .post, AccountBrowser.root + "/remove", form: form.hidden, headers: AccountBrowser.ownForm)
        #expect(posted.status == 400)
        #expect(posted.heading == "This is your only way to sign in")
        #expect(try await later.open("methods").words.contains("You cannot sign in this way at present."))
        let unlinked = try await fresh.update(ada.idToken, ["deleteProvider": ["password"]])
        #expect(unlinked.wireCode == "LAST_SIGN_IN_METHOD", "\(unlinked.text)")
    }

    @Test("A new address is proven by its mailbox first")
    func email() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        let rejected = try await browser.submit("email", [("email", "nonsense")])
        #expect(rejected.status == 400)
        #expect(rejected.text.contains(#"value="nonsense""#) && rejected.text.contains(#"role="alert""#))
        let page = try await browser.submitAndFollow("email", [("email", "new@example.com")])
        #expect(page.words.contains("We sent a link to the new address."))
        #expect(try await gateway.lookup(ada.idToken).json["users"]?[0]?["email"] == "ada@example.com")
        let code = try await gateway.latestCode(.changeEmail)
        #expect(try await gateway.applyCode(code).status == 200)
        #expect(try await gateway.signIn(email: "new@example.com").status == 200)
    }

    @Test("A password that the policy rejects comes back with its requirements; a good one ends other sessions")
    func password() async throws {
        let gateway = try await TestGateway(.sekisho) { _ in }
        let tokens = try await gateway.signUpVerified(password: "correct horse")
        let browser = try await AccountBrowser(gateway, tokens)
        let rejected = try await browser.submit("password", [("newPassword", "short")])
        #expect(rejected.status == 400)
        #expect(rejected.words.contains("At least 8 characters"))
        #expect(!rejected.text.contains(#"value="short""#))
        let page = try await browser.submitAndFollow("password", [("newPassword", "battery staple")])
        #expect(page.words.contains("Your password was saved."), "\(page.words)")
        #expect(try await gateway.refresh(tokens.refreshToken).status == 400)
        #expect(try await gateway.signIn(password: "battery staple").status == 200)
    }

    @Test("Threat 7: a change that replaces the session gives the browser a new cookie, and the former one ends")
    func fixation() async throws {
        let gateway = try await TestGateway()
        let (browser, _) = try await AccountBrowser.ofAda(gateway)
        let stolen = browser.browser.cookies
        let response = try await browser.submit("password", [("newPassword", "another secret")])
        let cookie = try #require(response.headers["Set-Cookie"])
        #expect(cookie.hasPrefix("__Host-sekisho-browser-demo=") && cookie.contains("HttpOnly; SameSite=Lax; Secure"))
        #expect(try await browser.open().status == 200)
        let thief = try await AccountBrowser(gateway, nil)
        for (name, value) in stolen { thief.browser.setCookie(name, value) }
        #expect(try await thief.open().status == 303)
    }

    @Test("The name is saved, and a name that is too long or has control characters comes back with the reason")
    func profile() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        #expect(try await browser.submitAndFollow("profile", [("displayName", "Countess")]).status == 200)
        #expect(try await gateway.lookup(ada.idToken).json["users"]?[0]?["displayName"] == "Countess")
        for (name, reason, shown) in [
            (String(repeating: "a", count: 101), "This name is too long.", String(repeating: "a", count: 100)),
            ("Count\u{7}ess\n", "Names cannot contain line breaks or other control characters.", "Countess"),
        ] {
            let rejected = try await browser.submit("profile", [("displayName", name)])
            #expect(rejected.status == 400)
            #expect(rejected.words.contains(reason), "\(rejected.words)")
            #expect(rejected.text.contains(#"value="\#(shown)""#))
        }
        #expect(try await browser.submit("profile", [("displayName", "")]).status == 303)
        #expect(try await gateway.lookup(ada.idToken).json["users"]?[0]?["displayName"] == nil)
    }

    @Test("One device, or all others, can be signed out")
    func devices() async throws {
        let gateway = try await TestGateway()
        let (browser, _) = try await AccountBrowser.ofAda(gateway)
        let phone = try TestGateway.Tokens(await gateway.signIn())
        let tablet = try TestGateway.Tokens(await gateway.signIn())
        let session = try #require(try claims(of: phone.idToken)["sid"]?.string)
        let page = try await browser.submitAndFollow("devices", step: "end", [("session", session)])
        #expect(page.words.contains("The device was signed out."))
        #expect(try await gateway.refresh(phone.refreshToken).status == 400)
        #expect(try await gateway.refresh(tablet.refreshToken).status == 200)
        let after = try await browser.submitAndFollow("devices", step: "endOthers")
        #expect(after.words.contains("All other devices were signed out."))
        #expect(try await gateway.refresh(tablet.refreshToken).status == 400)
        #expect(after.text.matches(of: /<section>/).count == 1)
    }

    @Test("Devices are listed without a recent login, and signed out only with one that has the account's factor")
    func devicesNeedRecentLogin() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        let session = try #require(try claims(of: ada.idToken)["sid"]?.string)
        let form = try #require(try await browser.open("devices").forms.first)
        browser.ageLogin()
        #expect(try await browser.open("devices").status == 200)
        for (step, values) in [("end", [("session", session)]), ("endOthers", [])] {
            let posted = try await browser.browser.send(
                .post, AccountBrowser.root + "/devices",
                form: form.hidden.filter { $0.0 != "step" } + [("step", step)] + values,
                headers: AccountBrowser.ownForm)
            #expect(posted.location?.hasPrefix("../signIn?request=") == true, "\(posted.text)")
        }
        #expect(try await gateway.refresh(ada.refreshToken).status == 200)
    }

    @Test("A user cannot end a session of another account")
    func foreignSession() async throws {
        let gateway = try await TestGateway()
        let (browser, _) = try await AccountBrowser.ofAda(gateway)
        let (_, eve) = try await otherBrowser(gateway)
        let session = try #require(try claims(of: eve.idToken)["sid"]?.string)
        #expect(try await browser.submit("devices", step: "end", [("session", session)]).status == 303)
        #expect(try await gateway.lookup(eve.idToken).status == 200)
    }

    @Test("\"This was not me\" ends other sessions and sets a new password")
    func secure() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        let page = try await browser.submitAndFollow("secure", [("newPassword", "another secret")])
        #expect(page.words.contains("Your account is secured."))
        #expect(page.heading == "Ways to sign in")
        #expect(try await gateway.refresh(ada.refreshToken).status == 400)
        #expect(try await gateway.signIn().status == 400)
    }

    @Test("A code adds an authenticator app, and the page shows recovery codes; a wrong code shows the same key again")
    func authenticator() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let (browser, _) = try await AccountBrowser.ofAda(gateway)
        let rejected = try await browser.submit("authenticator", [("code", "000000")])
        #expect(rejected.status == 400)
        #expect(rejected.words.contains("This code is wrong or too old."))
        let form = try #require(rejected.forms.first)
        let secret = try #require(form.hidden.first { $0.0 == "secret" }?.1)
        let app = try AuthenticatorApp(["sharedSecretKey": .string(secret)])
        let posted = try await browser.browser.send(
            .post, AccountBrowser.root + "/authenticator",
            form: form.hidden + [("code", app.code(at: gateway.clock.now))], headers: AccountBrowser.ownForm)
        #expect(posted.status == 200 && posted.text.matches(of: /<code>/).count == 10, "\(posted.text)")
        let methods = try await browser.open("methods")
        #expect(methods.words.contains("Authenticator app") && methods.words.contains("10 codes are left"))
        let codes = try await browser.submit("recoveryCodes")
        #expect(codes.text.matches(of: /<code>/).count == 10)
        #expect(try await gateway.signIn().json["mfaPendingCredential"] != nil)
    }

    @Test("The data is a file without secrets, and the download is announced")
    func download() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        let file = try await browser.submit("data")
        #expect(file.status == 200)
        #expect(file.headers["Content-Disposition"] == "attachment; filename=\"account.json\"")
        #expect(file.headers.values(of: "Cache-Control") == ["no-store"])
        #expect(file.json["user"]?["localId"]?.string == ada.localId)
        #expect(try await gateway.emails(.accountExported).count == 1)
    }

    @Test("Threat 10: after a deletion, the browser has no session, no cookie and no cached page")
    func deletion() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let ada = try await gateway.signInWithAppleAndRedeemCode()
        let browser = try await AccountBrowser(gateway, ada)
        let unticked = try await browser.submit("delete")
        #expect(unticked.status == 400)
        #expect(unticked.words.contains("Tick the box to delete your account."))
        let response = try await browser.submit("delete", [("confirmed", "true")])
        #expect(response.status == 303)
        #expect(response.headers["Clear-Site-Data"] == "\"cache\"")
        let page = try await browser.follow(try #require(response.location))
        #expect(page.heading == "Your account is deleted")
        #expect(page.words.contains("Demo is being disconnected from your Apple Account."), "\(page.words)")
        #expect(browser.browser.cookies.isEmpty)
        #expect(try await browser.open().status == 303)
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 USER_NOT_FOUND")
    }

    @Test("If the gateway cannot disconnect the app from Apple, the page says how the user can")
    func deletionByHand() async throws {
        let gateway = try await TestGateway()
        let ada = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential()))
        let browser = try await AccountBrowser(gateway, ada)
        let page = try await browser.submitAndFollow("delete", [("confirmed", "true")])
        #expect(page.words.contains("Stop Using Apple Account"), "\(page.words)")
    }

    @Test("Where only administrators delete accounts, the page says so")
    func deletionNotAllowed() async throws {
        let gateway = try await TestGateway { $0.allowsDeletion = false }
        let (browser, ada) = try await AccountBrowser.ofAda(gateway)
        let page = try await browser.submit("delete", [("confirmed", "true")])
        #expect(page.status == 400)
        #expect(page.words.contains("does not allow you to delete your account here"))
        #expect(try await gateway.lookup(ada.idToken).status == 200)
    }

    @Test("Threat 11: a form that is sent twice changes the account once")
    func twice() async throws {
        let gateway = try await TestGateway()
        let (browser, ada) = try await adaWithGoogle(gateway)
        let form = try #require(try await browser.open("remove?method=google.com").forms.first)
        let events = try await gateway.newAuditEvents {
            for _ in 1...2 {
                _ = try await browser.browser.send(
                    .post, AccountBrowser.root + "/remove", form: form.hidden, headers: AccountBrowser.ownForm)
            }
        }
        #expect(events.map(\.description) == ["user identity.unlinked \(ada.localId) provider=google.com"])
    }
}
