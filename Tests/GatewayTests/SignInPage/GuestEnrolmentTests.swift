import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("A guest keeps the account where second factors are mandatory")
struct GuestEnrolmentTests {
    enum Method: CaseIterable {
        case password, emailCode, google
    }

    private static func visit(allowsTOTP: Bool = true) async throws -> SignInPageVisit {
        SignInPageVisit(
            try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#) {
                $0.emailEnumerationProtection = false
                $0.allowsEmailLinks = true
                $0.secondFactors = SecondFactorPolicy(
                    state: .mandatory, allowsTOTP: allowsTOTP, allowsSMS: !allowsTOTP)
            })
    }

    /// The response to "Continue" on the page "Keep your guest account".
    private static func confirmed(_ method: Method, _ page: Exchange, _ visit: SignInPageVisit) async throws -> Exchange
    {
        let returned: Exchange
        switch method {
        case .google: returned = try await visit.signIn(with: "google.com", on: page)
        case .password:
            let sent = try await visit.submit(
                visit.screen("signUp", of: page), "signUp", ["email": "eve@example.com", "password": "long enough"])
            returned = try await visit.submit(
                visit.follow(sent), "enterCode", ["code": visit.lastEmail().code])
        case .emailCode:
            let sent = try await visit.submit(
                visit.screen("emailCode", of: page), "emailCode", ["email": "eve@example.com"])
            returned = try await visit.submit(
                visit.follow(sent), "enterCode", ["code": visit.lastEmail().code])
        }
        let preview = try await visit.follow(returned)
        #expect(preview.heading == "Keep your guest account", "\(preview.text)")
        return try await visit.submit(preview, "confirm")
    }

    @Test("The page adds the factor before it returns to the app", arguments: Method.allCases)
    func keep(method: Method) async throws {
        let visit = try await Self.visit()
        let (guest, page) = try await visit.openAsGuest()
        let step = try await visit.follow(Self.confirmed(method, page, visit))
        #expect(step.heading == "Add a second step", "\(step.text)")
        let codes = try await visit.submit(step, "enrolFactor", ["code": visit.appCode(step)])
        let done = try await visit.submit(codes, "finishEnrolment")
        #expect(!visit.browser.cookies.keys.contains { $0.contains("sekisho-browser") })
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        #expect(answer.json["secondFactorEnrollmentRequired"] == nil)
        let idToken = try #require(answer.json["id_token"]?.string)
        #expect(try claims(of: idToken)["firebase"]?["sign_in_second_factor"] == "totp")
    }

    @Test(
        "Who made the guest account, and led another person to the page, loses it when that person keeps it",
        arguments: Method.allCases, [true, false])
    func foreignGuest(method: Method, pageAddsFactor: Bool) async throws {
        let visit = try await Self.visit(allowsTOTP: pageAddsFactor)
        let (attacker, page) = try await visit.openAsGuest()
        let confirmed = try await Self.confirmed(method, page, visit)
        let gateway = visit.gateway
        if pageAddsFactor {
            #expect(try await gateway.lookup(attacker.idToken).wireCode == "TOKEN_EXPIRED")
            let password: JSON = ["idToken": .string(attacker.idToken), "password": "long enough too"]
            #expect(try await gateway.post("/v1/accounts:update", password).wireCode == "TOKEN_EXPIRED")
            #expect(try await gateway.refresh(attacker.refreshToken).status == 400)
            #expect(try await visit.activeSessions(of: attacker.localId) == 1, "that of the page")
        } else {
            // The app of the attacker has no verifier of the victim's.
            #expect(try await gateway.lookup(attacker.idToken).status == 200)
            #expect(try await visit.exchange(confirmed.requiredResult()).status == 200)
            #expect(try await gateway.lookup(attacker.idToken).wireCode == "TOKEN_EXPIRED")
        }
    }

    @Test("A link with the API ends the earlier sessions of the guest, too, and the new session is restricted")
    func linkWithAPI() async throws {
        let visit = try await Self.visit()
        let gateway = visit.gateway
        let guest = try await gateway.signUpAnonymously()
        let linked = try await gateway.link(gateway.googleCredential(), to: guest.idToken)
        #expect(linked.json["secondFactorEnrollmentRequired"] == true, "\(linked.text)")
        #expect(try await gateway.lookup(guest.idToken).wireCode == "TOKEN_EXPIRED")
        #expect(try await gateway.lookup(linked.json["idToken"]?.string ?? "").status == 200)
    }

    @Test("A passkey of the guest is a first credential, too: no other one is added at the same time", arguments: 1...4)
    func passkeyAtTheSameTime(attempt: Int) async throws {
        let gateway = try await Self.visit().gateway.acceptingPasskeysOnPages()
        let guest = try await gateway.signUpAnonymously()
        var device = try TestPasskey()
        let response = try device.register(await gateway.startPasskeyEnrolment(guest.idToken))
        async let passkey = gateway.finalizePasskeyEnrolment(guest.idToken, response)
        async let linked = gateway.link(gateway.googleCredential(), to: guest.idToken)
        let outcomes = [try await passkey.status, try await linked.status]
        #expect(outcomes.filter { $0 == 200 }.count == 1, "\(outcomes)")
        let generation: Int? = try await gateway.database.pool.query(
            "SELECT generation::int AS n FROM account WHERE id = \(guest.localId)"
        ).first?.decode("n")
        #expect(generation == 2)
    }

    @Test("\"Cancel\" ends the session of the step, and the next sign-in asks again")
    func cancel() async throws {
        let visit = try await Self.visit()
        let (guest, page) = try await visit.openAsGuest()
        let step = try await visit.follow(Self.confirmed(.password, page, visit))
        let cancelled = try await visit.submit(step, "cancel")
        #expect(cancelled.result?.contains("error=access_denied") == true, "\(cancelled.text)")
        #expect(try await visit.activeSessions(of: guest.localId) == 0)
        let again = try await visit.submit(
            visit.open(), "signIn", ["email": "eve@example.com", "password": "long enough"])
        #expect(try await visit.follow(again).heading == "Add a second step")
    }

    @Test("Where the page can add no factor, the exchange keeps the account, and the session is restricted")
    func withoutFactor() async throws {
        let visit = try await Self.visit(allowsTOTP: false)
        let (guest, page) = try await visit.openAsGuest()
        let answer = try await visit.exchange(Self.confirmed(.google, page, visit).requiredResult())
        #expect(answer.json["user_id"]?.string == guest.localId, "\(answer.text)")
        #expect(answer.json["secondFactorEnrollmentRequired"] == true)
    }
}
