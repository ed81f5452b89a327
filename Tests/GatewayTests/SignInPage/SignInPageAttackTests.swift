import HTTP
import IPAddresses
import Identity
import JSON
import Postgres
import Testing

@testable import Support

@Suite("Attacks on the sign-in page")
struct SignInPageAttackTests {
    private static let credentials = ["email": "ada@example.com", "password": "secret1"]

    private static func visit(_ change: (inout Policy) -> Void = { _ in }) async throws -> SignInPageVisit {
        let gateway = try await TestGateway { policy in
            policy.emailEnumerationProtection = false
            change(&policy)
        }
        _ = try await gateway.signUp(email: "ada@example.com")
        return SignInPageVisit(gateway)
    }

    @Test(
        "Login CSRF: a form of another site, of a script or without a token signs nobody in",
        arguments: [
            [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
            [("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "navigate")],
            [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")],
            [("Sec-Fetch-Site", "none"), ("Sec-Fetch-Mode", "navigate")],
            [("Origin", "https://evil.example")], [("Origin", "null")], [],
        ])
    func loginCSRF(headers: [(String, String)]) async throws {
        let visit = try await Self.visit()
        let page = try await visit.open()
        let answer = try await visit.submit(page, "signIn", Self.credentials, headers: headers)
        #expect(answer.status == 400)
        #expect(answer.result == nil)
    }

    @Test("A browser without Fetch Metadata is accepted with the page's own origin")
    func originOnly() async throws {
        let visit = try await Self.visit()
        let page = try await visit.open()
        let answer = try await visit.submit(
            page, "signIn", Self.credentials, headers: [("Origin", "https://auth.example.com")])
        #expect(answer.result != nil)
    }

    @Test("Login CSRF: neither a token of another flow nor no token is accepted")
    func foreignToken() async throws {
        let visit = try await Self.visit()
        let (page, other) = (try await visit.open(), try await visit.open())
        let token = try other.form("signIn")["formToken"] ?? ""
        for forged in [token, "", "AAAA"] {
            let answer = try await visit.submit(page, "signIn", Self.credentials.merging(["formToken": forged]) { $1 })
            #expect(answer.status == 400)
            #expect(answer.result == nil)
        }
    }

    @Test("A flow of another browser: the victim cannot continue the attacker's flow, with or without a cookie")
    func otherBrowser() async throws {
        let attacker = try await Self.visit()
        let page = try await attacker.open()
        let form = try page.form("signIn").merging(Self.credentials) { $1 }.map { ($0.key, $0.value) }
        let victim = TestBrowser(attacker.gateway)
        for _ in 0..<2 {
            let answer = try await victim.send(
                .post, SignInPageVisit.path, form: form, headers: SignInPageVisit.formHeaders)
            #expect(answer.status == 400)
            #expect(answer.heading == "We cannot continue this sign-in")
            _ = try await victim.send(.get, SignInPageVisit.url())
        }
    }

    @Test("A code is worth nothing to another app or another verifier, after a minute, or a second time")
    func stolenCode() async throws {
        let visit = try await Self.visit()
        let result = try await visit.signIn()
        #expect(
            try await visit.exchange(result, ["code_verifier": String(repeating: "x", count: 43)]).wireCode
                == "INVALID_CODE")
        #expect(
            try await visit.exchange(result, ["continue_uri": "https://localhost/other"]).wireCode == "INVALID_CODE")
        let answer = try await visit.exchange(result)
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try await visit.exchange(result).wireCode == "INVALID_CODE")
        #expect(try await visit.gateway.lookup(idToken).wireCode == "TOKEN_EXPIRED")
        let late = try await visit.submit(try await visit.open(), "resume").requiredResult()
        visit.gateway.clock.advance(by: .seconds(61))
        #expect(try await visit.exchange(late).wireCode == "INVALID_CODE")
    }

    @Test("After the end of the session on the page, its code opens no session")
    func signedOutCode() async throws {
        let visit = try await Self.visit()
        let result = try await visit.signIn()
        _ = try await visit.gateway.database.pool.execute("UPDATE session SET ended_at = now(), end_reason = 'REVOKED'")
        #expect(try await visit.exchange(result).wireCode == "INVALID_CODE")
    }

    @Test("A code that was issued before the account got a second factor opens no session without it")
    func codeBeforeEnrolment() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let account = try await gateway.signUpVerified(email: "ada@example.com")
        let visit = SignInPageVisit(gateway)
        let result = try await visit.signIn()
        _ = try await gateway.enrol(account)
        #expect(try await visit.exchange(result).wireCode == "INVALID_CODE")
    }

    @Test("Session fixation: each sign-in has a new cookie, and the former session ends")
    func fixation() async throws {
        let visit = try await Self.visit()
        _ = try await visit.signIn()
        let name = "__Host-sekisho-browser-demo"
        let first = try #require(visit.browser.cookies[name])
        _ = try await visit.signIn(["prompt": "login"])
        let second = try #require(visit.browser.cookies[name])
        #expect(first != second)
        let old = try await visit.gateway.send(
            .get, "/demo/__/auth/signOut", body: [], query: [], headers: ["Cookie": "\(name)=\(first)"])
        #expect(old.heading == "You are signed out")
    }

    @Test("Clickjacking, caches and history: no frame, no store, no referrer to other sites")
    func headers() async throws {
        let page = try await Self.visit().open()
        let policy = page.headers["Content-Security-Policy"] ?? ""
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("form-action 'self';"))
        #expect(!policy.contains("script-src"))
        #expect(page.headers["X-Frame-Options"] == "DENY")
        #expect(page.headers["Cache-Control"] == "no-store")
        #expect(page.headers["Referrer-Policy"] == "same-origin")
        let cookie = page.headers.values(of: "Set-Cookie").joined()
        #expect(cookie.hasPrefix("__Host-sekisho-sign-in="))
        #expect(cookie.contains("HttpOnly; SameSite=Lax; Secure"))
    }

    @Test("Script in a value: names and addresses are escaped")
    func script() async throws {
        let visit = try await Self.visit()
        let page = try await visit.open()
        let answer = try await visit.submit(
            page, "signIn", ["email": #""><script>alert(1)</script>"#, "password": "x"])
        #expect(answer.status == 400)
        #expect(!answer.text.contains("<script>"))
    }

    @Test("A form that is sent twice completes once, and the second session ends")
    func repeatedForm() async throws {
        let visit = try await Self.visit()
        let page = try await visit.open()
        let first = try await visit.submit(page, "signIn", Self.credentials)
        #expect(first.result != nil)
        let second = try await visit.submit(page, "signIn", Self.credentials)
        #expect(second.heading == "This sign-in is already finished")
        #expect(second.result == nil)
        #expect(try await visit.exchange(first.requiredResult()).status == 200)
    }

    @Test("\"Continue as\" that is sent several times at once completes once, and the browser stays signed in")
    func parallelResume() async throws {
        let visit = try await Self.visit()
        _ = try await visit.signIn()
        let page = try await visit.open()
        let answers = try await withThrowingTaskGroup(of: Exchange.self) { group in
            for _ in 0..<6 { group.addTask { try await visit.submit(page, "resume") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let results = answers.compactMap(\.result)
        #expect(results.count == 1)
        #expect(try await visit.exchange(try #require(results.first)).status == 200)
        #expect(try await visit.open().text.contains(#"name="step" value="resume""#))
    }

    @Test("Autofill: no hidden field is one that a browser fills")
    func autofill() async throws {
        let page = try await Self.visit().open()
        let hidden = Set(page.text.matches(of: #/type="hidden" name="([^"]*)"/#).map { String($0.output.1) })
        #expect(hidden == ["flow", "formToken", "step"])
    }

    @Test("A host that forwards the page: there is no session there, because the app's scripts share the origin")
    func forwardedHost() async throws {
        let gateway = try await TestGateway(trustedProxies: [try #require(IPNetwork("192.0.2.0/24"))])
        _ = try await gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(gateway)
        let forwarded = [("X-Forwarded-Host", "localhost"), ("X-Forwarded-Proto", "https")]
        let page = try await visit.browser.send(.get, SignInPageVisit.url(), headers: forwarded)
        #expect(!page.text.contains(#"name="stay""#))
        let done = try await visit.submit(
            page, "signIn", Self.credentials, headers: SignInPageVisit.formHeaders + forwarded)
        #expect(done.result != nil)
        #expect(visit.browser.cookies.keys.allSatisfy { !$0.contains("sekisho-browser") })
    }

    @Test("Single sign-on: an app that does not offer the method of the session does not continue with it")
    func otherMethod() async throws {
        let gateway = try await Self.visit().gateway
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO app (project_id, id, name, settings, created_at)
            SELECT project_id, 'other', 'Other', '{"signInMethods": ["apple.com"]}', created_at FROM app
            WHERE id = 'default'
            """)
        let visit = SignInPageVisit(try gateway.withFreshCaches())
        _ = try await visit.signIn()
        let page = try await visit.open(["app": "other"])
        #expect(page.status == 200)
        #expect(!page.text.contains("Continue as"))
        let forged = try await visit.submit(page, "resume", headers: SignInPageVisit.formHeaders, orForm: "signIn")
        #expect(forged.result == nil)
    }

    @Test("Silent sign-in: without a page, an app learns nothing")
    func silent() async throws {
        let visit = try await Self.visit()
        _ = try await visit.signIn()
        let answer = try await visit.open(["prompt": "none"])
        #expect(answer.location?.hasPrefix("https://localhost/done?error=login_required") == true)
    }

    @Test("A forged Host changes no URL of the page, no issuer and no cookie")
    func forgedHost() async throws {
        let visit = try await Self.visit()
        let page = try await visit.browser.send(
            .get, SignInPageVisit.url(), headers: [("Host", "evil.example"), ("X-Forwarded-Host", "evil.example")])
        #expect(!page.text.contains("evil.example"))
        let done = try await visit.submit(
            page, "signIn", Self.credentials,
            headers: SignInPageVisit.formHeaders + [("Host", "evil.example"), ("X-Forwarded-Host", "evil.example")])
        #expect(QueryParameters(try done.requiredResult())["iss"] == "https://auth.example.com/demo")
    }
}

extension SignInPageVisit {
    /// Submits a step with the hidden fields of another form of the page, if the page has none for the step.
    fileprivate func submit(
        _ page: Exchange, _ step: String, headers: [(String, String)], orForm other: String
    ) async throws -> Exchange {
        var form = page.text.contains(#"name="step" value="\#(other)""#) ? try page.form(other) : [:]
        if form.isEmpty {
            let pairs = page.text.matches(of: #/flow=([A-Za-z0-9_-]+)/#).map { String($0.output.1) }
            form = ["flow": pairs.first ?? "", "formToken": ""]
        }
        form["step"] = step
        return try await browser.send(.post, Self.path, form: form.map { ($0.key, $0.value) }, headers: headers)
    }
}
