import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("A project that requires second factors")
struct MandatoryFactorTests {
    private static let required = "400 SECOND_FACTOR_ENROLLMENT_REQUIRED : Enroll a second factor first."

    @Test("A session without second factor has another audience, and can only be used to enrol one")
    func restricted() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let ada = try await gateway.signUpVerified()
        #expect(try claims(of: ada.idToken)["aud"] == "demo/second-factor-enrollment")
        let signedIn = try await gateway.signIn()
        #expect(signedIn.json["secondFactorEnrollmentRequired"] == true)
        let refreshed = try await gateway.refresh(ada.refreshToken)
        #expect(refreshed.json["secondFactorEnrollmentRequired"] == true)
        #expect(try claims(of: refreshed.json["id_token"]?.string ?? "")["aud"] == "demo/second-factor-enrollment")
        let rejected = try await [
            gateway.update(ada.idToken, ["displayName": "Ada"]),
            gateway.link(gateway.googleCredential(), to: ada.idToken),
            gateway.post("/v1/accounts:listSessions", ["idToken": .string(ada.idToken)]),
            gateway.callProjectAsAdmin(.post, ":createSessionCookie", ["idToken": .string(ada.idToken)]),
            gateway.generateRecoveryCodes(ada.idToken),
        ]
        for response in rejected { #expect(response.outcome == Self.required, "\(response.text)") }
        #expect(try await gateway.lookup(ada.idToken).status == 200)
        #expect(
            try await gateway.sendOobCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)]).status == 200)
        let enrolled = try await gateway.enrol(ada)
        #expect(try claims(of: enrolled.idToken)["aud"] == "demo")
        #expect(try await gateway.update(enrolled.idToken, ["displayName": "Ada"]).status == 200)
        let withdrawn = try await gateway.withdraw(enrolled.factor, enrolled.idToken)
        #expect(withdrawn.json["secondFactorEnrollmentRequired"] == true, "\(withdrawn.text)")
        let idToken = try #require(withdrawn.json["idToken"]?.string)
        #expect(try await gateway.delete(idToken).status == 200)
    }

    @Test("Anonymous sessions and those of custom tokens are not restricted")
    func exempt() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        #expect(try claims(of: guest.idToken)["aud"] == "demo")
        let key = try await ServiceKey(in: gateway)
        let custom = try await gateway.post(
            "/v1/accounts:signInWithCustomToken",
            ["token": .string(try key.customToken(uid: "uid", at: gateway.clock.now))])
        #expect(try claims(of: custom.json["idToken"]?.string ?? "")["aud"] == "demo")
    }

    @Test("The session of a guest is restricted once the account is no longer anonymous")
    func permanentGuest() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        _ = try await gateway.database.pool.execute("UPDATE account SET email = 'ada@example.com'")
        let refreshed = try await gateway.refresh(guest.refreshToken)
        #expect(refreshed.json["secondFactorEnrollmentRequired"] == true, "\(refreshed.text)")
        #expect(try claims(of: refreshed.json["id_token"]?.string ?? "")["aud"] == "demo/second-factor-enrollment")
    }

    @Test("A session whose factor an administrator has removed is restricted at once")
    func reset() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let ada = try await gateway.signUpEnrolled()
        #expect(try await gateway.refresh(ada.refreshToken).json["secondFactorEnrollmentRequired"] == nil)
        #expect(try await gateway.resetFactors(of: ada.localId).status == 200)
        let renamed = try await gateway.update(ada.idToken, ["displayName": "Ada"])
        #expect(renamed.wireCode == "SECOND_FACTOR_ENROLLMENT_REQUIRED", "\(renamed.text)")
        let refreshed = try await gateway.refresh(ada.refreshToken)
        #expect(refreshed.json["secondFactorEnrollmentRequired"] == true, "\(refreshed.text)")
    }

    @Test("A session of a guest who gets a password is restricted")
    func upgrade() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let upgraded = try await gateway.post(
            "/v1/accounts:signUp",
            ["idToken": .string(guest.idToken), "email": "ada@example.com", "password": "secret1"])
        #expect(upgraded.json["secondFactorEnrollmentRequired"] == true, "\(upgraded.text)")
    }
}
