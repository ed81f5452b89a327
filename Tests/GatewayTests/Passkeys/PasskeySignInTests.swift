import Encoding
import HTTP
import Identity
import Postgres
import Testing
import WebAuthnSupport

@testable import Support

@Suite("Sign-in and sign-up with passkeys")
struct PasskeySignInTests {
    @Test("A passkey signs in, is used once more, and satisfies the demand for a second factor")
    func signIn() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let factor = try await gateway.signUpEnrolled()
        var ada = try await gateway.enrolPasskey(
            TestGateway.Tokens(localId: factor.localId, idToken: factor.idToken, refreshToken: factor.refreshToken))
        gateway.clock.advance(by: .seconds(301))
        let started = try await gateway.startPasskeySignIn()
        let options = try #require(started.json["credentialRequestOptions"], "\(started.text)")
        #expect(options["rpId"] == "example.com")
        #expect(options["userVerification"] == "required")
        #expect(options["allowCredentials"] == nil)
        let signedIn = try await gateway.finalizePasskeySignIn(try ada.device.sign(started))
        let tokens = try TestGateway.Tokens(signedIn)
        #expect(tokens.localId == factor.localId)
        #expect(signedIn.json["isNewUser"] == false)
        #expect(signedIn.json["passkeySignals"]?[0]?["allAcceptedCredentialIds"]?[0]?.string == ada.device.id)
        let claims = try claims(of: tokens.idToken)["firebase"]
        #expect(claims?["sign_in_provider"] == "passkey")
        #expect(claims?["sign_in_second_factor"] == nil)
        // A recent login with two factors.
        #expect(try await gateway.generateRecoveryCodes(tokens.idToken).status == 200)
        let user = try await gateway.lookup(tokens.idToken).json["users"]?[0]
        #expect(user?["passkeyInfo"]?[0]?["lastUsedAt"]?.string == gateway.clock.now.iso8601)
        #expect(try await gateway.signInWithPasskey(&ada.device).status == 200)
    }

    @Test("Where second factors are mandatory, a session of a passkey is not restricted, and one of a password is")
    func mandatory() async throws {
        let gateway = try await TestGateway.withSecondFactors(.enabled)
        var ada = try await gateway.enrolPasskey(gateway.signUpVerified())
        let configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        #expect(try await configurator.send(.patch, "config", ["mfa": ["state": "MANDATORY"]]).outcome == "200")
        let password = try await gateway.signIn()
        #expect(password.json["secondFactorEnrollmentRequired"] == true)
        // Otherwise an attacker with the password would get a second factor of their own.
        let restricted = try TestGateway.Tokens(password).idToken
        let rejected = [
            try await gateway.startPasskeyEnrolment(restricted),
            try await gateway.finalizePasskeyEnrolment(
                restricted, ["id": "abcd", "response": ["clientDataJSON": "e30", "attestationObject": "oA"]]),
            try await gateway.update(restricted, ["deletePasskey": [.string(ada.device.id)]]),
        ]
        #expect(rejected.map(\.wireCode) == Array(repeating: "SECOND_FACTOR_ENROLLMENT_REQUIRED", count: 3))
        let signedIn = try await gateway.signInWithPasskey(&ada.device)
        #expect(signedIn.json["secondFactorEnrollmentRequired"] == nil, "\(signedIn.text)")
        let tokens = try TestGateway.Tokens(signedIn)
        #expect(try await gateway.listedPasskeys(tokens.idToken) == 1)
        // Without the passkey, the session is one without second factor.
        let removed = try await gateway.update(tokens.idToken, ["deletePasskey": [.string(ada.device.id)]])
        #expect(removed.json["secondFactorEnrollmentRequired"] == true, "\(removed.text)")
    }

    @Test("Withdrawing a one-time password in a session of a passkey leaves a session of the passkey")
    func withdrawal() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        var ada = try await gateway.enrolPasskey(gateway.signUpVerified())
        let session = try TestGateway.Tokens(await gateway.signInWithPasskey(&ada.device))
        let enrolled = try await gateway.enrol(session)
        let withdrawn = try await gateway.withdraw(enrolled.factor, enrolled.idToken)
        let idToken = try #require(withdrawn.json["idToken"]?.string, "\(withdrawn.text)")
        _ = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn()))
        // The account has a factor again, and the session of the passkey still counts as one with a factor.
        #expect(try await gateway.generateRecoveryCodes(idToken).status == 200)
    }

    @Test("A sign-up creates an account with the user handle of the challenge, and the passkey signs in to it")
    func signUp() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var device = try TestPasskey()
        let started = try await gateway.post(
            "/v2/accounts/passkeySignUp:start", ["email": "ada@example.com", "displayName": "Ada"])
        #expect(started.json["credentialCreationOptions"]?["user"]?["name"] == "ada@example.com")
        let response = try device.register(started)
        let body: JSON = [
            "authenticatorRegistrationResponse": response, "email": "ada@example.com", "displayName": "Ada",
            "name": "Phone",
        ]
        let signedUp = try await gateway.post("/v2/accounts/passkeySignUp:finalize", body)
        #expect(signedUp.json["isNewUser"] == true, "\(signedUp.text)")
        let tokens = try TestGateway.Tokens(signedUp)
        let user = try await gateway.lookup(tokens.idToken).json["users"]?[0]
        #expect(user?["email"] == "ada@example.com")
        #expect(user?["emailVerified"] == false)
        #expect(user?["displayName"] == "Ada")
        #expect(user?["passkeyInfo"]?[0]?["name"] == "Phone")
        #expect(try await gateway.auditTrail().map(\.action).contains("passkey.added"))
        let signedIn = try await gateway.signInWithPasskey(&device)
        #expect(signedIn.json["localId"]?.string == tokens.localId, "\(signedIn.text)")
        #expect(try await gateway.post("/v2/accounts/passkeySignUp:finalize", body).wireCode == "EMAIL_EXISTS")
        let again: JSON = ["authenticatorRegistrationResponse": response]
        let repeated = try await gateway.post("/v2/accounts/passkeySignUp:finalize", again)
        #expect(repeated.wireCode == "PASSKEY_CHALLENGE_TIMEOUT", "\(repeated.text)")
    }

    @Test("A sign-up with an invalid address or name is rejected before the device creates a passkey")
    func invalidSignUp() async throws {
        let gateway = try await TestGateway()
        let address = try await gateway.post("/v2/accounts/passkeySignUp:start", ["email": "not an address"])
        #expect(address.outcome == "400 INVALID_EMAIL")
        let long: JSON = .string(String(repeating: "x", count: 257))
        let displayName = try await gateway.post("/v2/accounts/passkeySignUp:start", ["displayName": long])
        #expect(
            displayName.outcome
                == "400 INVALID_PROFILE_ATTRIBUTE : displayName must not be longer than 256 characters")
        let name = try await gateway.post(
            "/v2/accounts/passkeySignUp:finalize",
            ["authenticatorRegistrationResponse": ["id": "abcd"], "name": long])
        #expect(name.outcome == "400 INVALID_PROFILE_ATTRIBUTE : name must not be longer than 256 characters")
    }

    @Test("An app whose list of sign-in methods lacks passkeys cannot sign users up with one")
    func unlisted() async throws {
        let gateway = try await TestGateway().withAppSettings(#"{"signInMethods": ["password"]}"#)
        let rejected = try await gateway.post("/v2/accounts/passkeySignUp:start", [:])
        #expect(rejected.outcome == "400 OPERATION_NOT_ALLOWED : The app does not offer this sign-in method.")
        let listing = try await gateway.withAppSettings(#"{"signInMethods": ["password", "passkey"]}"#)
        #expect(try await listing.post("/v2/accounts/passkeySignUp:start", [:]).status == 200)
    }

    @Test("Where only administrators create accounts, nobody signs up with a passkey")
    func adminOnly() async throws {
        let gateway = try await TestGateway { $0.allowsSignUp = false }
        for step in ["start", "finalize"] {
            let body: JSON = [
                "authenticatorRegistrationResponse": [
                    "id": "abcd", "response": ["clientDataJSON": "e30", "attestationObject": "oA"],
                ]
            ]
            let rejected = try await gateway.post("/v2/accounts/passkeySignUp:\(step)", body)
            #expect(rejected.outcome == "400 ADMIN_ONLY_OPERATION", "\(rejected.text)")
        }
    }

    struct Attack: CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let send: @Sendable (TestGateway, inout TestPasskey) async throws -> Exchange

        init(
            _ testDescription: String, _ code: String = "INVALID_AUTHENTICATOR_RESPONSE",
            send: @escaping @Sendable (TestGateway, inout TestPasskey) async throws -> Exchange
        ) {
            self.testDescription = testDescription
            self.code = code
            self.send = send
        }
    }

    static let attacks = [
        Attack("no response", "MISSING_AUTHENTICATOR_RESPONSE") { gateway, _ in
            try await gateway.finalizePasskeySignIn(nil)
        },
        Attack("no credential ID", "INVALID_CREDENTIAL_ID") { gateway, _ in
            try await gateway.finalizePasskeySignIn([:])
        },
        Attack("challenge used twice", "PASSKEY_CHALLENGE_TIMEOUT") { gateway, device in
            let response = try device.sign(await gateway.startPasskeySignIn())
            #expect(try await gateway.finalizePasskeySignIn(response).status == 200)
            return try await gateway.finalizePasskeySignIn(response)
        },
        Attack("late challenge", "PASSKEY_CHALLENGE_TIMEOUT") { gateway, device in
            let response = try device.sign(await gateway.startPasskeySignIn())
            gateway.clock.advance(by: .seconds(300))
            return try await gateway.finalizePasskeySignIn(response)
        },
        Attack("challenge of another app") { gateway, device in
            let response = try device.sign(await gateway.startPasskeySignIn())
            return try await gateway.finalizePasskeySignIn(response, key: gateway.makeOtherAppKey())
        },
        Attack("challenge of a sign-up") { gateway, device in
            let started = try await gateway.post("/v2/accounts/passkeySignUp:start", [:])
            let challenge = started.json["credentialCreationOptions"]?["challenge"] ?? .null
            return try await gateway.finalizePasskeySignIn(
                try device.sign(challenge: challenge))
        },
        Attack("challenge that nobody issued") { gateway, device in
            try await gateway.finalizePasskeySignIn(
                try device.sign(challenge: .string(Base64.encode(Array(String(repeating: "A", count: 72).utf8)))))
        },
        Attack("user not verified") { gateway, device in
            device.authenticator.flags.remove(.userVerified)
            return try await gateway.signInWithPasskey(&device)
        },
        Attack("user not present") { gateway, device in
            device.authenticator.flags.remove(.userPresent)
            return try await gateway.signInWithPasskey(&device)
        },
        Attack("no user handle") { gateway, device in
            device.userHandle = nil
            return try await gateway.signInWithPasskey(&device)
        },
        Attack("user handle of another account") { gateway, device in
            let eve = try await gateway.enrolPasskey(gateway.signUp(email: "eve@example.com"))
            device.userHandle = eve.device.userHandle
            return try await gateway.signInWithPasskey(&device)
        },
        Attack("other origin") { gateway, device in
            device.authenticator.origin = "https://evil.example.com"
            return try await gateway.signInWithPasskey(&device)
        },
        Attack("unknown passkey", "PASSKEY_ENROLLMENT_NOT_FOUND") { gateway, device in
            let ada = try await gateway.signIn()
            let removed = try await gateway.update(
                try TestGateway.Tokens(ada).idToken, ["deletePasskey": [.string(device.id)]])
            #expect(removed.status == 200, "\(removed.text)")
            return try await gateway.signInWithPasskey(&device)
        },
        Attack("disabled account", "USER_DISABLED") { gateway, device in
            _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
            return try await gateway.signInWithPasskey(&device)
        },
    ]

    @Test("An attack opens no session", arguments: attacks)
    func attack(attack: Attack) async throws {
        let gateway = try await TestGateway.withServiceKey()
        var ada = try await gateway.enrolPasskey(gateway.signUp())
        let rejected = try await attack.send(gateway, &ada.device)
        #expect(rejected.status == 400)
        #expect(rejected.wireCode == attack.code, "\(rejected.text)")
        #expect(rejected.json["idToken"] == nil)
    }

    @Test("A counter that does not increase signs in, keeps the highest value, and is audited")
    func counter() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var ada = try await gateway.enrolPasskey(gateway.signUp())
        func stored() async throws -> Int64? {
            try await gateway.database.pool.query("SELECT sign_count FROM passkey").first?.decode("sign_count")
        }
        ada.device.authenticator.signCount = 100
        #expect(try await gateway.signInWithPasskey(&ada.device).status == 200)
        let highest = try await stored()
        ada.device.authenticator.signCount = 50
        #expect(try await gateway.signInWithPasskey(&ada.device).status == 200)
        #expect(try await stored() == highest)
        #expect(try await gateway.auditTrail().map(\.action).filter { $0 == "passkey.counter" }.count == 1)
    }

    @Test("A passkey of another tenant is not called unknown, so that no page removes it from the device")
    func otherTenant() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var ada = try await gateway.enrolPasskey(gateway.signUp())
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO realm (id, parent_id, name, profile, tenant_settings, created_at)
            VALUES ('demo/other', 'demo', 'Other', 'firebase', '{}', now())
            """)
        let started = try await gateway.post("/v2/accounts/passkeySignIn:start", ["tenantId": "other"])
        let rejected = try await gateway.post(
            "/v2/accounts/passkeySignIn:finalize",
            ["tenantId": "other", "authenticatorAuthenticationResponse": try ada.device.sign(started)])
        #expect(rejected.outcome == "400 INVALID_AUTHENTICATOR_RESPONSE", "\(rejected.text)")
    }
}

extension TestPasskey {
    /// Signs a challenge that is not of the start of a sign-in.
    fileprivate mutating func sign(challenge: JSON) throws -> JSON {
        let signed = try authenticator.authenticate(challenge: try Self.bytes(challenge), userHandle: userHandle)
        return [
            "id": .string(id), "rawId": .string(id),
            "response": [
                "clientDataJSON": .string(Base64URL.encode(signed.clientDataJSON)),
                "authenticatorData": .string(Base64URL.encode(signed.authenticatorData)),
                "signature": .string(Base64URL.encode(signed.signature)),
                "userHandle": .string(Base64URL.encode(userHandle ?? [])),
            ],
        ]
    }
}

extension TestGateway {
    fileprivate func listedPasskeys(_ idToken: String) async throws -> Int {
        let found = try await lookup(idToken)
        return try #require(found.json["users"]?[0]?["passkeyInfo"]?.elements, "\(found.text)").count
    }
}
