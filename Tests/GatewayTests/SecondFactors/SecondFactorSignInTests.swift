import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("Sign-in with a second factor")
struct SecondFactorSignInTests {
    /// A first factor of Ada, who has a password, an Apple identity and a one-time password.
    struct Method: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let provider: String
        /// The outcome of a second use of the pending credential.
        var reuse = "400 INVALID_MFA_PENDING_CREDENTIAL"
        let signIn: @Sendable (TestGateway) async throws -> Exchange
    }

    static let methods = [
        Method(testDescription: "password", provider: "password") { try await $0.signIn() },
        Method(testDescription: "email link", provider: "password", reuse: "400 INVALID_OOB_CODE") {
            let code = try await $0.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return try await $0.signInWithEmailLink("ada@example.com", code)
        },
        Method(testDescription: "linked identity", provider: "apple.com") {
            try await $0.signIn($0.appleCredential())
        },
    ]

    private func gatewayOfAda() async throws -> (TestGateway, EnrolledAccount) {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.appleCredential(), to: ada.idToken).status == 200)
        return (gateway, try await gateway.enrol(ada))
    }

    @Test("The first factor stores nothing and opens no session; the second one signs in", arguments: methods)
    func signIn(method: Method) async throws {
        let (gateway, ada) = try await gatewayOfAda()
        _ = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
        let state: SQL = """
            SELECT (SELECT count(*) FROM session) || ' ' || (SELECT count(*) FROM linked_identity) || ' ' ||
                (SELECT string_agg(last_sign_in_at || coalesce(display_name, '') || email_link_sign_in, ',')
                    FROM account) || ' ' || (SELECT count(*) FROM replay_guard) AS state
            """
        let before: String? = try await gateway.database.pool.query(state).first?.decode("state")
        let first = try await method.signIn(gateway)
        #expect(first.status == 200, "\(first.text)")
        #expect(first.json["idToken"] == nil && first.json["refreshToken"] == nil)
        #expect(first.json["localId"]?.string == ada.localId)
        #expect(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string == ada.factor)
        #expect(first.json["mfaInfo"]?[0]?["totpInfo"] == [:])
        #expect(first.json["recoveryCodesAvailable"] == nil)
        let after: String? = try await gateway.database.pool.query(state).first?.decode("state")
        #expect(after != nil && after == before)
        let done = try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now))
        let idToken = try #require(done.json["idToken"]?.string, "\(done.text)")
        let firebase = try claims(of: idToken)["firebase"]
        #expect(firebase?["sign_in_provider"]?.string == method.provider)
        #expect(firebase?["sign_in_second_factor"] == "totp")
        #expect(firebase?["second_factor_identifier"]?.string == ada.factor)
        #expect(try await gateway.lookup(idToken).json["users"]?[0]?["localId"]?.string == ada.localId)
        gateway.clock.advance(by: .seconds(30))
        let again = try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now))
        #expect(again.outcome == method.reuse)
    }

    @Test("A custom token signs in without a second factor, because the operator's backend vouches for the user")
    func customToken() async throws {
        let (gateway, ada) = try await gatewayOfAda()
        let key = try await ServiceKey(in: gateway)
        let signedIn = try await gateway.post(
            "/v1/accounts:signInWithCustomToken",
            ["token": .string(try key.customToken(uid: ada.localId, at: gateway.clock.now))])
        #expect(signedIn.json["idToken"] != nil)
    }

    @Test("Where second factors are off, none is demanded")
    func disabled() async throws {
        let (gateway, _) = try await gatewayOfAda()
        _ = try await gateway.database.pool.execute("UPDATE realm SET policy = policy - 'secondFactors'")
        let other = try gateway.withFreshCaches()
        let first = try await other.signIn()
        #expect(first.json["idToken"] != nil, "\(first.text)")
        #expect(try await other.update(first.json["idToken"]?.string ?? "", ["password": "secret2"]).status == 200)
    }

    @Test("The clock of an authenticator app may differ by the configured number of steps", arguments: 0...2)
    func drift(adjacent: Int) async throws {
        let gateway = try await TestGateway.withSecondFactors { $0.secondFactors.adjacentIntervals = adjacent }
        let ada = try await gateway.signUpEnrolled()
        gateway.clock.advance(by: .seconds(300))
        for ahead in -3...3 {
            gateway.clock.advance(by: .seconds(3000))
            let done = try await gateway.finalizeSignIn(
                gateway.signIn(), ada.factor, ada.app.code(at: gateway.clock.now, ahead: Int64(ahead)))
            #expect(done.outcome == (abs(ahead) <= adjacent ? "200" : "400 INVALID_CODE"), "\(ahead)")
        }
    }

    @Test("A re-authentication asks for the second factor of the same account")
    func reauthentication() async throws {
        let (gateway, ada) = try await gatewayOfAda()
        let first = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            ["email": "ada@example.com", "password": "secret1", "idToken": .string(ada.idToken)])
        #expect(first.json["mfaPendingCredential"] != nil)
        let eve = try await gateway.signUp(email: "eve@example.com")
        let other = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            ["email": "ada@example.com", "password": "secret1", "idToken": .string(eve.idToken)])
        #expect(other.outcome == "400 USER_MISMATCH")
    }
}
