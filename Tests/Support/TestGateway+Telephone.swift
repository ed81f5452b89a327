import Encoding
import Identity
import Postgres
import Testing

@testable import DevMode

/// Telephone numbers.
extension TestGateway {
    /// The sender of tests, which is never called: the tests read the queue.
    static let sms = SMSSettings(
        url: "https://sms.example.com/send", hasSecret: false, allowedCallingCodes: ["1", "81"],
        regions: .listed(["CA"]),
        budgetPerDay: 1000, perCallingCode: ["1": 1000, "81": 1000])

    /// A gateway whose project has a sender, and sign-in by telephone number.
    static func withPhoneNumbers(
        _ profile: Policy.Profile = .firebase, limitsRates: Bool = false, sms: SMSSettings = sms,
        change: (inout Policy) -> Void = { _ in }
    ) async throws -> TestGateway {
        try await TestGateway(profile, limitsRates: limitsRates, sms: sms) {
            $0.emailEnumerationProtection = false
            $0.allowsPhoneNumbers = true
            change(&$0)
        }
    }

    /// Requests a code.
    func sendCode(to number: String, from peer: String = "192.0.2.1") async throws -> Exchange {
        try await post("/v1/accounts:sendVerificationCode", ["phoneNumber": .string(number)], from: peer)
    }

    /// Requests a code, and returns the members of a request that prove the number with it.
    ///
    /// - Parameter tenant: the tenant of the accounts; `nil` for the project itself.
    func phoneProof(
        _ number: String, from peer: String = "192.0.2.1", tenant: String? = nil
    ) async throws -> [String: JSON] {
        var body: [String: JSON] = ["phoneNumber": .string(number)]
        body["tenantId"] = tenant.map(JSON.string)
        let sent = try await post("/v1/accounts:sendVerificationCode", .object(body), from: peer)
        let sessionInfo = try #require(sent.json["sessionInfo"]?.string, "\(sent.outcome)")
        return ["sessionInfo": .string(sessionInfo), "code": .string(try #require(code(of: sessionInfo, tenant)))]
    }

    /// The code that was issued with a session.
    func code(of sessionInfo: String, _ tenant: String? = nil) -> String? {
        let realm = tenant.map { ID<Realm>(ID<Tenant>($0), of: self.realm.project.id) } ?? self.realm.id
        return phoneCodes.codes(in: realm).first { $0.sessionInfo == sessionInfo }?.code
    }

    func signInWithPhoneNumber(
        _ proof: [String: JSON], _ further: [String: JSON] = [:], from peer: String = "192.0.2.1"
    ) async throws -> Exchange {
        try await post(
            "/v1/accounts:signInWithPhoneNumber", .object(proof.merging(further) { $1 }), from: peer)
    }

    /// Enrols a number as second factor of the account.
    func enrol(number: String, _ account: Tokens) async throws -> Exchange {
        let started = try await post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(account.idToken), "phoneEnrollmentInfo": ["phoneNumber": .string(number)]])
        let sessionInfo = try #require(started.json["phoneSessionInfo"]?["sessionInfo"]?.string, "\(started.text)")
        return try await finalizeEnrolment(account.idToken, sessionInfo, try #require(code(of: sessionInfo)))
    }

    /// Enrols a number, and returns the session that replaces the account's.
    func enrolled(_ number: String, _ account: Tokens) async throws -> Tokens {
        let enrolled = try await enrol(number: number, account)
        return Tokens(
            localId: account.localId, idToken: try #require(enrolled.json["idToken"]?.string, "\(enrolled.text)"),
            refreshToken: try #require(enrolled.json["refreshToken"]?.string))
    }

    /// Signs in with a password, and a code to the first second factor of the account.
    func signInWithPhoneFactor(email: String = "ada@example.com") async throws -> Tokens {
        let first = try await signIn(email: email)
        let factor = try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"], "\(first.text)")
        let started = try await startSecondFactor(first, factor)
        let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string, "\(started.text)")
        let done = try await finalizeSignIn(first, sessionInfo, code: try #require(code(of: sessionInfo)))
        return Tokens(
            localId: first.json["localId"]?.string ?? "",
            idToken: try #require(done.json["idToken"]?.string, "\(done.text)"),
            refreshToken: try #require(done.json["refreshToken"]?.string))
    }

    func finalizeEnrolment(_ idToken: String, _ sessionInfo: String, _ code: String) async throws -> Exchange {
        try await post(
            "/v2/accounts/mfaEnrollment:finalize",
            [
                "idToken": .string(idToken), "displayName": "Work",
                "phoneVerificationInfo": ["sessionInfo": .string(sessionInfo), "code": .string(code)],
            ])
    }

    /// Requests a code for a second factor, after the first one was proven.
    func startSecondFactor(_ first: Exchange, _ factor: JSON) async throws -> Exchange {
        try await post(
            "/v2/accounts/mfaSignIn:start",
            ["mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null, "mfaEnrollmentId": factor])
    }

    func finalizeSignIn(_ first: Exchange, _ sessionInfo: String, code: String) async throws -> Exchange {
        try await post(
            "/v2/accounts/mfaSignIn:finalize",
            [
                "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                "phoneVerificationInfo": ["sessionInfo": .string(sessionInfo), "code": .string(code)],
            ])
    }

    /// Signs in with a new code.
    func signIn(phoneNumber number: String, _ further: [String: JSON] = [:]) async throws -> Exchange {
        try await signInWithPhoneNumber(try await phoneProof(number), further)
    }

    /// Sets the number as an administrator does, or as if the account had proven it at `provenAt`.
    func setPhoneNumber(_ number: String, of account: String, provenAt: Instant? = nil) async throws {
        let time = provenAt.map { Timestamp(microsecondsSinceEpoch: $0.microseconds) }
        #expect(
            try await database.pool.execute(
                """
                UPDATE account SET phone_number = \(number), phone_proven_at = \(time), phone_added_at = \(time)
                WHERE realm_id = 'demo' AND id = \(account)
                """) == 1)
    }
}
