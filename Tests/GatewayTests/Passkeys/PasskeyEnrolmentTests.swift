import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Testing
import WebAuthnSupport

@testable import Support

@Suite("Enrolment of passkeys")
struct PasskeyEnrolmentTests {
    @Test("An enrolled passkey is in look-ups, and a session with the same login replaces the caller's")
    func enrolment() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified()
        let other = try TestGateway.Tokens(await gateway.signIn())
        let authTime = try claims(of: ada.idToken)["auth_time"]
        let started = try await gateway.startPasskeyEnrolment(ada.idToken)
        let options = try #require(started.json["credentialCreationOptions"], "\(started.text)")
        #expect(options["rp"]?["id"] == "example.com")
        #expect(options["user"]?["name"] == "ada@example.com")
        #expect(options["pubKeyCredParams"]?.elements.map { $0["alg"] } == [-8, -7, -257])
        #expect(options["timeout"] == 300_000)
        #expect(options["attestation"] == "none")
        #expect(options["excludeCredentials"] == [])
        #expect(
            options["authenticatorSelection"]
                == ["residentKey": "required", "requireResidentKey": true, "userVerification": "required"])
        let enrolled = try await gateway.enrolPasskey(ada, name: "Laptop")
        let tokens = try claims(of: enrolled.tokens.idToken)
        #expect(tokens["firebase"]?["sign_in_provider"] == "password")
        #expect(tokens["auth_time"] == authTime)
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.lookup(other.idToken).status == 200)
        let user = try #require(try await gateway.lookup(enrolled.tokens.idToken).json["users"]?[0])
        let passkey = user["passkeyInfo"]?[0]
        #expect(passkey?["credentialId"]?.string == enrolled.device.id)
        #expect(passkey?["name"] == "Laptop")
        #expect(passkey?["transports"] == ["hybrid", "internal"])
        #expect(passkey?["lastUsedAt"] == nil)
        #expect(user["passkeySignals"]?[0]?["rpId"] == "example.com")
        #expect(user["passkeySignals"]?[0]?["allAcceptedCredentialIds"]?[0]?.string == enrolled.device.id)
        #expect(user["passkeySignals"]?[0]?["userId"]?.string == enrolled.device.userHandle.map(Base64URL.encode))
        #expect(try await gateway.emails(.identityLinked).count == 1)
        #expect(try await gateway.auditTrail().map(\.action).contains("passkey.added"))
    }

    @Test("An account's second passkey has the same user handle, and the first one is excluded from its creation")
    func several() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let first = try await gateway.enrolPasskey(gateway.signUp())
        let started = try await gateway.startPasskeyEnrolment(first.tokens.idToken)
        let options = started.json["credentialCreationOptions"]
        #expect(options?["excludeCredentials"]?[0]?["id"]?.string == first.device.id)
        let second = try await gateway.enrolPasskey(first.tokens)
        #expect(second.device.userHandle == first.device.userHandle)
        #expect(try await gateway.passkeys(of: second.tokens.localId).count == 2)
    }

    @Test("The response may have the names of older clients, and either alphabet of base64")
    func olderClients() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        var device = try TestPasskey()
        let response = try device.register(await gateway.startPasskeyEnrolment(ada.idToken))
        func padded(_ value: JSON?) throws -> JSON {
            let bytes = try #require(Base64.decode(value?.string ?? ""))
            return .string(Base64.encode(bytes))
        }
        let older: JSON = [
            "credentialId": try padded(response["id"]), "credentialType": "public-key",
            "authenticatorAttestationResponse": [
                "clientDataJSON": try padded(response["response"]?["clientDataJSON"]),
                "attestationObject": try padded(response["response"]?["attestationObject"]),
            ],
        ]
        let finalized = try await gateway.finalizePasskeyEnrolment(ada.idToken, older)
        #expect(finalized.json["idToken"] != nil, "\(finalized.text)")
    }

    @Test("A guest's account becomes permanent, and its session one of the passkey")
    func guest() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let enrolled = try await gateway.enrolPasskey(guest)
        #expect(enrolled.tokens.localId == guest.localId)
        #expect(try claims(of: enrolled.tokens.idToken)["firebase"]?["sign_in_provider"] == "passkey")
        // Otherwise a session of a guest would never have to authenticate again.
        gateway.clock.advance(by: .seconds(301))
        let late = try await gateway.update(enrolled.tokens.idToken, ["password": "secret2"])
        #expect(late.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(late.text)")
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let outcome: String
        let send: @Sendable (TestGateway) async throws -> Exchange

        init(
            _ testDescription: String, _ outcome: String,
            send: @escaping @Sendable (TestGateway) async throws -> Exchange
        ) {
            self.testDescription = testDescription
            self.outcome = outcome
            self.send = send
        }
    }

    static let rejections = [
        Row("start: no ID token", "400 MISSING_ID_TOKEN") {
            try await $0.post("/v2/accounts/passkeyEnrollment:start", [:])
        },
        Row("start: old login", "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
            let ada = try await $0.signUp()
            $0.clock.advance(by: .seconds(301))
            return try await $0.startPasskeyEnrolment(ada.idToken)
        },
        Row("finalize: no ID token", "400 MISSING_ID_TOKEN") {
            try await $0.post("/v2/accounts/passkeyEnrollment:finalize", [:])
        },
        Row("finalize: no response", "400 MISSING_AUTHENTICATOR_RESPONSE") {
            try await $0.finalizePasskeyEnrolment("no token", nil)
        },
        Row("finalize: no credential ID", "400 INVALID_CREDENTIAL_ID") {
            try await $0.finalizePasskeyEnrolment($0.signUp().idToken, [:])
        },
        Row("finalize: credential ID that is not base64", "400 INVALID_CREDENTIAL_ID") {
            try await $0.finalizePasskeyEnrolment($0.signUp().idToken, ["id": "%"])
        },
        Row("finalize: response without data", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            try await $0.finalizePasskeyEnrolment($0.signUp().idToken, ["id": "abcd"])
        },
        Row("finalize: late", "400 PASSKEY_CHALLENGE_TIMEOUT") { gateway in
            let ada = try await gateway.signUp()
            var device = try TestPasskey()
            let response = try device.register(await gateway.startPasskeyEnrolment(ada.idToken))
            gateway.clock.advance(by: .seconds(300))
            return try await gateway.finalizePasskeyEnrolment(ada.idToken, response)
        },
        Row("finalize: old login", "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN") { gateway in
            let ada = try await gateway.signUp()
            gateway.clock.advance(by: .seconds(200))
            var device = try TestPasskey()
            let response = try device.register(await gateway.startPasskeyEnrolment(ada.idToken))
            gateway.clock.advance(by: .seconds(200))
            return try await gateway.finalizePasskeyEnrolment(ada.idToken, response)
        },
        Row("finalize: challenge of another account", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            let (ada, eve) = (try await $0.signUp(), try await $0.signUp(email: "eve@example.com"))
            var device = try TestPasskey()
            let response = try device.register(await $0.startPasskeyEnrolment(eve.idToken))
            return try await $0.finalizePasskeyEnrolment(ada.idToken, response)
        },
        Row("finalize: challenge of another session", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            let ada = try await $0.signUp()
            var device = try TestPasskey()
            let response = try device.register(await $0.startPasskeyEnrolment(ada.idToken))
            return try await $0.finalizePasskeyEnrolment(TestGateway.Tokens($0.signIn()).idToken, response)
        },
        Row("finalize: challenge of another app", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            let ada = try await $0.signUp()
            var device = try TestPasskey()
            let response = try device.register(await $0.startPasskeyEnrolment(ada.idToken))
            return try await $0.finalizePasskeyEnrolment(ada.idToken, response, key: $0.makeOtherAppKey())
        },
        Row("finalize: challenge of a sign-up", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            let ada = try await $0.signUp()
            var device = try TestPasskey()
            let response = try device.register(await $0.post("/v2/accounts/passkeySignUp:start", [:]))
            return try await $0.finalizePasskeyEnrolment(ada.idToken, response)
        },
        Row("finalize twice", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            let ada = try await $0.signUp()
            var device = try TestPasskey()
            let response = try device.register(await $0.startPasskeyEnrolment(ada.idToken))
            let first = try TestGateway.Tokens(await $0.finalizePasskeyEnrolment(ada.idToken, response))
            return try await $0.finalizePasskeyEnrolment(first.idToken, response)
        },
        Row("finalize: passkey of another account", "400 PASSKEY_EXISTS") {
            var device = try await $0.enrolPasskey($0.signUp()).device
            let eve = try await $0.signUp(email: "eve@example.com")
            let response = try device.register(await $0.startPasskeyEnrolment(eve.idToken))
            return try await $0.finalizePasskeyEnrolment(eve.idToken, response)
        },
        Row("finalize: user not verified", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            let ada = try await $0.signUp()
            var device = try TestPasskey()
            device.authenticator.flags.remove(.userVerified)
            return try await $0.finalizePasskeyEnrolment(
                ada.idToken, try device.register(await $0.startPasskeyEnrolment(ada.idToken)))
        },
        Row("finalize: user not present", "400 INVALID_AUTHENTICATOR_RESPONSE") {
            let ada = try await $0.signUp()
            var device = try TestPasskey()
            device.authenticator.flags.subtract([.userPresent, .userVerified])
            return try await $0.finalizePasskeyEnrolment(
                ada.idToken, try device.register(await $0.startPasskeyEnrolment(ada.idToken)))
        },
    ]

    @Test("A request is rejected", arguments: rejections)
    func rejection(row: Row) async throws {
        #expect(try await row.send(TestGateway.withServiceKey()).outcome == row.outcome)
    }

    @Test("A rejected enrolment is counted, so that an alarm reports an app with a wrong origin before anyone signs in")
    func refusalsAreCounted() async throws {
        let gateway = try await TestGateway()
        var device = try TestPasskey(origin: "https://other.example.net")
        let ada = try await gateway.signUp()
        let rejected = try await gateway.finalizePasskeyEnrolment(
            ada.idToken, try device.register(await gateway.startPasskeyEnrolment(ada.idToken)))
        #expect(rejected.outcome == "400 INVALID_AUTHENTICATOR_RESPONSE")
        let metrics = try await gateway.getWithoutAPIKey("/metrics").text
        #expect(metrics.contains(#"sekisho_passkeys_total{event="refused"} 1"#), "\(metrics)")
    }

    @Test(
        "Only the origin of the RP ID, and those of the configuration, are accepted",
        arguments: [
            ("https://example.com", true), ("https://app.example.com", true), ("https://shop.example.net", true),
            ("https://other.example.com", false), ("http://example.com", false), ("https://example.com/", false),
            ("https://example.com:443", false), ("https://EXAMPLE.com", false), ("http://localhost", false),
        ])
    func origins(origin: String, isAccepted: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        let changed = try await configurator.send(
            .patch, "config",
            ["passkeys": ["origins": ["https://app.example.com"], "relatedOrigins": ["https://shop.example.net"]]])
        #expect(changed.outcome == "200", "\(changed.text)")
        let ada = try await gateway.signUp()
        var device = try TestPasskey(origin: origin)
        let finalized = try await gateway.finalizePasskeyEnrolment(
            ada.idToken, try device.register(await gateway.startPasskeyEnrolment(ada.idToken)))
        #expect(finalized.outcome == (isAccepted ? "200" : "400 INVALID_AUTHENTICATOR_RESPONSE"), "\(finalized.text)")
    }

    @Test("A session without second factor cannot add a passkey to an account with one")
    func stepUp() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let other = try TestGateway.Tokens(await gateway.signIn())
        let enrolled = try await gateway.enrol(ada)
        let rejected = try await gateway.startPasskeyEnrolment(other.idToken)
        #expect(rejected.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(rejected.text)")
        let started = try await gateway.startPasskeyEnrolment(enrolled.idToken)
        #expect(started.status == 200, "\(started.text)")
    }

    @Test("An account has at most 20 passkeys")
    func limit() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUp())
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO passkey SELECT p.realm_id, p.rp_id, p.credential_id || n, p.account_id, p.user_handle,
                p.public_key, p.algorithm, p.sign_count, p.backup_eligible, p.backed_up, p.transports, p.aaguid, p.name,
                p.created_at, p.added_at, p.last_used_at
            FROM passkey p, generate_series(1, 18) n
            """)
        _ = try await gateway.database.pool.execute("UPDATE account SET passkey_count = 19")
        // Two sessions start before the account has its last passkey.
        let other = try TestGateway.Tokens(await gateway.signIn())
        var device = try TestPasskey()
        let response = try device.register(await gateway.startPasskeyEnrolment(other.idToken))
        let last = try await gateway.enrolPasskey(ada.tokens)
        let late = try await gateway.finalizePasskeyEnrolment(other.idToken, response)
        #expect(late.outcome == "400 PASSKEY_LIMIT_EXCEEDED", "\(late.text)")
        #expect(try await gateway.passkeys(of: last.tokens.localId).count == 20)
        let rejected = try await gateway.startPasskeyEnrolment(last.tokens.idToken)
        #expect(rejected.outcome == "400 PASSKEY_LIMIT_EXCEEDED")
    }

    @Test("Where passkeys are off, every operation says so")
    func off() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        #expect(try await configurator.send(.patch, "config", ["passkeys": ["enabled": false]]).outcome == "200")
        for name in ["Enrollment", "SignIn", "SignUp"] {
            for step in ["start", "finalize"] {
                let rejected = try await gateway.post("/v2/accounts/passkey\(name):\(step)", [:])
                #expect(rejected.outcome == "400 PASSKEY_NOT_ENABLED", "\(name):\(step) \(rejected.text)")
            }
        }
    }
}
