import Identity
import Postgres
import Testing

@testable import Support

@Suite("Telephone numbers as second factors")
struct PhoneFactorTests {
    private static let number = "+15555550100"

    /// An account with the number as second factor.
    private func enrolled() async throws -> (TestGateway, TestGateway.Tokens) {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let enrolled = try await gateway.enrol(number: Self.number, ada)
        #expect(enrolled.outcome == "200", "\(enrolled.text)")
        return (gateway, ada)
    }

    /// Proves the first factor, and requests a code.
    private func start(_ gateway: TestGateway) async throws -> (first: Exchange, sessionInfo: String) {
        let first = try await gateway.signIn()
        let factor = try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"], "\(first.text)")
        let started = try await gateway.startSecondFactor(first, factor)
        return (first, try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string, "\(started.text)"))
    }

    @Test("A user enrols a number, and signs in with a code that is sent to it")
    func signIn() async throws {
        let (gateway, _) = try await enrolled()
        let (first, sessionInfo) = try await start(gateway)
        #expect(first.json["mfaInfo"]?[0]?["phoneInfo"] == "+*******0100")
        #expect(first.json["mfaInfo"]?[0]?["unobfuscatedPhoneInfo"] == nil)
        #expect(first.json["mfaInfo"]?[0]?["totpInfo"] == nil)
        #expect(first.json["idToken"] == nil)
        let code = try #require(gateway.code(of: sessionInfo))
        #expect(try await gateway.finalizeSignIn(first, sessionInfo, code: "x").outcome == "400 INVALID_CODE")
        let done = try await gateway.finalizeSignIn(first, sessionInfo, code: code)
        #expect(done.outcome == "200", "\(done.text)")
        let payload = try claims(of: try #require(done.json["idToken"]?.string))
        #expect(payload["firebase"]?["sign_in_second_factor"] == "phone")
        #expect(payload["firebase"]?["second_factor_identifier"] == first.json["mfaInfo"]?[0]?["mfaEnrollmentId"])
        #expect(try await gateway.finalizeSignIn(first, sessionInfo, code: code).wireCode != nil)
    }

    @Test("A code is used only once, even if two sign-ins finish at the same moment")
    func race() async throws {
        let (gateway, _) = try await enrolled()
        let replica = try gateway.replica()
        let (first, sessionInfo) = try await start(gateway)
        let second = try await gateway.signIn()
        let code = try #require(gateway.code(of: sessionInfo))
        async let one = gateway.finalizeSignIn(first, sessionInfo, code: code)
        async let two = replica.finalizeSignIn(second, sessionInfo, code: code)
        let outcomes = try await [one.status, two.status]
        #expect(outcomes.sorted() == [200, 400])
    }

    @Test("A code for another purpose, factor or account is unknown")
    func binding() async throws {
        let (gateway, _) = try await enrolled()
        let (first, sessionInfo) = try await start(gateway)
        let code = try #require(gateway.code(of: sessionInfo))
        let proof: [String: JSON] = ["sessionInfo": .string(sessionInfo), "code": .string(code)]
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "400 INVALID_SESSION_INFO")
        let signInProof = try await gateway.phoneProof(Self.number)
        let other = try #require(signInProof["sessionInfo"]?.string)
        #expect(
            try await gateway.finalizeSignIn(first, other, code: try #require(gateway.code(of: other))).outcome
                == "400 INVALID_SESSION_INFO")
        _ = try await gateway.enrol(
            number: Self.number, gateway.signUpVerified(email: "eve@example.com"))
        let eve = try await gateway.signIn(email: "eve@example.com")
        #expect(
            try await gateway.finalizeSignIn(eve, sessionInfo, code: code).outcome == "400 INVALID_SESSION_INFO")
        #expect(try await gateway.finalizeSignIn(first, sessionInfo, code: code).outcome == "200")
    }

    @Test("A number is enrolled once per account, and by many accounts; each enrolment needs its own code")
    func enrolment() async throws {
        let (gateway, _) = try await enrolled()
        let (first, sessionInfo) = try await start(gateway)
        let done = try await gateway.finalizeSignIn(
            first, sessionInfo, code: try #require(gateway.code(of: sessionInfo)))
        let idToken = try #require(done.json["idToken"]?.string)
        let again = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(idToken), "phoneEnrollmentInfo": ["phoneNumber": .string(Self.number)]])
        #expect(
            again.outcome
                == "400 SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account.")
        let eve = try await gateway.signUpVerified(email: "eve@example.com")
        let started = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(eve.idToken), "phoneEnrollmentInfo": ["phoneNumber": "+15555551100"]])
        let eves = try #require(started.json["phoneSessionInfo"]?["sessionInfo"]?.string)
        let code = try #require(gateway.code(of: eves))
        #expect(try await gateway.finalizeEnrolment(idToken, eves, code).outcome == "400 INVALID_SESSION_INFO")
        #expect(try await gateway.finalizeEnrolment(eve.idToken, eves, code).outcome == "200")
    }

    @Test("Enrolment needs a project that allows numbers, but sign-ins ask for enrolled numbers anyway")
    func off() async throws {
        let gateway = try await TestGateway.withSecondFactors { $0.secondFactors.allowsSMS = false }
        let ada = try await gateway.signUpVerified()
        let started = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(ada.idToken), "phoneEnrollmentInfo": ["phoneNumber": .string(Self.number)]])
        #expect(started.outcome == "400 OPERATION_NOT_ALLOWED : SMS based MFA not enabled.")
    }

    @Test("A user withdraws a number; its events and those of the enrolment name the kind")
    func withdrawal() async throws {
        let (gateway, _) = try await enrolled()
        let (first, sessionInfo) = try await start(gateway)
        let done = try await gateway.finalizeSignIn(
            first, sessionInfo, code: try #require(gateway.code(of: sessionInfo)))
        let withdrawn = try await gateway.post(
            "/v2/accounts/mfaEnrollment:withdraw",
            [
                "idToken": done.json["idToken"] ?? .null,
                "mfaEnrollmentId": first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
            ])
        #expect(withdrawn.outcome == "200")
        #expect(try await gateway.signIn().json["idToken"] != nil)
        let events = try await gateway.database.pool.query(
            "SELECT kind || ' ' || (data ->> 'factor') AS line FROM outbox WHERE kind LIKE 'factor.%' ORDER BY created_at"
        )
        #expect(
            try events.map { try $0.decode("line", as: String.self) } == ["factor.added phone", "factor.removed phone"])
    }

    @Test("An administrator sets, reads and replaces the numbers of an account")
    func administrator() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        func update(_ enrollments: JSON) async throws -> Exchange {
            try await gateway.administerAccounts(
                ":update", ["localId": .string(ada.localId), "mfa": ["enrollments": enrollments]])
        }
        #expect(
            try await update([["mfaEnrollmentId": "a", "phoneInfo": "1"]]).outcome
                == "400 INVALID_MFA_PHONE_NUMBER : Invalid format.")
        #expect(try await update([["phoneInfo": .string(Self.number)]]).wireCode == "INVALID_MFA_ENROLLMENT_ID")
        #expect(
            try await update([
                ["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number)],
                ["mfaEnrollmentId": "a", "phoneInfo": "+15555551100"],
            ]).wireCode == "DUPLICATE_MFA_ENROLLMENT_ID")
        #expect(try await update([["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number)]]).outcome == "200")
        let found = try await gateway.administerAccounts(":lookup", ["localId": [.string(ada.localId)]])
        #expect(found.json["users"]?[0]?["mfaInfo"]?[0]?["phoneInfo"] == .string(Self.number))
        let (first, sessionInfo) = try await start(gateway)
        #expect(
            try await gateway.finalizeSignIn(first, sessionInfo, code: try #require(gateway.code(of: sessionInfo)))
                .outcome == "200")
        #expect(try await update([["mfaEnrollmentId": "b", "phoneInfo": "+15555551100"]]).outcome == "200")
        #expect(try await gateway.signIn().json["mfaInfo"]?[0]?["phoneInfo"] == "+*******1100")
        #expect(try await update([]).outcome == "200")
        #expect(try await gateway.signIn().json["idToken"] != nil)
    }
}
