import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

/// Responses that contain only a credential ID, as Firebase's emulator accepts them.
@Suite("Passkey responses without anything to verify")
struct BarePasskeyTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let dev: String
        let serve: String
        let send: @Sendable (TestGateway) async throws -> Exchange

        init(
            _ testDescription: String, dev: String, serve: String = "400 INVALID_AUTHENTICATOR_RESPONSE",
            send: @escaping @Sendable (TestGateway) async throws -> Exchange
        ) {
            self.testDescription = testDescription
            self.dev = dev
            self.serve = serve
            self.send = send
        }
    }

    /// The ID of the passkey that ``enrolled(in:)`` creates.
    static let id = "cGFzc2tleS0x"

    /// Enrols a passkey of Ada by its ID, which `serve` rejects.
    static func enrolled(in gateway: TestGateway) async throws -> TestGateway.Tokens {
        let ada = try await gateway.signUp()
        let finalized = try await gateway.finalizePasskeyEnrolment(ada.idToken, ["id": .string(id)])
        return finalized.isSuccess ? try TestGateway.Tokens(finalized) : ada
    }

    static let rows = [
        Row("an enrolment without a start", dev: "200") {
            try await $0.finalizePasskeyEnrolment($0.signUp().idToken, ["id": .string(id)])
        },
        Row("an enrolment in the form of older clients", dev: "200") {
            try await $0.finalizePasskeyEnrolment($0.signUp().idToken, ["credentialId": .string(id)])
        },
        Row("an enrolment of an anonymous account", dev: "200") {
            let guest = try TestGateway.Tokens(await $0.post("/v1/accounts:signUp", [:]))
            return try await $0.finalizePasskeyEnrolment(guest.idToken, ["id": .string(id)])
        },
        Row("an enrolment without ID token", dev: "400 MISSING_ID_TOKEN", serve: "400 MISSING_ID_TOKEN") {
            try await $0.post(
                "/v2/accounts/passkeyEnrollment:finalize", ["authenticatorRegistrationResponse": ["id": .string(id)]])
        },
        Row(
            "an enrolment without response", dev: "400 MISSING_AUTHENTICATOR_RESPONSE",
            serve: "400 MISSING_AUTHENTICATOR_RESPONSE"
        ) {
            try await $0.finalizePasskeyEnrolment("no token", nil)
        },
        Row("an enrolment without ID", dev: "400 INVALID_CREDENTIAL_ID", serve: "400 INVALID_CREDENTIAL_ID") {
            try await $0.finalizePasskeyEnrolment($0.signUp().idToken, [:])
        },
        Row("an enrolment with an ID of 1024 bytes", dev: "400 INVALID_CREDENTIAL_ID") {
            try await $0.finalizePasskeyEnrolment(
                $0.signUp().idToken, ["id": .string(Base64URL.encode([UInt8](repeating: 1, count: 1024)))])
        },
        Row("an enrolment of the passkey of another account", dev: "400 CREDENTIAL_ALREADY_IN_USE") {
            _ = try await enrolled(in: $0)
            return try await $0.finalizePasskeyEnrolment(
                $0.signUp(email: "eve@example.com").idToken, ["id": .string(id)])
        },
        Row("an enrolment with an empty response", dev: "400 INVALID_AUTHENTICATOR_RESPONSE") {
            try await $0.finalizePasskeyEnrolment($0.signUp().idToken, ["id": .string(id), "response": [:]])
        },
        Row("an enrolment with data that are empty", dev: "400 INVALID_AUTHENTICATOR_RESPONSE") {
            try await $0.finalizePasskeyEnrolment(
                $0.signUp().idToken,
                ["id": .string(id), "response": ["clientDataJSON": "=", "attestationObject": "="]])
        },
        Row("an enrolment with the response of a sign-in", dev: "400 INVALID_AUTHENTICATOR_RESPONSE") {
            try await $0.finalizePasskeyEnrolment(
                $0.signUp().idToken, ["id": .string(id), "authenticatorAssertionResponse": [:]])
        },
        Row("a sign-up", dev: "400 INVALID_AUTHENTICATOR_RESPONSE") {
            try await $0.post(
                "/v2/accounts/passkeySignUp:finalize", ["authenticatorRegistrationResponse": ["id": .string(id)]])
        },
        Row("a sign-in without a start", dev: "200") {
            _ = try await enrolled(in: $0)
            return try await $0.finalizePasskeySignIn(["id": .string(id)])
        },
        Row("a sign-in with a passkey whose enrolment was verified", dev: "200") {
            let ada = try await $0.enrolPasskey($0.signUp())
            return try await $0.finalizePasskeySignIn(["id": .string(ada.device.id)])
        },
        Row("a sign-in with an unknown passkey", dev: "400 PASSKEY_CREDENTIAL_NOT_FOUND") {
            try await $0.finalizePasskeySignIn(["id": .string(id)])
        },
        Row("a sign-in to a disabled account", dev: "400 USER_DISABLED") {
            _ = try await enrolled(in: $0)
            _ = try await $0.database.pool.execute("UPDATE account SET disabled_at = created_at")
            return try await $0.finalizePasskeySignIn(["id": .string(id)])
        },
        Row(
            "a sign-in without response", dev: "400 MISSING_AUTHENTICATOR_RESPONSE",
            serve: "400 MISSING_AUTHENTICATOR_RESPONSE"
        ) {
            try await $0.finalizePasskeySignIn(nil)
        },
        Row(
            "a signature for a passkey whose enrolment was not verified", dev: "400 INVALID_AUTHENTICATOR_RESPONSE",
            serve: "400 PASSKEY_ENROLLMENT_NOT_FOUND"
        ) {
            var ada = try await $0.enrolPasskey($0.signUp())
            let id = JSON.string(ada.device.id)
            let removed = try TestGateway.Tokens(await $0.update(ada.tokens.idToken, ["deletePasskey": [id]]))
            _ = try await $0.finalizePasskeyEnrolment(removed.idToken, ["id": id])
            return try await $0.finalizePasskeySignIn(try ada.device.sign(await $0.startPasskeySignIn()))
        },
    ]

    @Test("dev accepts the ID alone, with the codes of Firebase's emulator", arguments: rows)
    func dev(row: Row) async throws {
        let gateway = try await TestGateway(mode: .emulator(project: ID("demo")))
        #expect(try await row.send(gateway).outcome == row.dev)
    }

    @Test("serve never accepts the ID alone", arguments: rows)
    func serve(row: Row) async throws {
        #expect(try await row.send(TestGateway()).outcome == row.serve)
    }

    @Test("A passkey that was enrolled by its ID has a name, signs in repeatedly, and can be removed")
    func passkey() async throws {
        let gateway = try await TestGateway(mode: .emulator(project: ID("demo")))
        let ada = try await Self.enrolled(in: gateway)
        for _ in 1...2 {
            let signedIn = try await gateway.finalizePasskeySignIn(["id": .string(Self.id)])
            #expect(signedIn.json["localId"]?.string == ada.localId, "\(signedIn.text)")
        }
        let user = try await gateway.lookup(ada.idToken).json["users"]?[0]
        #expect(user?["passkeyInfo"]?[0]?["name"] == "Unnamed Passkey")
        #expect(user?["passkeyInfo"]?[0]?["credentialId"]?.string == Self.id)
        let removed = try await gateway.update(ada.idToken, ["deletePasskey": [.string(Self.id)]])
        #expect(removed.outcome == "200", "\(removed.text)")
        let unknown = try await gateway.finalizePasskeySignIn(["id": .string(Self.id)])
        #expect(unknown.outcome == "400 PASSKEY_CREDENTIAL_NOT_FOUND")
        #expect(unknown.json["error"]?["errorCode"] == "PASSKEY_ENROLLMENT_NOT_FOUND", "\(unknown.text)")
    }

    @Test("In dev, a response with a challenge of another session is rejected as in serve")
    func verified() async throws {
        let gateway = try await TestGateway(mode: .emulator(project: ID("demo")))
        let (ada, eve) = (try await gateway.signUp(), try await gateway.signUp(email: "eve@example.com"))
        var device = try TestPasskey()
        let response = try device.register(await gateway.startPasskeyEnrolment(eve.idToken))
        let rejected = try await gateway.finalizePasskeyEnrolment(ada.idToken, response)
        #expect(rejected.outcome == "400 INVALID_AUTHENTICATOR_RESPONSE")
    }
}
