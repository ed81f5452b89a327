import Encoding
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Second factors and administrators")
struct AdminFactorTests {
    @Test("An empty list removes the factors and recovery codes, keeps sessions, and is audited and announced")
    func reset() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        #expect(try await gateway.generateRecoveryCodes(ada.idToken).status == 200)
        let updated = try await gateway.administerAccounts(":update", ["localId": .string(ada.localId), "mfa": [:]])
        #expect(updated.status == 200, "\(updated.text)")
        let user = try await gateway.lookup(ada.idToken).json["users"]?[0]
        #expect(user != nil && user?["mfaInfo"] == nil && user?["recoveryCodeInfo"] == nil)
        #expect(try await gateway.signIn().json["idToken"] != nil)
        #expect(try await gateway.emails(.factorsReset).count == 1)
        let events = try await gateway.auditTrail().filter { $0.actor == "key:service" }
        #expect(Set(events.map(\.action)) == ["account.updated", "factor.removed"])
    }

    @Test("A list keeps and renames factors")
    func kept() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        #expect(try await gateway.generateRecoveryCodes(ada.idToken).status == 200)
        let kept: JSON = ["mfaEnrollmentId": .string(ada.factor), "displayName": "Tablet", "totpInfo": [:]]
        let updated = try await gateway.administerAccounts(
            ":update", ["localId": .string(ada.localId), "mfa": ["enrollments": [kept]]])
        #expect(updated.status == 200, "\(updated.text)")
        let user = try await gateway.accountSeenByAdmin(ada.localId)
        #expect(user["mfaInfo"]?[0]?["displayName"] == "Tablet")
        #expect(user["recoveryCodeInfo"]?["remaining"] == 10)
        #expect(try await gateway.emails(.factorsReset).isEmpty)
        let first = try await gateway.signIn()
        #expect(
            try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now)).status == 200)
    }

    @Test(
        "A list with unknown, repeated or incomplete factors changes nothing",
        arguments: [
            ([["mfaEnrollmentId": "unknown", "totpInfo": [:]]], "400 MFA_ENROLLMENT_NOT_FOUND"),
            ([["totpInfo": [:]]], "400 INVALID_MFA_ENROLLMENT_ID : mfaEnrollmentId must be defined."),
            (
                [["mfaEnrollmentId": "a", "totpInfo": [:]], ["mfaEnrollmentId": "a", "totpInfo": [:]]],
                "400 DUPLICATE_MFA_ENROLLMENT_ID"
            ),
            (
                [["mfaEnrollmentId": "a", "phoneInfo": "15555550100"]],
                "400 INVALID_MFA_PHONE_NUMBER : Invalid format."
            ),
        ] as [([JSON], String)])
    func rejected(enrollments: [JSON], outcome: String) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let updated = try await gateway.administerAccounts(
            ":update", ["localId": .string(ada.localId), "mfa": ["enrollments": .array(enrollments)]])
        #expect(updated.outcome == outcome)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"] != nil)
    }

    private static let secret = Array("12345678901234567890".utf8)

    private static func imported(_ factors: JSON, _ more: [String: JSON] = [:]) -> JSON {
        let user: [String: JSON] = [
            "localId": "ada", "email": "ada@example.com", "emailVerified": true, "rawPassword": "secret1",
            "mfaInfo": factors,
        ]
        return .object(user.merging(more) { $1 })
    }

    @Test("An imported one-time password signs in, and exports have the factor without its secret")
    func importing() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let user = Self.imported([
            [
                "mfaEnrollmentId": "factor", "displayName": "Phone", "enrolledAt": "2026-01-02T03:04:05Z",
                "totpInfo": ["sharedSecretKey": .string(Base32.encode(Self.secret))],
            ]
        ])
        let imported = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        #expect(imported.json["error"] == nil && imported.json["changes"] == nil, "\(imported.text)")
        let shown: JSON = [
            "mfaEnrollmentId": "factor", "displayName": "Phone", "enrolledAt": "2026-01-02T03:04:05.000Z",
            "totpInfo": [:],
        ]
        #expect(try await gateway.batchGet().json["users"]?[0]?["mfaInfo"] == [shown])
        let first = try await gateway.signIn()
        let app = AuthenticatorApp(secret: Self.secret)
        #expect(try await gateway.finalizeSignIn(first, "factor", app.code(at: gateway.clock.now)).status == 200)
        #expect(try await gateway.tables(containing: Hexadecimal.encode(Self.secret)) == [])
    }

    @Test(
        "An account whose second factor cannot be imported is rejected",
        arguments: [
            (imported([["displayName": "Key"]]), "Second factor not supported."),
            (imported([["phoneInfo": "+*******0100"]]), "Phone number format is invalid"),
            (
                imported([
                    ["mfaEnrollmentId": "a", "phoneInfo": "+15555550100"],
                    ["mfaEnrollmentId": "a", "phoneInfo": "+15555551100"],
                ]), "Enrollment id already exists."
            ),
            (
                imported([["phoneInfo": "+15555550100"], ["phoneInfo": "+15555550100"]]),
                "mfaInfo must have at most five second factors, at most one one-time password, and each number once"
            ),
            (imported([["totpInfo": [:]]]), "the one-time password has no sharedSecretKey"),
            (imported([["totpInfo": ["sharedSecretKey": "AAAA"]]]), "sharedSecretKey is invalid"),
            (imported([["totpInfo": ["sharedSecretKey": "11111111111111111111"]]]), "sharedSecretKey is invalid"),
            (
                imported([["totpInfo": ["sharedSecretKey": .string(Base32.encode(secret))]]], ["emailVerified": false]),
                "Second factor account requires email to be verified."
            ),
            (
                imported([["totpInfo": ["sharedSecretKey": .string(Base32.encode(secret))]]], ["email": ""]),
                "Second factor account requires email to be presented."
            ),
            (
                imported([
                    ["totpInfo": ["sharedSecretKey": .string(Base32.encode(secret))]],
                    ["totpInfo": ["sharedSecretKey": .string(Base32.encode(secret))]],
                ]), "mfaInfo must have at most five second factors, at most one one-time password, and each number once"
            ),
        ] as [(JSON, String)])
    func rejectedImport(user: JSON, message: String) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let imported = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        #expect(imported.json["error"]?[0]?["message"]?.string == message, "\(imported.text)")
        #expect(try await gateway.accountCount() == 0)
    }

    @Test("One-time passwords without secrets are left out on request")
    func dropped() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let imported = try await gateway.administerAccounts(
            ":batchCreate", ["users": [Self.imported([["totpInfo": [:]]])], "dropsTotpFactors": true])
        #expect(imported.json["changes"]?[0]?["message"] == "second factors were left out", "\(imported.text)")
        #expect(try await gateway.accountSeenByAdmin("ada")["mfaInfo"] == nil)
    }

    @Test("An import into a project that does not ask for second factors says so")
    func notDemanded() async throws {
        let gateway = try await TestGateway.withSecondFactors(.disabled)
        let user = Self.imported([["totpInfo": ["sharedSecretKey": .string(Base32.encode(Self.secret))]]])
        let imported = try await gateway.administerAccounts(":batchCreate", ["users": [user]])
        #expect(
            imported.json["changes"]?[0]?["message"]
                == "the account signs in without its second factor, because second factors are disabled")
    }
}
