import Encoding
import Identity
import Postgres
import Storage
import Testing
import WebAuthnSupport

@testable import Support

@Suite("Conditional enrolment of passkeys")
struct ConditionalPasskeyTests {
    private static let conditional: [String: JSON] = ["mediation": "conditional"]

    /// Finalizes an enrolment with a response in which the user has confirmed nothing.
    private func finalize(_ started: Exchange, _ idToken: String, in gateway: TestGateway) async throws -> Exchange {
        var device = try TestPasskey()
        device.authenticator.flags.subtract([.userPresent, .userVerified])
        return try await gateway.finalizePasskeyEnrolment(idToken, try device.register(started))
    }

    @Test("After a sign-in by password, a passkey is created without confirmation, and announced with a link")
    func enrolment() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified()
        let started = try await gateway.startPasskeyEnrolment(ada.idToken, Self.conditional)
        let selection = started.json["credentialCreationOptions"]?["authenticatorSelection"]
        #expect(selection?["userVerification"] == "preferred")
        #expect(selection?["residentKey"] == "required")
        let finalized = try await finalize(started, ada.idToken, in: gateway)
        #expect(finalized.json["idToken"] != nil, "\(finalized.text)")
        gateway.clock.advance(by: .seconds(1))
        _ = try await gateway.submitActionPage(try await gateway.latestCode(.identityLinked))
        #expect(try await gateway.passkeys(of: ada.localId) == [])
    }

    @Test("A response without confirmation is only for the challenge of a conditional enrolment")
    func otherChallenge() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        let started = try await gateway.startPasskeyEnrolment(ada.idToken)
        let rejected = try await finalize(started, ada.idToken, in: gateway)
        #expect(rejected.outcome == "400 INVALID_AUTHENTICATOR_RESPONSE", "\(rejected.text)")
    }

    @Test("Only a session whose password was entered within five minutes may ask for it")
    func session() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let federated = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential()))
        for idToken in [guest.idToken, federated.idToken] {
            let rejected = try await gateway.startPasskeyEnrolment(idToken, Self.conditional)
            #expect(rejected.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(rejected.text)")
        }
        let unknown = try await gateway.startPasskeyEnrolment(guest.idToken, ["mediation": "silent"])
        #expect(unknown.status == 400)
    }

    @Test("The password must have been entered within five minutes, even if the project accepts older logins")
    func oldPassword() async throws {
        let gateway = try await TestGateway { $0.recentLoginMaxAge = .seconds(3600) }
        let ada = try await gateway.signUp()
        gateway.clock.advance(by: .seconds(301))
        let rejected = try await gateway.startPasskeyEnrolment(ada.idToken, Self.conditional)
        #expect(rejected.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(rejected.text)")
        #expect(try await gateway.startPasskeyEnrolment(ada.idToken).status == 200)
    }

    @Test("The passkey signs in with the user's verification only")
    func signIn() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        var device = try TestPasskey()
        device.authenticator.flags.subtract([.userPresent, .userVerified])
        let started = try await gateway.startPasskeyEnrolment(ada.idToken, Self.conditional)
        let finalized = try await gateway.finalizePasskeyEnrolment(ada.idToken, try device.register(started))
        #expect(finalized.status == 200, "\(finalized.text)")
        #expect(try await gateway.signInWithPasskey(&device).wireCode == "INVALID_AUTHENTICATOR_RESPONSE")
        device.authenticator.flags.formUnion([.userPresent, .userVerified])
        #expect(try await gateway.signInWithPasskey(&device).status == 200)
    }
}
