import Encoding
import HTTP
import Identity
import Postgres
import Simulators
import Testing
import WebAuthnSupport

@testable import Support

/// What follows the answers on the page that adds the second factor that the policy demands.
@Suite("Answers to the enrolment on the sign-in page")
struct EnrolmentAnswerTests {
    private static let credentials = ["email": "ada@example.com", "password": "secret1"]

    private static func step(_ visit: SignInPageVisit) async throws -> Exchange {
        try await visit.follow(visit.submit(visit.open(["prompt": "login"]), "signIn", credentials))
    }

    private static func recoveryCodes(_ page: Exchange) -> [String] {
        page.text.matches(of: #/<li><code>([^<]*)</#).map { String($0.output.1) }
    }

    @Test("A repeated form shows new recovery codes, and the user returns to the app")
    func repeated() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let ada = try await gateway.signUpVerified()
        let visit = SignInPageVisit(gateway)
        let page = try await Self.step(visit)
        let code = try visit.appCode(page)
        let first = try await visit.submit(page, "enrolFactor", ["code": code])
        let sessions = try await visit.activeSessions(of: ada.localId)
        let second = try await visit.submit(page, "enrolFactor", ["code": code])
        #expect(second.status == 200, "\(second.text)")
        let (lost, shown) = (Self.recoveryCodes(first), Self.recoveryCodes(second))
        #expect(shown.count == 10 && Set(shown).isDisjoint(with: lost))
        #expect(try await visit.activeSessions(of: ada.localId) == sessions)
        let answer = try await visit.exchange(visit.submit(second, "finishEnrolment").requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(answer.json["secondFactorEnrollmentRequired"] == nil)
        let notices = try await gateway.emails().map(\.kind)
        #expect(!notices.contains(.recoveryCodesRenewed), "one email says that the factor was added")
    }

    @Test("A repeated form of another browser shows no recovery codes")
    func repeatedElsewhere() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        _ = try await gateway.signUpVerified()
        let visit = SignInPageVisit(gateway)
        let page = try await Self.step(visit)
        let code = try visit.appCode(page)
        _ = try await visit.submit(page, "enrolFactor", ["code": code])
        let cookie = try #require(visit.browser.cookies.keys.first { $0.contains("sekisho-answer") })
        visit.browser.setCookie(cookie, "another")
        let stolen = try await visit.submit(page, "enrolFactor", ["code": code])
        #expect(stolen.status == 400 && Self.recoveryCodes(stolen).isEmpty, "\(stolen.text)")
    }

    @Test("A HEAD request does not use up the page")
    func head() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        _ = try await gateway.signUpVerified()
        let visit = SignInPageVisit(gateway)
        let redirect = try await visit.submit(visit.open(), "signIn", Self.credentials)
        #expect(try await visit.browser.send(.head, #require(redirect.location)).status == 200)
        #expect(try await visit.follow(redirect).heading == "Add a second step")
    }

    @Test("The user has the time of the visit to save the recovery codes, and the page says how long")
    func slowUser() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        _ = try await gateway.signUpVerified()
        let visit = SignInPageVisit(gateway)
        let page = try await Self.step(visit)
        let codes = try await visit.submit(page, "enrolFactor", ["code": visit.appCode(page)])
        #expect(codes.text.contains("Continue within 60 minutes."), "\(codes.text)")
        gateway.clock.advance(by: .seconds(3000))
        let done = try await visit.submit(codes, "finishEnrolment")
        #expect(try await visit.exchange(done.requiredResult()).status == 200)
    }

    @Test("After a sign-up, the app learns that the account is new, also if the user has created a passkey")
    func newUser() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory).acceptingPasskeysOnPages()
        let visit = SignInPageVisit(gateway)
        let other = SignInPageVisit(gateway)
        let signUpOfEve = try await other.submit(
            other.open(["screen": "signUp"]), "signUp", ["email": "eve@example.com", "password": "secret1"])
        var eve = try TestPasskey()
        _ = try await other.createPasskey(other.follow(signUpOfEve), &eve)
        let form = try await visit.open(["screen": "signUp"])
        let page = try await visit.follow(visit.submit(form, "signUp", Self.credentials))
        var device = try TestPasskey()
        let created = try await visit.createPasskey(page, &device)
        let rejected = try await visit.submitPasskey(created, &eve)
        #expect(rejected.result == nil && rejected.text.contains("This is another account."), "\(rejected.text)")
        let answer = try await visit.exchange(visit.submitPasskey(rejected, &device).requiredResult())
        #expect(answer.json["isNewUser"] == true, "\(answer.text)")
    }

    @Test("A re-authentication of an account that gets its passkey in the step goes on with the passkey")
    func reauthentication() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory) { $0.secondFactors.allowsTOTP = false }
            .acceptingPasskeysOnPages()
        let ada = try await gateway.signUpVerified()
        let visit = SignInPageVisit(gateway)
        // A session that the policy does not restrict, as one from before the policy.
        let key = try await ServiceKey(in: gateway)
        let custom = try await gateway.signIn(
            customToken: key.customToken(uid: ada.localId, at: gateway.clock.now))
        let form = try await visit.reauthenticate(#require(custom.json["idToken"]?.string))
        let page = try await visit.follow(visit.submit(form, "signIn", Self.credentials))
        var device = try TestPasskey()
        let created = try await visit.createPasskey(page, &device)
        let answer = try await visit.exchange(visit.submitPasskey(created, &device).requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
    }
}

@Suite("Conflicts of the sign-in page where second factors are mandatory")
struct ConflictEnrolmentTests {
    private static let email = SimulatedPerson.ada.email ?? ""
    private static let password = "long enough"

    private static func conflict(
        allowsTOTP: Bool
    ) async throws -> (visit: SignInPageVisit, ada: TestGateway.Tokens, page: Exchange) {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#, .sekisho) {
            $0.emailEnumerationProtection = false
            $0.secondFactors = SecondFactorPolicy(state: .mandatory, allowsTOTP: allowsTOTP, allowsSMS: !allowsTOTP)
        }
        let ada = try await gateway.signUpVerified(email: email, password: password)
        let visit = SignInPageVisit(gateway)
        let page = try await visit.follow(visit.signIn(with: "google.com", on: visit.open()))
        #expect(page.heading == "You already have an account", "\(page.text)")
        return (visit, ada, page)
    }

    @Test("Another account than that of the conflict gets no factor")
    func otherAccount() async throws {
        let (visit, _, page) = try await Self.conflict(allowsTOTP: true)
        let eve = try await visit.gateway.signUpVerified(email: "eve@example.com", password: Self.password)
        let sessions = try await visit.activeSessions(of: eve.localId)
        let refused = try await visit.submit(
            page, "signIn", ["email": "eve@example.com", "password": Self.password])
        #expect(refused.status == 400 && refused.text.contains("This is another account."), "\(refused.text)")
        #expect(try await visit.activeSessions(of: eve.localId) == sessions)
    }

    @Test("The account of the conflict adds the factor, and then gets the identity")
    func owner() async throws {
        let (visit, ada, page) = try await Self.conflict(allowsTOTP: true)
        let step = try await visit.follow(
            visit.submit(page, "signIn", ["email": Self.email, "password": Self.password]))
        #expect(try await visit.linkedIdentities() == 0)
        let codes = try await visit.submit(step, "enrolFactor", ["code": visit.appCode(step)])
        let answer = try await visit.exchange(visit.submit(codes, "finishEnrolment").requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(try await visit.linkedIdentities() == 1)
    }

    @Test("Where the page can add no factor, the app gets the restricted session, and nothing is linked")
    func withoutFactor() async throws {
        let (visit, ada, page) = try await Self.conflict(allowsTOTP: false)
        let done = try await visit.submit(page, "signIn", ["email": Self.email, "password": Self.password])
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(answer.json["secondFactorEnrollmentRequired"] == true)
        #expect(try await visit.linkedIdentities() == 0)
    }
}

extension SignInPageVisit {
    /// Creates a passkey on a page of the enrolment, and returns the next page.
    fileprivate func createPasskey(_ page: Exchange, _ device: inout TestPasskey) async throws -> Exchange {
        device.authenticator.origin = SignInPagePasskeyTests.pageOrigin
        let response = String(decoding: try device.register(options: page.passkeyOptions).bytes, as: UTF8.self)
        let created = try await submit(page, "createPasskey", ["credential": response])
        #expect(created.text.contains("Your account has a passkey."), "\(created.text)")
        return created
    }
}
