import HTTP
import Identity
import JSON
import Postgres
import Testing

@testable import Support

@Suite("Sign-in and sign-up by email on the sign-in page")
struct SignInPageEmailTests {
    private static let (ada, grace) = ("ada@example.com", "grace@example.com")

    /// A browser on the page of a gateway with the account of `ada@example.com`.
    private static func visit(
        limitsRates: Bool = false, _ change: (inout Policy) -> Void = { _ in }
    ) async throws -> SignInPageVisit {
        let gateway = try await TestGateway(.sekisho, limitsRates: limitsRates) { policy in
            policy.allowsEmailLinks = true
            change(&policy)
        }
        _ = try await gateway.signUpVerified(email: ada, password: "long enough")
        return SignInPageVisit(gateway)
    }

    @Test("The code signs in to the account with the address, or to a new one", arguments: [ada, grace])
    func code(address: String) async throws {
        let visit = try await Self.visit()
        let page = try await visit.requestEmail(to: address)
        #expect(page.heading == "Check your email")
        #expect(page.text.contains(#"autocomplete="one-time-code""#))
        let email = try await visit.lastEmail()
        #expect(email.code.wholeMatch(of: /[0-9]{6}/) != nil)
        let done = try await visit.submit(page, "enterCode", ["code": " " + email.code])
        let answer = try await visit.exchange(done.requiredResult())
        let isNew: JSON = address == Self.grace ? true : false
        #expect(answer.json["isNewUser"] == isNew)
        let idToken = try #require(answer.json["id_token"]?.string)
        let user = try await visit.gateway.lookup(idToken).json["users"]?.elements.first
        #expect(user?["email"]?.string == address)
        #expect(user?["emailVerified"] == true)
    }

    @Test("For another address, the user gets the form that they had submitted")
    func otherAddress() async throws {
        let visit = try await Self.visit()
        let pages = [
            ("signUp", try await visit.requestSignUp(of: Self.grace)),
            ("emailCode", try await visit.requestEmail(to: Self.grace)),
        ]
        for (screen, page) in pages {
            let link = try #require(page.text.firstMatch(of: #/href="signIn\?screen=([a-zA-Z]+)[^"]*">Use another/#))
            #expect(link.output.1 == screen)
        }
    }

    @Test("The link shows a page, and only its form signs in, once")
    func link() async throws {
        let visit = try await Self.visit()
        _ = try await visit.requestEmail(to: Self.ada)
        let link = try await visit.lastEmail().link
        let sessions = try await visit.sessionCount()
        let page = try await visit.browser.send(.get, link)
        #expect(page.status == 200)
        #expect(page.text.contains("<bdi>ada@example.com</bdi>"))
        #expect(try await visit.sessionCount() == sessions, "a GET only shows")
        let done = try await visit.submit(page, "openLink")
        #expect(try await visit.exchange(done.requiredResult()).status == 200)
        #expect(try await visit.browser.send(.get, link).heading == "This sign-in is already finished")
    }

    @Test("A victim who opens a link that an attacker requested signs nobody in, and sees what to do")
    func linkElsewhere() async throws {
        let attacker = try await Self.visit()
        let page = try await attacker.requestEmail(to: Self.ada)
        let link = try await attacker.lastEmail().link
        let victim = SignInPageVisit(attacker.gateway)
        _ = try await victim.open()
        let sessions = try await victim.sessionCount()
        for browser in [victim, SignInPageVisit(attacker.gateway)] {
            let shown = try await browser.browser.send(.get, link)
            #expect(shown.heading == "Enter the code on the first device")
            #expect(!shown.text.contains(#"method="post""#))
        }
        var form: [String: String] = try page.form("enterCode")
        form["step"] = "openLink"
        form["link"] = String(link.split(separator: "link=")[1])
        let forged = try await victim.browser.send(
            .post, SignInPageVisit.path, form: form.map { ($0.key, $0.value) }, headers: SignInPageVisit.formHeaders)
        #expect(forged.status == 400)
        #expect(try await victim.sessionCount() == sessions)
    }

    @Test("The link of another flow or of an earlier email, or after ten minutes, signs nobody in")
    func otherLink() async throws {
        let visit = try await Self.visit()
        let page = try await visit.requestEmail(to: Self.ada)
        let first = try await visit.lastEmail()
        try await visit.sendAgain(page)
        let second = try await visit.lastEmail()
        #expect(try await visit.browser.send(.get, first.link).text.contains("no longer valid"))
        let other = try await visit.requestEmail(to: Self.grace)
        let link = String(second.link.split(separator: "link=")[1])
        let foreign = try await visit.submit(other, "enterCode", ["step": "openLink", "link": link])
        #expect(foreign.status == 400)
        #expect(foreign.result == nil)
        let shown = try await visit.browser.send(.get, second.link)
        visit.gateway.clock.advance(by: .seconds(601))
        #expect(try await visit.submit(shown, "openLink").status == 400)
        let late = try await visit.browser.send(.get, second.link)
        #expect(late.status == 400)
        #expect(late.text.contains("This email is no longer valid"), "the visit goes on")
        #expect(try await TestBrowser(visit.gateway).send(.get, second.link).heading == "This sign-in has expired")
    }

    @Test("The code of another flow, a former code and an expired code are rejected")
    func otherCode() async throws {
        let visit = try await Self.visit()
        let page = try await visit.requestEmail(to: Self.ada)
        let first = try await visit.lastEmail().code
        let other = try await visit.requestEmail(to: Self.grace)
        // One in a million runs has equal codes.
        #expect(try await visit.submit(other, "enterCode", ["code": first]).text.contains("This code is not correct"))
        try await visit.sendAgain(page)
        #expect(try await visit.submit(page, "enterCode", ["code": first]).status == 400)
        let second = try await visit.lastEmail().code
        visit.gateway.clock.advance(by: .seconds(601))
        let late = try await visit.submit(page, "enterCode", ["code": second])
        #expect(late.text.contains("no longer valid"))
        #expect(late.result == nil)
    }

    @Test("A code can be entered five times: after that, the right one is rejected too, whatever else the browser does")
    func attempts() async throws {
        let visit = try await Self.visit()
        let page = try await visit.requestEmail(to: Self.ada)
        let code = try await visit.lastEmail().code
        for attempt in 1...5 {
            let wrong = try await visit.submit(page, "enterCode", ["code": code == "000000" ? "000001" : "000000"])
            #expect(wrong.status == 400, "\(attempt)")
            _ = try await visit.submit(page, "enterCode", ["step": "notNow"])
        }
        let right = try await visit.submit(page, "enterCode", ["code": code])
        #expect(right.status == 400)
        #expect(right.result == nil)
        #expect(right.text.contains("too often"))
        try await visit.sendAgain(right)
        let done = try await visit.submit(page, "enterCode", ["code": try await visit.lastEmail().code])
        #expect(done.result != nil)
    }

    @Test("Parallel attempts do not exceed the limit")
    func parallelAttempts() async throws {
        let visit = try await Self.visit()
        let page = try await visit.requestEmail(to: Self.ada)
        let code = try await visit.lastEmail().code
        let wrong = code == "000000" ? "000001" : "000000"
        let answers = try await withThrowingTaskGroup(of: Exchange.self) { group in
            for _ in 0..<12 { group.addTask { try await visit.submit(page, "enterCode", ["code": wrong]) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0.text.contains("This code is not correct") }.count == 5)
    }

    @Test("The number of emails to an address is limited")
    func emailLimit() async throws {
        let visit = try await Self.visit(limitsRates: true) { $0.emailLimit = 2 }
        for _ in 0..<2 { _ = try await visit.requestEmail(to: Self.ada) }
        let page = try await visit.open(["screen": "emailCode"])
        let third = try await visit.submit(page, "emailCode", ["email": Self.ada])
        #expect(third.status == 429)
        #expect(third.headers["Retry-After"] != nil)
    }

    @Test("Enumeration: a sign-up and an email for a known and for an unknown address have the same pages and emails")
    func enumeration() async throws {
        var pages: [[String]] = []
        for address in [Self.ada, Self.grace] {
            let visit = try await Self.visit { $0.emailEnumerationProtection = true }
            let form = try await visit.open(["screen": "signUp"])
            #expect(form.heading == "Create an account")
            let asked = try await visit.submit(form, "signUp", ["email": address, "password": "long enough"])
            let page = try await visit.follow(asked)
            let wrong = try await visit.submit(page, "enterCode", ["code": "x"])
            let byEmail = try await visit.submit(
                try await visit.open(["screen": "emailCode"]), "emailCode", ["email": address])
            let shown = try await visit.follow(byEmail)
            #expect(try await visit.gateway.emails().filter { $0.content.page != nil }.count == 2)
            pages.append(
                [asked, page, wrong, byEmail, shown].map { answer in
                    let text = answer.text.replacing(address, with: "…").replacing(/value="[^"]*"/, with: "")
                    return "\(answer.status) " + text.replacing(/flow=[A-Za-z0-9_-]+/, with: "")
                })
        }
        #expect(pages[0] == pages[1])
    }

    @Test("With email enumeration protection, the code creates the account with the password")
    func signUp() async throws {
        let visit = try await Self.visit { $0.emailEnumerationProtection = true }
        let accounts = try await visit.accountCount()
        let page = try await visit.requestSignUp(of: Self.grace)
        #expect(try await visit.accountCount() == accounts, "the account is created by the code")
        let done = try await visit.submit(page, "enterCode", ["code": try await visit.lastEmail().code])
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["isNewUser"] == true)
        let again = try await visit.open(["prompt": "login"])
        let signedIn = try await visit.submit(again, "signIn", ["email": Self.grace, "password": "long enough"])
        #expect(signedIn.result != nil)
    }

    @Test("A sign-up with the address of an account changes nothing, even with the right code")
    func knownSignUp() async throws {
        let visit = try await Self.visit { $0.emailEnumerationProtection = true }
        let page = try await visit.requestSignUp(of: Self.ada, password: "another password")
        let answer = try await visit.submit(page, "enterCode", ["code": try await visit.lastEmail().code])
        #expect(answer.status == 400)
        #expect(answer.result == nil)
        let again = try await visit.open(["prompt": "login"])
        let signedIn = try await visit.submit(again, "signIn", ["email": Self.ada, "password": "long enough"])
        #expect(signedIn.result != nil)
    }

    @Test("A reset that began on the page ends with a button back to this flow, in its browser only")
    func returnAfterReset() async throws {
        let visit = try await Self.visit()
        let screen = try await visit.open(["screen": "reset"])
        #expect(screen.heading == "Reset your password")
        let sent = try await visit.submit(screen, "reset", ["email": Self.ada])
        #expect(sent.heading == "Check your email")
        let code = try await visit.gateway.latestCode(.resetPassword)
        let sealed = try #require(try await visit.gateway.emails(.resetPassword).last?.content.signInPage)
        let form = [("oobCode", code), ("newPassword", "another password"), ("signInPage", sealed)]
        for (link, isSealed) in [(sealed + "x", false), (sealed, true)] {
            let page = try await visit.browser.send(
                .get, "/__/auth/action?mode=resetPassword&oobCode=\(code)&signInPage=\(link)")
            // The form that switches the language repeats the link too.
            #expect(page.text.matches(of: #/name="signInPage"/#).count == (isSealed ? 2 : 0))
        }
        let other = try await TestBrowser(visit.gateway).send(
            .get, "/__/auth/action?mode=resetPassword&oobCode=\(code)&signInPage=\(sealed)")
        #expect(other.status == 200)
        #expect(!other.text.contains("signInPage"), "another browser cannot continue the visit")
        let done = try await visit.browser.send(.post, "/__/auth/action", form: form)
        let back = try #require(done.text.firstMatch(of: #/href="../../(demo/__/auth/signIn\?link=[^"]+)"/#)).output.1
        let elsewhere = try await TestBrowser(visit.gateway).send(.get, "/" + back)
        #expect(elsewhere.heading == "We cannot continue this sign-in")
        let page = try await visit.follow(try await visit.browser.send(.get, "/" + back))
        let signedIn = try await visit.submit(page, "signIn", ["email": Self.ada, "password": "another password"])
        #expect(try await visit.exchange(signedIn.requiredResult()).status == 200)
    }

    @Test("An app that lists no password, and a project without email links, offer no email and send none")
    func notOffered() async throws {
        let withoutLinks = try await Self.visit { $0.allowsEmailLinks = false }
        let listing = try await Self.visit()
        let other = SignInPageVisit(
            try await listing.gateway.withAppSettings(#"{"platform": "web", "signInMethods": ["anonymous"]}"#))
        for (visit, step) in [(withoutLinks, "signIn"), (other, "guest")] {
            let page = try await visit.open(["screen": "emailCode"])
            #expect(!page.text.contains(#"name="step" value="emailCode""#))
            var form: [String: String] = try page.form(step)
            form["step"] = "emailCode"
            form["email"] = Self.ada
            let forged = try await visit.browser.send(
                .post, SignInPageVisit.path, form: form.map { ($0.key, $0.value) },
                headers: SignInPageVisit.formHeaders)
            #expect(forged.status == 400)
            #expect(try await visit.gateway.emails(.signInCode).isEmpty)
        }
    }
}

extension SignInPageVisit {
    /// Requests an email in a new flow, and returns the page that asks for its code.
    func requestEmail(to address: String) async throws -> Exchange {
        // The emails of a test are ordered by their times.
        gateway.clock.advance(by: .seconds(1))
        let page = try await open(["screen": "emailCode", "prompt": "login"])
        return try await follow(try await submit(page, "emailCode", ["email": address]))
    }

    fileprivate func requestSignUp(of address: String, password: String = "long enough") async throws -> Exchange {
        let page = try await open(["screen": "signUp", "prompt": "login"])
        return try await follow(try await submit(page, "signUp", ["email": address, "password": password]))
    }

    fileprivate func sendAgain(_ page: Exchange) async throws {
        gateway.clock.advance(by: .seconds(1))
        #expect(try await submit(page, "emailAgain").status == 303)
    }

    func lastEmail() async throws -> EmailPayload.Page {
        try #require(try await gateway.emails().compactMap(\.content.page).last)
    }

    fileprivate func sessionCount() async throws -> Int {
        try await gateway.database.pool.query("SELECT count(*)::int AS n FROM session").first?.decode("n") ?? 0
    }

    fileprivate func accountCount() async throws -> Int {
        try await gateway.database.pool.query("SELECT count(*)::int AS n FROM account").first?.decode("n") ?? 0
    }
}
