import Crypto
import Encoding
import HTTP
import Identity
import Testing

/// An authenticator app with one secret. Computes codes as RFC 6238 describes, independently of the gateway.
struct AuthenticatorApp: Sendable {
    let secret: [UInt8]

    init(secret: [UInt8]) {
        self.secret = secret
    }

    /// - Parameter info: the `totpSessionInfo` of a started enrolment.
    init(_ info: JSON) throws {
        let text = try #require(info["sharedSecretKey"]?.string)
        self.init(secret: try #require(Base32.decode(text)))
    }

    /// - Parameter steps: how many steps of 30 seconds the app's clock is ahead.
    func code(at now: Instant, ahead steps: Int64 = 0) throws -> String {
        let step = now.seconds / 30 + steps
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let digest = try HMAC.code(of: message, key: secret, by: .sha1)
        let offset = Int(digest[19] & 15)
        var word: UInt32 = 0
        for byte in digest[offset..<offset + 4] { word = word << 8 | UInt32(byte) }
        let digits = String((word & 0x7FFF_FFFF) % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// An account with a one-time password, and the session that the enrolment opened.
struct EnrolledAccount: Sendable {
    let localId: String
    let factor: String
    let app: AuthenticatorApp
    let idToken: String
    let refreshToken: String
}

extension TestGateway {
    /// A gateway whose project asks for second factors, and has sign-in by telephone number.
    static func withSecondFactors(
        _ state: SecondFactorPolicy.State = .enabled, profile: Policy.Profile = .firebase, limitsRates: Bool = false,
        change: (inout Policy) -> Void = { _ in }
    ) async throws -> TestGateway {
        let gateway = try await TestGateway(profile, limitsRates: limitsRates, sms: sms) { policy in
            policy.emailEnumerationProtection = false
            policy.allowsPhoneNumbers = true
            policy.secondFactors = SecondFactorPolicy(state: state, allowsTOTP: true, allowsSMS: true)
            change(&policy)
        }
        try await gateway.makeServiceKey()
        return gateway
    }

    func startEnrolment(_ idToken: String) async throws -> Exchange {
        try await post("/v2/accounts/mfaEnrollment:start", ["idToken": .string(idToken), "totpEnrollmentInfo": [:]])
    }

    func finalizeEnrolment(_ idToken: String, sessionInfo: String, code: String) async throws -> Exchange {
        try await post(
            "/v2/accounts/mfaEnrollment:finalize",
            [
                "idToken": .string(idToken), "displayName": "Phone",
                "totpVerificationInfo": ["sessionInfo": .string(sessionInfo), "verificationCode": .string(code)],
            ])
    }

    func withdraw(_ factor: String, _ idToken: String) async throws -> Exchange {
        try await post(
            "/v2/accounts/mfaEnrollment:withdraw",
            ["idToken": .string(idToken), "mfaEnrollmentId": .string(factor)])
    }

    func generateRecoveryCodes(_ idToken: String) async throws -> Exchange {
        try await post("/v2/accounts/recoveryCodes:generate", ["idToken": .string(idToken)])
    }

    /// Removes all second factors of an account as an administrator.
    func resetFactors(of localId: String) async throws -> Exchange {
        try await administerAccounts(":update", ["localId": .string(localId), "mfa": [:]])
    }

    /// Enrols a one-time password, and advances the clock, so that the next code is another one.
    func enrol(_ tokens: Tokens) async throws -> EnrolledAccount {
        let started = try await startEnrolment(tokens.idToken)
        let info = try #require(started.json["totpSessionInfo"], "\(started.text)")
        let app = try AuthenticatorApp(info)
        let finalized = try await finalizeEnrolment(
            tokens.idToken, sessionInfo: try #require(info["sessionInfo"]?.string), code: app.code(at: clock.now))
        let idToken = try #require(finalized.json["idToken"]?.string, "\(finalized.text)")
        clock.advance(by: .seconds(30))
        return EnrolledAccount(
            localId: tokens.localId,
            factor: try #require(try claims(of: idToken)["firebase"]?["second_factor_identifier"]?.string), app: app,
            idToken: idToken, refreshToken: try #require(finalized.json["refreshToken"]?.string))
    }

    /// Signs up Ada with a verified address and a one-time password.
    func signUpEnrolled(email: String = "ada@example.com") async throws -> EnrolledAccount {
        try await enrol(signUpVerified(email: email))
    }

    /// Sends the second step of a sign-in.
    ///
    /// - Parameters:
    ///   - first: the response to the first factor.
    ///   - code: the code of the authenticator app.
    func finalizeSignIn(
        _ first: Exchange, _ factor: String, _ code: String, key: String = apiKey, device: String? = nil,
        from peer: String = "192.0.2.1"
    ) async throws -> Exchange {
        try await post(
            "/v2/accounts/mfaSignIn:finalize",
            [
                "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null, "mfaEnrollmentId": .string(factor),
                "totpVerificationInfo": ["verificationCode": .string(code)],
            ], key: key, headers: device.map { ["User-Agent": $0] } ?? Headers(), from: peer)
    }

    func finalizeSignIn(_ first: Exchange, recoveryCode: String, from peer: String = "192.0.2.1") async throws
        -> Exchange
    {
        try await post(
            "/v2/accounts/mfaSignIn:finalize",
            [
                "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                "recoveryCodeInfo": ["code": .string(recoveryCode)],
            ], from: peer)
    }

    /// Signs in with the password and the one-time password.
    func signInWithSecondFactor(_ account: EnrolledAccount) async throws -> Tokens {
        let done = try await finalizeSignIn(
            signIn(), account.factor, account.app.code(at: clock.now))
        clock.advance(by: .seconds(30))
        return Tokens(
            localId: account.localId, idToken: try #require(done.json["idToken"]?.string, "\(done.text)"),
            refreshToken: try #require(done.json["refreshToken"]?.string))
    }
}
