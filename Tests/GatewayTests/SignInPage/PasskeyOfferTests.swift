import HTTP
import Identity
import Postgres
import Testing
import WebAuthnSupport

@testable import Support

@Suite("The offer to create a passkey after a sign-in by password")
struct PasskeyOfferTests {
    private static let credentials = ["email": "ada@example.com", "password": "secret1"]
    /// What the script adds in a browser that can create passkeys.
    private static let capable = credentials.merging(["passkeys": "on"]) { $1 }

    private static func visit(
        _ change: (inout Policy) -> Void = { _ in }
    ) async throws -> (visit: SignInPageVisit, ada: TestGateway.Tokens) {
        let plain = try await TestGateway { policy in
            policy.emailEnumerationProtection = false
            change(&policy)
        }
        try await plain.makeServiceKey()
        let gateway = try await plain.acceptingPasskeysOnPages()
        let ada = try await gateway.signUp(email: "ada@example.com")
        return (SignInPageVisit(gateway), ada)
    }

    /// Signs in by password, and returns the offer.
    private static func offer(_ visit: SignInPageVisit) async throws -> Exchange {
        let offer = try await visit.submit(visit.open(["prompt": "login"]), "signIn", capable)
        #expect(offer.heading == "Sign in without a password next time?", "\(offer.text)")
        return offer
    }

    /// What the script of the offer writes into the form.
    private static func response(to offer: Exchange) throws -> String {
        var device = try TestPasskey()
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        return String(decoding: try device.register(options: offer.passkeyOptions).bytes, as: UTF8.self)
    }

    @Test("The user creates a passkey, and the page returns to the app, whose session is of the password")
    func create() async throws {
        let (visit, ada) = try await Self.visit()
        let offer = try await Self.offer(visit)
        var device = try TestPasskey()
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        let response = String(decoding: try device.register(options: offer.passkeyOptions).bytes, as: UTF8.self)
        let done = try await visit.submit(offer, "createPasskey", ["credential": response])
        let idToken = try #require(try await visit.exchange(done.requiredResult()).json["id_token"]?.string)
        #expect(try claims(of: idToken)["firebase"]?["sign_in_provider"] == "password")
        #expect(try await visit.gateway.passkeys(of: ada.localId).count == 1)
        #expect(visit.browser.cookies.keys.contains { $0.contains("sekisho-browser") })
        #expect(try await visit.gateway.signInWithPasskey(&device).status == 200)
        // An account with a passkey gets no second offer.
        let again = try await visit.submit(visit.open(["prompt": "login"]), "signIn", Self.capable)
        #expect(again.heading == "You are signed in", "\(again.text)")
    }

    @Test("\"Not now\" returns to the app, and the browser is not asked again for 30 days")
    func notNow() async throws {
        let (visit, ada) = try await Self.visit()
        let done = try await visit.submit(Self.offer(visit), "skipPasskey")
        let cookie = try #require(
            done.headers.filter { $0.name == "Set-Cookie" }.map(\.value).first {
                $0.contains("sekisho-no-passkey-demo")
            })
        #expect(cookie.contains("Max-Age=2592000") && cookie.contains("HttpOnly"))
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        let again = try await visit.submit(visit.open(["prompt": "login"]), "signIn", Self.capable)
        #expect(again.heading == "You are signed in", "\(again.text)")
    }

    @Test("A browser that does not say that it can create passkeys gets no offer")
    func incapable() async throws {
        let (visit, _) = try await Self.visit()
        let done = try await visit.submit(visit.open(), "signIn", Self.credentials)
        #expect(done.heading == "You are signed in", "\(done.text)")
    }

    @Test("A passkey for another account or another sign-in is not added")
    func foreign() async throws {
        let (visit, ada) = try await Self.visit()
        let offer = try await Self.offer(visit)
        var device = try TestPasskey()
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        let started = try await visit.gateway.startPasskeyEnrolment(ada.idToken)
        let response = String(decoding: try device.register(started).bytes, as: UTF8.self)
        let rejected = try await visit.submit(offer, "createPasskey", ["credential": response])
        #expect(rejected.status == 400)
        #expect(rejected.text.contains("No passkey was created."), "\(rejected.text)")
        #expect(try await visit.gateway.passkeys(of: ada.localId) == [])
        #expect(try await visit.submit(rejected, "skipPasskey").result != nil)
    }

    @Test("The steps of the offer do nothing before the sign-in", arguments: ["createPasskey", "skipPasskey"])
    func withoutSignIn(step: String) async throws {
        let (visit, _) = try await Self.visit()
        var fields: [String: String] = try await visit.open().form("signIn")
        fields["step"] = step
        fields["credential"] = #"{"id": "AAAA"}"#
        let rejected = try await visit.browser.send(
            .post, SignInPageVisit.path, form: fields.map { ($0.key, $0.value) }, headers: SignInPageVisit.formHeaders)
        #expect(rejected.status == 400 && rejected.result == nil, "\(rejected.text)")
    }

    @Test("If the project's login is no longer recent, only \"Not now\" and \"Cancel\" are left")
    func oldLogin() async throws {
        let (visit, _) = try await Self.visit { $0.recentLoginMaxAge = .seconds(60) }
        let offer = try await Self.offer(visit)
        visit.gateway.clock.advance(by: .seconds(61))
        let late = try await visit.submit(offer, "createPasskey", ["credential": try Self.response(to: offer)])
        #expect(late.text.contains("This step has expired."), "\(late.text)")
        #expect(!late.text.contains("data-passkey="))
        #expect(try await visit.submit(late, "skipPasskey").result != nil)
    }

    @Test(
        "Who finds the offer more than five minutes after the login gets neither its session nor a passkey",
        arguments: ["createPasskey", "skipPasskey"])
    func unanswered(step: String) async throws {
        let (visit, ada) = try await Self.visit()
        let offer = try await Self.offer(visit)
        let response = try Self.response(to: offer)
        visit.gateway.clock.advance(by: .seconds(301))
        let sessions = try await visit.openSessionCount()
        let late = try await visit.submit(offer, step, ["credential": response])
        #expect(late.status == 400 && late.result == nil)
        #expect(late.text.contains("This step has expired."), "\(late.text)")
        #expect(!visit.browser.cookies.keys.contains { $0.contains("sekisho-browser") })
        #expect(try await visit.gateway.passkeys(of: ada.localId).isEmpty)
        #expect(try await visit.openSessionCount() == sessions - 1)
        #expect(try await visit.submit(late, "signIn", Self.credentials).result != nil)
    }

    @Test("Only the page with the offer answers it: whoever loads the visit from the history has to sign in")
    func history() async throws {
        let (visit, ada) = try await Self.visit()
        let start = try await visit.open(["prompt": "login"])
        let offer = try await visit.submit(start, "signIn", Self.capable)
        #expect(try offer.form("skipPasskey")["offer"] != nil, "\(offer.text)")
        #expect(!offer.text.contains(#"name="hl""#), "the switch of the language would load the visit again")
        let flow = try start.form("signIn")["flow"] ?? ""
        let later = try await visit.browser.send(.get, SignInPageVisit.path + "?flow=" + flow)
        #expect(later.heading == "Sign in", "\(later.text)")
        let response = try Self.response(to: offer)
        for step in ["createPasskey", "skipPasskey"] {
            for answer in ["", "AAAA"] {
                let forged = try await visit.submit(
                    later, "signIn", ["step": step, "credential": response, "offer": answer])
                #expect(forged.status == 400 && forged.result == nil, "\(step)")
            }
        }
        #expect(try await visit.gateway.passkeys(of: ada.localId).isEmpty)
        #expect(try await visit.submit(offer, "skipPasskey").result != nil)
    }

    @Test(
        "The offer ends when the browser signs out or completes another sign-in, with or without a session before",
        arguments: ["signOut", "signOutOfSession", "signIn", "resume"])
    func endedElsewhere(way: String) async throws {
        let (visit, ada) = try await Self.visit()
        if way == "signOutOfSession" || way == "resume" { _ = try await visit.signIn() }
        let offer = try await Self.offer(visit)
        let path = "/demo/__/auth/signOut"
        switch way {
        case "signOut": #expect(try await visit.browser.send(.get, path).heading == "You are signed out")
        case "signOutOfSession":
            let page = try await visit.browser.send(.get, path)
            let match = try #require(page.text.firstMatch(of: #/name="formToken" value="([^"]*)"/#), "\(page.text)")
            let token = String(match.output.1)
            _ = try await visit.browser.send(
                .post, path, form: [("formToken", token)], headers: SignInPageVisit.formHeaders)
        case "signIn": _ = try await visit.signIn(["prompt": "login"])
        default: #expect(try await visit.submit(visit.open(), "resume").result != nil)
        }
        let sessions = try await visit.openSessionCount()
        for step in ["createPasskey", "skipPasskey"] {
            let late = try await visit.submit(offer, step, ["credential": try Self.response(to: offer)])
            #expect(late.status == 400 && late.result == nil, "\(late.text)")
        }
        #expect(try await visit.openSessionCount() == sessions - 1)
        #expect(try await visit.gateway.passkeys(of: ada.localId).isEmpty)
    }

    @Test("A second sign-in in the same visit ends the session of the first, whose offer was not answered")
    func repeatedForm() async throws {
        let (visit, _) = try await Self.visit()
        let start = try await visit.open(["prompt": "login"])
        let first = try await visit.submit(start, "signIn", Self.capable)
        let sessions = try await visit.openSessionCount()
        let second = try await visit.submit(start, "signIn", Self.capable)
        #expect(try await visit.openSessionCount() == sessions)
        #expect(try await visit.submit(first, "skipPasskey").status == 400)
        #expect(try await visit.submit(second, "skipPasskey").result != nil)
    }

    @Test("\"Cancel\" ends the session, in any tab, and returns to the app with an error", arguments: [false, true])
    func cancel(inOtherTab: Bool) async throws {
        let (visit, _) = try await Self.visit()
        let start = try await visit.open(["prompt": "login"])
        let offer = try await visit.submit(start, "signIn", Self.capable)
        let sessions = try await visit.openSessionCount()
        let cancelled = try await visit.submit(inOtherTab ? start : offer, "cancel")
        #expect(cancelled.heading == "The sign-in was cancelled", "\(cancelled.text)")
        #expect(try QueryParameters(cancelled.requiredResult())["error"] == "access_denied")
        #expect(try await visit.openSessionCount() == sessions - 1)
        #expect(try await visit.submit(offer, "skipPasskey").result == nil)
    }

    @Test("A user who has just created the account can decline the passkey, but not cancel what has happened")
    func newAccount() async throws {
        let (visit, _) = try await Self.visit()
        let grace = Self.capable.merging(["email": "grace@example.com"]) { $1 }
        let offer = try await visit.submit(visit.open(["screen": "signUp"]), "signUp", grace)
        #expect(offer.heading == "Sign in without a password next time?", "\(offer.text)")
        #expect(!offer.text.contains(#"value="cancel""#), "\(offer.text)")
        #expect(try await visit.submit(offer, "skipPasskey").requiredResult().contains("code="))
    }

    @Test(
        "With `max_age` below the time for the answer, nothing is offered", arguments: [("299", false), ("300", true)])
    func maxAge(seconds: String, isOffered: Bool) async throws {
        let (visit, _) = try await Self.visit()
        let next = try await visit.submit(
            visit.open(["prompt": "login", "max_age": seconds]), "signIn", Self.capable)
        #expect((next.heading == "You are signed in") == !isOffered, "\(next.text)")
    }
}

extension SignInPageVisit {
    fileprivate func openSessionCount() async throws -> Int {
        try await gateway.database.pool.query("SELECT FROM session WHERE ended_at IS NULL").count
    }
}
