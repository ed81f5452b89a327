import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// `signUp()` and `signIn()` use the address ada@example.com and the password `secret1`.
@Suite("A sign-in link in an email")
struct EmailLinkTests {
    /// Requests a sign-in link, and returns the code in the email.
    private func emailedCode(_ gateway: TestGateway, for email: String = "ada@example.com") async throws -> String {
        try await gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(email)])
    }

    @Test("A sign-in link creates an account with a verified address, and a later link signs in to the account")
    func newAccount() async throws {
        let gateway = try await TestGateway()
        let first = try await gateway.signInWithEmailLink("Ada@example.com", try await emailedCode(gateway))
        #expect(first.json["isNewUser"] == true, "\(first.text)")
        #expect(first.json["kind"] == "identitytoolkit#EmailLinkSigninResponse")
        let ada = try TestGateway.Tokens(first)
        let account = try await gateway.accountSeenByUser(ada.idToken)
        #expect(account["emailVerified"] == true)
        #expect(account["emailLinkSignin"] == true)
        #expect(try claims(of: ada.idToken)["firebase"]?["sign_in_provider"] == "password")
        gateway.clock.advance(by: .seconds(60))
        let again = try await gateway.signInWithEmailLink("ada@example.com", try await emailedCode(gateway))
        #expect(again.json["isNewUser"] == false)
        #expect(again.json["localId"]?.string == ada.localId)
        let methods = try await gateway.post(
            "/v1/accounts:createAuthUri", ["identifier": "ada@example.com", "continueUri": "http://localhost"])
        #expect(methods.json["signinMethods"] == ["emailLink"])
        #expect(try await gateway.lookup(ada.idToken).status == 200)
    }

    @Test("Checking a sign-in code returns its address, and a sign-in with another address is rejected")
    func address() async throws {
        let gateway = try await TestGateway()
        let code = try await emailedCode(gateway)
        #expect(try await gateway.checkCode(code).json["email"] == "ada@example.com")
        #expect(
            try await gateway.signInWithEmailLink("bob@example.com", code).outcome
                == "400 INVALID_EMAIL : The email provided does not match the sign-in email address.")
        #expect(try await gateway.signInWithEmailLink("ada@example.com", code).status == 200)
        #expect(try await gateway.signInWithEmailLink("ada@example.com", code).outcome == "400 INVALID_OOB_CODE")
    }

    @Test("A sign-in link expires after 15 minutes")
    func expiry() async throws {
        let gateway = try await TestGateway()
        let code = try await emailedCode(gateway)
        gateway.clock.advance(by: .seconds(900))
        #expect(try await gateway.signInWithEmailLink("ada@example.com", code).outcome == "400 EXPIRED_OOB_CODE")
    }

    @Test("A sign-in link signs in to an account with a verified address, and keeps its session and password")
    func existingAccount() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let signedIn = try await gateway.signInWithEmailLink("ada@example.com", try await emailedCode(gateway))
        #expect(signedIn.json["localId"]?.string == ada.localId)
        #expect(try await gateway.lookup(ada.idToken).status == 200)
        #expect(try await gateway.signIn().status == 200)
    }

    @Test("A change of the account's address invalidates a sign-in link")
    func changedAddress() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let code = try await emailedCode(gateway)
        _ = try await gateway.update(ada.idToken, ["email": "b@example.com"])
        #expect(try await gateway.signInWithEmailLink("ada@example.com", code).outcome == "400 INVALID_OOB_CODE")
    }

    @Test("A sign-in link upgrades an anonymous account, which keeps its ID")
    func upgrade() async throws {
        let gateway = try await TestGateway()
        let guest = try await gateway.signUpAnonymously()
        let upgraded = try await gateway.signInWithEmailLink(
            "ada@example.com", try await emailedCode(gateway), ["idToken": .string(guest.idToken)])
        #expect(upgraded.json["localId"]?.string == guest.localId, "\(upgraded.text)")
        #expect(upgraded.json["isNewUser"] == false)
        #expect(try await gateway.accountSeenByUser(guest.idToken)["emailVerified"] == true)
    }

    @Test("A sign-in link verifies the caller's own address without ending the session")
    func own() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let linked = try await gateway.signInWithEmailLink(
            "ada@example.com", try await emailedCode(gateway), ["idToken": .string(ada.idToken)])
        #expect(linked.json["localId"]?.string == ada.localId)
        #expect(try await gateway.accountSeenByUser(ada.idToken)["emailVerified"] == true)
        #expect(try await gateway.signIn().status == 200)
    }

    @Test("A sign-in link does not set an address that another account has")
    func taken() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        let guest = try await gateway.signUpAnonymously()
        let code = try await emailedCode(gateway)
        #expect(
            try await gateway.signInWithEmailLink("ada@example.com", code, ["idToken": .string(guest.idToken)]).outcome
                == "400 EMAIL_EXISTS")
    }

    @Test("Changing the address by a sign-in link needs a recent login, and the former address gets a notice")
    func replacing() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let code = try await emailedCode(gateway, for: "b@example.com")
        // A login is recent for 300 seconds.
        gateway.clock.advance(by: .seconds(301))
        let body: [String: JSON] = ["idToken": .string(ada.idToken)]
        #expect(
            try await gateway.signInWithEmailLink("b@example.com", code, body).outcome
                == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        let fresh = try TestGateway.Tokens(await gateway.signIn())
        let changed = try await gateway.signInWithEmailLink("b@example.com", code, ["idToken": .string(fresh.idToken)])
        #expect(changed.json["email"] == "b@example.com", "\(changed.text)")
        #expect(try await gateway.lookup(fresh.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.emails(.emailChanged).map(\.recipient) == ["ada@example.com"])
    }

    @Test("Sign-in links are rejected if the project does not allow email links")
    func forbidden() async throws {
        let gateway = try await TestGateway { $0.allowsEmailLinks = false }
        #expect(
            try await gateway.sendOobCode("EMAIL_SIGNIN", ["email": "ada@example.com"]).outcome
                == "400 OPERATION_NOT_ALLOWED")
        #expect(
            try await gateway.signInWithEmailLink("ada@example.com", "code").outcome == "400 OPERATION_NOT_ALLOWED")
    }

    @Test("Ten concurrent requests with two codes create one account, and each code signs in once")
    func race() async throws {
        let gateway = try await TestGateway()
        let codes = [try await emailedCode(gateway), try await emailedCode(gateway)]
        let outcomes = try await concurrently(10) {
            try await gateway.signInWithEmailLink("ada@example.com", codes[$0 % 2])
        }
        let signedIn = outcomes.filter { $0.status == 200 }
        #expect(signedIn.count == 2, "\(outcomes.map(\.outcome))")
        #expect(Set(signedIn.compactMap { $0.json["localId"]?.string }).count == 1)
        #expect(signedIn.filter { $0.json["isNewUser"] == true }.count == 1)
    }
}
