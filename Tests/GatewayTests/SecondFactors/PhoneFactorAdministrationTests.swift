import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Support

@Suite("Administrators set telephone numbers as second factors")
struct PhoneFactorAdministrationTests {
    private static let number = "+15555550100"

    @Test("A new account gets numbers with new IDs, each once")
    func creation() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        func create(_ id: String, _ factors: JSON) async throws -> Exchange {
            try await gateway.administerAccounts(
                "",
                [
                    "localId": .string(id), "email": .string("\(id)@example.com"), "emailVerified": true,
                    "password": "secret1", "mfaInfo": factors,
                ])
        }
        let numbers: JSON = [
            ["mfaEnrollmentId": "chosen", "phoneInfo": .string(Self.number), "displayName": "Work"],
            ["phoneInfo": .string(Self.number)], ["phoneInfo": "+15555551100"],
        ]
        #expect(try await create("ada", numbers).outcome == "200")
        let factors = try await gateway.accountSeenByAdmin("ada")["mfaInfo"]?.elements ?? []
        #expect(factors.count == 2)
        // Both were enrolled at the same time, so the order is that of their random IDs.
        #expect(factors.contains { $0["displayName"] == "Work" })
        #expect(factors.allSatisfy { $0["mfaEnrollmentId"]?.string?.utf8.count == 28 })
        _ = try await gateway.signInWithPhoneFactor()
        #expect(
            try await create("bob", [["phoneInfo": "1"]]).outcome == "400 INVALID_MFA_PHONE_NUMBER : Invalid format.")
        #expect(try await create("bob", [[:]]).outcome == "400 INVALID_MFA_PHONE_NUMBER : Invalid format.")
        let six = (0..<6).map { JSON.object(["phoneInfo": .string("+1555555200\($0)")]) }
        #expect(try await create("bob", .array(six)).wireCode == "SECOND_FACTOR_LIMIT_EXCEEDED")
        #expect(try await create("bob", []).outcome == "200")
        let events = try await gateway.auditTrail().filter { $0.action == "factor.added" }
        #expect(events.count == 2)
    }

    @Test("Numbers are exchanged, renamed and added; a factor with another number proves nothing for older sessions")
    func exchange() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let (one, two) = ("+15555550100", "+15555551100")
        func factor(_ id: String, _ number: String, name: String? = nil) -> JSON {
            var factor: [String: JSON] = ["mfaEnrollmentId": .string(id), "phoneInfo": .string(number)]
            factor["displayName"] = name.map(JSON.string)
            return .object(factor)
        }
        #expect(
            try await gateway.setFactors([factor("a", one, name: "A"), factor("b", two)], of: ada.localId).outcome
                == "200")
        let session = try await gateway.signInWithPhoneFactor()
        #expect(
            try await gateway.setFactors([factor("a", one), factor("b", two)], of: ada.localId).outcome == "200")
        #expect(try await gateway.update(session.idToken, ["password": "secret1"]).outcome == "200")
        let renewed = try await gateway.signInWithPhoneFactor()
        #expect(
            try await gateway.setFactors([factor("a", two), factor("b", one)], of: ada.localId).outcome == "200")
        let factors = try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"]?.elements ?? []
        #expect(factors.map { $0["phoneInfo"]?.string } == [two, one])
        #expect(factors.first?["displayName"] == "A")
        #expect(
            try await gateway.update(renewed.idToken, ["password": "secret2"]).outcome
                == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    @Test("A code to a number that the factor had before does not sign in")
    func replacedNumber() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        let first = try await gateway.signIn()
        let sessionInfo = try await gateway.sessionInfo(ofFactorAfter: first)
        let id = first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null
        let set = try await gateway.setFactors(
            [["mfaEnrollmentId": id, "phoneInfo": "+15555551100"]], of: ada.localId)
        #expect(set.outcome == "200")
        let done = try await gateway.finalizeSignIn(
            first, sessionInfo, code: try #require(gateway.code(of: sessionInfo)))
        #expect(done.outcome == "400 MFA_ENROLLMENT_NOT_FOUND")
    }

    @Test("A one-time password does not become a number, and the list has at most five factors")
    func kinds() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let number: JSON = ["mfaEnrollmentId": .string(ada.factor), "phoneInfo": .string(Self.number)]
        #expect(try await gateway.setFactors([number], of: ada.localId).wireCode == "MFA_ENROLLMENT_NOT_FOUND")
        let six = (0..<6).map { index in
            JSON.object(["mfaEnrollmentId": .string("\(index)"), "phoneInfo": .string("+1555555200\(index)")])
        }
        #expect(try await gateway.setFactors(six, of: ada.localId).wireCode == "SECOND_FACTOR_LIMIT_EXCEEDED")
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"]?[0]?["totpInfo"] == [:])
    }

    @Test("An import stores numbers beside a one-time password; an export shows whole numbers")
    func importing() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let imported = try await gateway.administerAccounts(
            ":batchCreate",
            [
                "users": [
                    [
                        "localId": "ada", "email": "ada@example.com", "emailVerified": true, "rawPassword": "secret1",
                        "mfaInfo": [
                            ["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number), "displayName": "Work"],
                            ["totpInfo": ["sharedSecretKey": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"]],
                            ["phoneInfo": "+15555551100"],
                        ],
                    ]
                ]
            ])
        #expect(imported.json["error"] == nil, "\(imported.text)")
        let exported = try await gateway.batchGet().json["users"]?[0]?["mfaInfo"]?.elements ?? []
        #expect(exported.count == 3)
        #expect(Set(exported.compactMap { $0["phoneInfo"]?.string }) == [Self.number, "+15555551100"])
        let first = try await gateway.signIn()
        let started = try await gateway.startSecondFactor(first, "a")
        let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string)
        #expect(
            try await gateway.finalizeSignIn(first, sessionInfo, code: try #require(gateway.code(of: sessionInfo)))
                .outcome == "200")
    }

    @Test("An administrator gives no number to an account that keeps second factors")
    func firstFactor() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        func update(_ more: [String: JSON]) async throws -> String {
            try await gateway.administerAccounts(
                ":update", .object(more.merging(["localId": .string(ada.localId)]) { $1 })
            ).outcome
        }
        let number = JSON.string(Self.number)
        let factors: JSON = ["enrollments": [["mfaEnrollmentId": .string(ada.factor), "totpInfo": [:]]]]
        let refusal =
            "400 UNSUPPORTED_FIRST_FACTOR : A phone number cannot be set as a first factor on an SMS based MFA user."
        #expect(try await update(["phoneNumber": number]) == refusal)
        #expect(try await update(["phoneNumber": number, "mfa": factors]) == refusal)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["phoneNumber"] == nil)
        #expect(try await update(["phoneNumber": number, "mfa": [:]]) == "200")
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["phoneNumber"] == number)
        // The number stays when the account gets a factor, and is then no change.
        #expect(try await gateway.enrol(TestGateway.Tokens(await gateway.signIn())).factor.isEmpty == false)
        #expect(try await update(["phoneNumber": number, "displayName": "Ada"]) == "200")
    }
}

extension TestGateway {
    /// Replaces the second factors of an account, as an administrator.
    func setFactors(_ factors: [JSON], of localId: String) async throws -> Exchange {
        try await administerAccounts(
            ":update", ["localId": .string(localId), "mfa": ["enrollments": .array(factors)]])
    }

    /// Requests a code for the first factor in the response to a first step.
    func sessionInfo(ofFactorAfter first: Exchange) async throws -> String {
        let factor = first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null
        let started = try await startSecondFactor(first, factor)
        return try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string, "\(started.text)")
    }
}
