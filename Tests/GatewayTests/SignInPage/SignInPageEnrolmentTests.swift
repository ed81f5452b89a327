import Encoding
import HTTP
import Identity
import Postgres
import Testing
import WebAuthnSupport

@testable import Support

@Suite("The second factor that the policy demands, added on the sign-in page")
struct SignInPageEnrolmentTests {
    private static let credentials = ["email": "ada@example.com", "password": "secret1"]

    private static func visit(
        isVerified: Bool = true, _ change: @escaping (inout Policy) -> Void = { _ in }
    ) async throws -> (visit: SignInPageVisit, ada: TestGateway.Tokens) {
        let gateway = try await TestGateway.withSecondFactors(.mandatory, change: change)
        let ada =
            try await isVerified ? gateway.signUpVerified() : gateway.signUp(email: "ada@example.com")
        return (SignInPageVisit(gateway), ada)
    }

    /// Signs in by password, and returns the page that adds the factor.
    private static func step(_ visit: SignInPageVisit) async throws -> Exchange {
        let page = try await visit.follow(visit.submit(visit.open(["prompt": "login"]), "signIn", credentials))
        #expect(page.heading == "Add a second step", "\(page.text)")
        return page
    }

    @Test("The user adds an authenticator app, saves the recovery codes, and returns to the app with the factor")
    func add() async throws {
        let (visit, ada) = try await Self.visit()
        let page = try await Self.step(visit)
        #expect(page.text.contains("<svg") && page.text.contains(#"href="otpauth://totp/"#), "\(page.text)")
        let wrong = try await visit.submit(page, "enrolFactor", ["code": "000000"])
        #expect(wrong.status == 400 && wrong.text.contains("This code is not correct."), "\(wrong.text)")
        #expect(try wrong.form("enrolFactor")["secret"] == page.form("enrolFactor")["secret"])
        let codes = try await visit.submit(wrong, "enrolFactor", ["code": visit.appCode(wrong)])
        #expect(codes.text.matches(of: #/<li><code>/#).count == 10, "\(codes.text)")
        let done = try await visit.submit(codes, "finishEnrolment")
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(answer.json["secondFactorEnrollmentRequired"] == nil)
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try claims(of: idToken)["firebase"]?["sign_in_second_factor"] == "totp")
        let account = AccountBrowser(on: visit)
        #expect(try await account.open("methods").text.contains("Authenticator app"))
    }

    @Test(
        "The account page, also its page about deletion, is reached over the same step",
        arguments: ["methods", "delete"])
    func accountPage(part: String) async throws {
        #expect(try await Self.openAccountPage(part).status == 200)
    }

    @Test("A user who wanted to add the app to the account, and has added it in the step, sees the list of methods")
    func authenticatorPage() async throws {
        let opened = try await Self.openAccountPage("authenticator")
        #expect(opened.status == 303 && opened.location == "methods", "\(opened.text)")
    }

    /// Enters a part of the account page over the step, which adds an app.
    private static func openAccountPage(_ part: String) async throws -> Exchange {
        let (visit, _) = try await visit()
        let signIn = "/demo/__/auth/signIn?account=1&continue=next%3D\(part)"
        let page = try await visit.follow(visit.submit(visit.browser.send(.get, signIn), "signIn", credentials))
        let codes = try await visit.submit(page, "enrolFactor", ["code": visit.appCode(page)])
        let overview = try await visit.follow(visit.submit(codes, "finishEnrolment"))
        #expect(overview.location == "account/\(part)", "\(overview.text)")
        return try await AccountBrowser(on: visit).open(part)
    }

    @Test("The account page says why it cannot be entered, if no factor can be added there")
    func accountPageWithoutFactor() async throws {
        let (visit, _) = try await Self.visit { $0.secondFactors.allowsTOTP = false }
        let open = try await visit.browser.send(.get, "/demo/__/auth/signIn?account=1")
        let refused = try await visit.submit(open, "signIn", Self.credentials)
        #expect(refused.status == 400 && refused.location == nil)
        #expect(refused.text.contains("Your account needs a second step"), "\(refused.text)")
        #expect(!visit.browser.cookies.keys.contains { $0.contains("sekisho-browser") })
    }

    @Test("If the page can add no factor, the app gets the restricted session, with which it can")
    func appAdds() async throws {
        let (visit, _) = try await Self.visit { $0.secondFactors.allowsTOTP = false }
        let answer = try await visit.exchange(visit.signIn())
        #expect(answer.json["secondFactorEnrollmentRequired"] == true, "\(answer.text)")
    }

    @Test("Without a factor, no step returns a code, and the browser has no session")
    func withoutFactor() async throws {
        let (visit, ada) = try await Self.visit()
        let page = try await Self.step(visit)
        for step in ["finishEnrolment", "skipPasskey", "createPasskey", "resume", "enrolFactor"] {
            let forged = try await visit.submit(page, "enrolFactor", ["step": step, "code": "000000"])
            #expect(forged.result?.contains("code=") != true, "\(step): \(forged.text)")
        }
        #expect(!visit.browser.cookies.keys.contains { $0.contains("sekisho-browser") })
        #expect(try await visit.activeSessions(of: ada.localId) <= 2)
    }

    @Test("The page is shown once, and only its own browser and page answer it")
    func history() async throws {
        let (visit, _) = try await Self.visit()
        let redirect = try await visit.submit(visit.open(), "signIn", Self.credentials)
        let page = try await visit.follow(redirect)
        #expect(!page.text.contains(#"name="hl""#), "the switch of the language would load the visit again")
        let later = try await visit.follow(redirect)
        #expect(later.heading == "Sign in" && later.text.contains("This step has expired."), "\(later.text)")
        let fields: [String: String] = try page.form("enrolFactor")
        for answer in ["", "AAAA"] {
            let forged = try await visit.submit(
                page, "enrolFactor", ["offer": answer, "code": visit.appCode(page)])
            #expect(forged.status == 400 && forged.result == nil, "\(forged.text)")
        }
        #expect(fields["offer"]?.isEmpty == false)
        let codes = try await visit.submit(page, "enrolFactor", ["code": visit.appCode(page)])
        #expect(try await visit.submit(codes, "finishEnrolment").result != nil)
    }

    @Test("Who finds the page more than five minutes after the login adds nothing, and its session has ended")
    func tooLate() async throws {
        let (visit, ada) = try await Self.visit()
        let page = try await Self.step(visit)
        let sessions = try await visit.activeSessions(of: ada.localId)
        visit.gateway.clock.advance(by: .seconds(301))
        let late = try await visit.submit(page, "enrolFactor", ["code": visit.appCode(page)])
        #expect(late.status == 400 && late.text.contains("This step has expired."), "\(late.text)")
        #expect(try await visit.activeSessions(of: ada.localId) == sessions - 1)
        // The page leads on.
        #expect(try await visit.submit(late, "signIn", Self.credentials).location != nil)
    }

    @Test("\"Cancel\" ends the session, and returns to the app with an error")
    func cancel() async throws {
        let (visit, ada) = try await Self.visit()
        let page = try await Self.step(visit)
        let sessions = try await visit.activeSessions(of: ada.localId)
        let cancelled = try await visit.submit(page, "cancel")
        #expect(try QueryParameters(cancelled.requiredResult())["error"] == "access_denied")
        #expect(try await visit.activeSessions(of: ada.localId) == sessions - 1)
    }

    @Test("A user whose address is not verified verifies it first, and then adds the factor")
    func unverified() async throws {
        let (visit, _) = try await Self.visit(isVerified: false)
        let page = try await Self.step(visit)
        #expect(page.text.contains("confirm your address <bdi>ada@example.com</bdi>"), "\(page.text)")
        #expect(!page.text.contains("otpauth:"))
        let sent = try await visit.submit(page, "verifyEmail")
        let early = try await visit.submit(sent, "enrolFactor")
        #expect(early.status == 400 && early.text.contains("The address is not confirmed yet."), "\(early.text)")
        #expect(try await visit.gateway.applyCode(visit.gateway.latestCode(.verifyEmail)).status == 200)
        let ready = try await visit.submit(early, "enrolFactor")
        let codes = try await visit.submit(ready, "enrolFactor", ["code": visit.appCode(ready)])
        #expect(try await visit.submit(codes, "finishEnrolment").requiredResult().contains("code="), "\(codes.text)")
    }

    @Test("Where passkeys are on, the user creates one instead, and signs in with it")
    func passkey() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory) { $0.secondFactors.allowsTOTP = false }
            .acceptingPasskeysOnPages()
        let ada = try await gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(gateway)
        let page = try await Self.step(visit)
        var device = try TestPasskey()
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        let response = String(decoding: try device.register(options: page.passkeyOptions).bytes, as: UTF8.self)
        let created = try await visit.submit(page, "createPasskey", ["credential": response])
        #expect(created.text.contains("Your account has a passkey."), "\(created.text)")
        #expect(try await gateway.passkeys(of: ada.localId).count == 1)
        let done = try await visit.submitPasskey(created, &device)
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(answer.json["secondFactorEnrollmentRequired"] == nil)
        #expect(try await visit.activeSessions(of: ada.localId) == 3, "sign-up, browser and app")
    }

    @Test("A guest who signs in to an account without a factor adds it, and then sees the merge")
    func guest() async throws {
        let (visit, ada) = try await Self.visit()
        let (_, page) = try await visit.openAsGuest()
        let step = try await visit.follow(visit.submit(page, "signIn", Self.credentials))
        let codes = try await visit.submit(step, "enrolFactor", ["code": visit.appCode(step)])
        let preview = try await visit.follow(visit.submit(codes, "finishEnrolment"))
        #expect(preview.heading == "You already have an account", "\(preview.text)")
        let answer = try await visit.exchange(visit.submit(preview, "confirm").requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
    }

    @Test("A guest whose account cannot get a factor here learns the reason")
    func guestWithoutFactor() async throws {
        let (visit, _) = try await Self.visit { $0.secondFactors.allowsTOTP = false }
        let (_, page) = try await visit.openAsGuest()
        let refused = try await visit.submit(page, "signIn", Self.credentials)
        #expect(refused.text.contains("Your account needs a second step"), "\(refused.text)")
        #expect(try QueryParameters(refused.requiredResult())["error"] == "not_available")
    }
}

extension SignInPageVisit {
    /// The code of an authenticator app that has scanned the page.
    func appCode(_ page: Exchange) throws -> String {
        let secret = try #require(try page.form("enrolFactor")["secret"])
        return try AuthenticatorApp(secret: #require(Base32.decode(secret))).code(at: gateway.clock.now)
    }
}
