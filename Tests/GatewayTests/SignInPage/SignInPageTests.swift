import HTTP
import Identity
import JSON
import Testing

@testable import Support

@Suite("The sign-in page")
struct SignInPageTests {
    private typealias Tokens = TestGateway.Tokens

    /// A gateway with the account of `ada@example.com`.
    private static func gateway(_ change: (inout Policy) -> Void = { _ in }) async throws -> TestGateway {
        let gateway = try await TestGateway { policy in
            policy.emailEnumerationProtection = false
            change(&policy)
        }
        _ = try await gateway.signUp(email: "ada@example.com")
        return gateway
    }

    @Test("A password signs in: the page returns to the app, whose code gives tokens of a session of its own")
    func password() async throws {
        let visit = SignInPageVisit(try await Self.gateway())
        let page = try await visit.open()
        #expect(page.status == 200)
        #expect(page.heading == "Sign in")
        let done = try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(done.status == 200)
        #expect(done.heading == "You are signed in")
        let result = try done.requiredResult()
        #expect(result.hasPrefix("https://localhost/done?code="))
        #expect(QueryParameters(result)["state"] == "st&te")
        #expect(QueryParameters(result)["iss"] == "https://auth.example.com/demo")
        let answer = try await visit.exchange(result)
        #expect(answer.outcome == "200")
        #expect(answer.json["isNewUser"] == false)
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try await visit.gateway.lookup(idToken).status == 200)
        let sessions = try await visit.gateway.post("/v1/accounts:listSessions", ["idToken": .string(idToken)])
        #expect(sessions.json["sessions"]?.elements.count == 3, "\(sessions.text)")
    }

    @Test("A new account signs up, and the app learns that it is new")
    func signUp() async throws {
        let visit = SignInPageVisit(try await Self.gateway())
        let page = try await visit.open(["screen": "signUp"])
        #expect(page.heading == "Create an account")
        let weak = try await visit.submit(page, "signUp", ["email": "grace@example.com", "password": "x"])
        #expect(weak.status == 400)
        #expect(weak.text.contains(#"value="grace@example.com""#))
        #expect(!weak.text.contains(#"value="x""#))
        #expect(weak.text.contains("<title>Error: "))
        let done = try await visit.submit(weak, "signUp", ["email": "grace@example.com", "password": "long enough"])
        #expect(try await visit.exchange(done.requiredResult()).json["isNewUser"] == true)
    }

    @Test("A guest gets an account, and no session of the browser")
    func guest() async throws {
        let visit = SignInPageVisit(try await Self.gateway())
        let page = try await visit.open()
        let done = try await visit.submit(page, "guest")
        #expect(visit.browser.cookies.keys.allSatisfy { !$0.contains("sekisho-browser") })
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["isNewUser"] == true)
        let idToken = try #require(answer.json["id_token"]?.string)
        let sessions = try await visit.gateway.post("/v1/accounts:listSessions", ["idToken": .string(idToken)])
        #expect(sessions.json["sessions"]?.elements.count == 1, "\(sessions.text)")
    }

    @Test("A cancelled sign-in returns to the app with an error")
    func cancel() async throws {
        let visit = SignInPageVisit(try await Self.gateway())
        let cancelled = try await visit.submit(visit.open(), "cancel")
        #expect(cancelled.heading == "The sign-in was cancelled")
        let result = try cancelled.requiredResult()
        #expect(result.hasPrefix("https://localhost/done?error=access_denied&state=st%26te&iss="), "\(result)")
    }

    @Test(
        "A wrong parameter is an error of the app's URL, but a wrong app or URL is an error of the page alone",
        arguments: [
            (["state": ""], true), (["code_challenge": ""], true), (["code_challenge_method": "plain"], true),
            (["screen": "other"], true), (["prompt": "consent"], true), (["max_age": "-1"], true),
            (["code_challenge": "c2hvcnQ"], true), (["app": "unknown"], false), (["app": ""], false),
            (["continueUri": "https://evil.example/"], false), (["continueUri": ""], false),
            (["continueUri": "javascript:alert(1)"], false), (["continueUri": "https://localhost/?code=x"], false),
        ])
    func parameters(change: [String: String], returns: Bool) async throws {
        let answer = try await SignInPageVisit(try await Self.gateway()).open(change)
        if returns {
            #expect(answer.status == 303)
            #expect(answer.location?.hasPrefix("https://localhost/done?error=invalid_request") == true)
        } else {
            #expect(answer.status == 400)
            #expect(answer.location == nil)
            #expect(!answer.text.contains("evil.example") && !answer.text.contains("javascript:"))
        }
    }

    @Test("A repeated parameter is an error")
    func repeatedParameter() async throws {
        let visit = SignInPageVisit(try await Self.gateway())
        let state = try await visit.browser.send(.get, SignInPageVisit.url() + "&state=other")
        #expect(state.location?.hasPrefix("https://localhost/done?error=invalid_request") == true)
        let target = try await visit.browser.send(.get, SignInPageVisit.url() + "&continueUri=https://evil.example/")
        #expect(target.status == 400)
        #expect(target.location == nil)
    }

    @Test("An app of another platform opens by a redirect after the form, which the policy of the page permits")
    func customScheme() async throws {
        let gateway = try await Self.gateway().withAppSettings(
            #"{"platform": "ios", "bundleIds": ["com.example.app"], "redirectUris": ["com.example.app:/done"]}"#)
        let visit = SignInPageVisit(gateway)
        let page = try await visit.open(["continueUri": "com.example.app:/done"])
        #expect(page.headers["Content-Security-Policy"]?.contains("form-action 'self' com.example.app:;") == true)
        let done = try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(done.status == 303)
        let location = try #require(done.location)
        #expect(location.hasPrefix("com.example.app:/done?code="))
        #expect(try await visit.exchange(location, ["continue_uri": "com.example.app:/done"]).status == 200)
    }

    @Test("Another visit offers to continue with the account of the browser's session")
    func continueAs() async throws {
        let visit = SignInPageVisit(try await Self.gateway())
        let first = try await visit.signIn()
        let page = try await visit.open()
        #expect(page.text.contains("Continue as <bdi>ada@example.com</bdi>"))
        let again = try await visit.submit(page, "resume").requiredResult()
        #expect(again != first)
        #expect(try await visit.exchange(again).json["isNewUser"] == false)
        #expect(try await visit.open(["prompt": "login"]).text.contains("current-password"))
        #expect(try await visit.open(["prompt": "none"]).location?.contains("error=login_required") == true)
        visit.gateway.clock.advance(by: .seconds(100))
        #expect(try await visit.open(["max_age": "60"]).text.contains("current-password"))
        visit.gateway.clock.advance(by: .seconds(3700))
        #expect(try await visit.open().text.contains("current-password"))
    }

    @Test("With email enumeration protection, a wrong address and a wrong password have one answer")
    func enumeration() async throws {
        let visit = SignInPageVisit(try await Self.gateway { $0.emailEnumerationProtection = true })
        let page = try await visit.open()
        let answers = try await [("ada@example.com", "wrong password"), ("nobody@example.com", "wrong password")]
            .asyncMap {
                try await visit.submit(page, "signIn", ["email": $0.0, "password": $0.1])
            }
        #expect(answers.map(\.status) == [400, 400])
        #expect(answers.allSatisfy { $0.text.contains("The email address or the password is not correct.") })
    }

    @Test("After too many attempts, the page states the minutes to wait and keeps the other methods")
    func rateLimit() async throws {
        let limited = try await LimitedGateway()
        let visit = SignInPageVisit(limited.gateway)
        var page = try await visit.open()
        for _ in 0..<4 {
            page = try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "wrong"])
        }
        #expect(page.status == 429)
        #expect(page.headers["Retry-After"] != nil)
        #expect(page.text.contains("minute"))
        #expect(page.text.contains(#"value="signIn""#))
    }
}
