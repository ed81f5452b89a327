import HTTP
import Identity
import Testing

@testable import Support

@Suite("Members of an update")
struct UpdateRequestTests {
    /// An update, and its expected effects. The defaults are those of an update that changes nothing.
    struct Row: CustomTestStringConvertible {
        /// The members of the request, as JSON.
        let members: String
        var displayName: JSON? = "Ada"
        var photoURL: JSON? = "http://x/a"
        var email: JSON? = "ada@example.com"
        var hasPassword = true
        var endsSessions = false
        /// The actions of the audit events.
        var audit: [String] = []

        var testDescription: String { members }

        init(_ members: String, _ change: (inout Row) -> Void = { _ in }) {
            self.members = members
            change(&self)
        }
    }

    @Test(
        "An update applies its members under each accepted name, and ignores null and unwritable members",
        arguments: [
            Row(#""displayName":"Eve""#) { $0.displayName = "Eve" },
            Row(#""displayName":"","photoUrl":"""#) { ($0.displayName, $0.photoURL) = (nil, nil) },
            Row(#""photo_url":"http://x/y""#) { $0.photoURL = "http://x/y" },
            Row(#""displayName":"Eve","deleteAttribute":["DISPLAY_NAME"]"#) { $0.displayName = nil },
            // 0 is unspecified, 2 is DISPLAY_NAME, 4 is PHOTO_URL and 5 is PASSWORD.
            Row(#""delete_attribute":[2,4,0]"#) { ($0.displayName, $0.photoURL) = (nil, nil) },
            Row(#""deleteAttribute":["EMAIL",5]"#) {
                ($0.email, $0.hasPassword, $0.endsSessions) = (nil, false, true)
                $0.audit = ["email.changed", "password.removed"]
            },
            Row(#""password":"12345678","deleteAttribute":["PASSWORD"]"#) {
                ($0.hasPassword, $0.endsSessions, $0.audit) = (false, true, ["password.removed"])
            },
            // A password without its address could not be used.
            Row(#""password":"12345678","deleteAttribute":["EMAIL"]"#) {
                ($0.email, $0.hasPassword, $0.endsSessions) = (nil, false, true)
                $0.audit = ["email.changed", "password.removed"]
            },
            Row(#""password":"12345678","deleteProvider":["password"]"#) {
                ($0.email, $0.hasPassword, $0.endsSessions) = (nil, false, true)
                $0.audit = ["password.removed"]
            },
            Row(#""password":"12345678""#) { ($0.endsSessions, $0.audit) = (true, ["password.changed"]) },
            Row(#""validSince":1"#) { ($0.endsSessions, $0.audit) = (true, ["session.revoked"]) },
            Row(#""validSince":"1""#) { ($0.endsSessions, $0.audit) = (true, ["session.revoked"]) },
            Row(#""displayName":null,"photoUrl":null,"deleteAttribute":null,"password":null"#),
            Row(#""deleteProvider":[],"provider":[],"upgradeToFederatedLogin":false,"oobCode":"""#),
            Row(
                #""emailVerified":true,"localId":"eve","phoneNumber":"+1","createdAt":"1","lastLoginAt":"1","passwordHash":"x","salt":"y","generation":9"#
            ),
        ])
    func change(row: Row) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.protectsLastSignInMethod = false }
        let ada = try await gateway.signUp(password: "first secret")
        _ = try await gateway.update(ada.idToken, ["displayName": "Ada", "photoUrl": "http://x/a"])
        let oldHash = try await gateway.storedPasswordHash(of: ada.localId)
        var response: Exchange?
        let audit = try await gateway.newAuditEvents {
            response = try await gateway.post(
                "/v1/accounts:update", text: #"{"idToken":"\#(ada.idToken)",\#(row.members)}"#)
        }
        let answer = try #require(response)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["kind"] == "identitytoolkit#SetAccountInfoResponse")
        #expect(answer.json["localId"] == .string(ada.localId))
        #expect(!answer.text.contains("passwordHash"))
        #expect((answer.json["idToken"] != nil) == row.endsSessions)
        #expect((answer.json["refreshToken"] != nil) == row.endsSessions)
        #expect(answer.json["expiresIn"] == (row.endsSessions ? "3600" : nil))
        let user = try await gateway.accountSeenByUser(answer.json["idToken"]?.string ?? ada.idToken)
        #expect(user["displayName"] == row.displayName)
        #expect(user["photoUrl"] == row.photoURL)
        #expect(user["email"] == row.email)
        #expect(user["emailVerified"] != true)
        #expect(user["phoneNumber"] == nil)
        #expect(user["createdAt"] == "1800000000000", "the time at which the test's clock starts")
        let stored = try await gateway.storedPasswordHash(of: ada.localId)
        #expect((stored != nil) == row.hasPassword)
        #expect((stored == oldHash) == (row.hasPassword && !row.audit.contains("password.changed")))
        #expect(audit.map(\.action).sorted() == row.audit)
        for event in audit {
            #expect(event.actor == "user" && event.network == "192.0.2.0/24" && event.requestID != nil, "\(event)")
        }
        let oldTokenOutcome = try await gateway.lookup(ada.idToken).outcome
        #expect(oldTokenOutcome == (row.endsSessions ? "400 TOKEN_EXPIRED" : "200"))
    }

    /// A gateway with an account for ada@example.com.
    private static let shared = Task {
        let gateway = try await TestGateway.withDefaultPolicy()
        return (gateway, try await gateway.signUp(password: "first secret"))
    }

    @Test(
        "Invalid, forbidden and unimplemented members of an update are rejected and change nothing",
        arguments: [
            (#""customAttributes":"{}""#, "400 INSUFFICIENT_PERMISSION"),
            (#""disableUser":false"#, "400 OPERATION_NOT_ALLOWED"),
            (#""email":"""#, "400 INVALID_EMAIL"),
            (#""password":"""#, "400 WEAK_PASSWORD : Password should be at least 8 characters"),
            (
                #""email":"eve@example.com""#,
                "400 OPERATION_NOT_ALLOWED : Please verify the new email before changing email."
            ),
            (#""oobCode":"x""#, "400 INVALID_OOB_CODE"),
            (#""provider":["x"]"#, "501 OPERATION_NOT_ALLOWED : provider is not implemented."),
            (
                #""upgradeToFederatedLogin":true"#,
                "501 OPERATION_NOT_ALLOWED : upgradeToFederatedLogin is not implemented."
            ),
            (#""linkProviderUserInfo":{}"#, "501 OPERATION_NOT_ALLOWED : linkProviderUserInfo is not implemented."),
            (#""mfa":{"enrollments":[{}]}"#, "501 OPERATION_NOT_ALLOWED : mfa is not implemented."),
            (
                #""deleteAttribute":["PROVIDER"]"#,
                "501 OPERATION_NOT_ALLOWED : deleteAttribute PROVIDER is not implemented."
            ),
            (
                #""deleteAttribute":[6]"#,
                "501 OPERATION_NOT_ALLOWED : deleteAttribute RAW_USER_INFO is not implemented."
            ),
        ])
    func rejection(members: String, outcome: String) async throws {
        let (gateway, ada) = try await Self.shared.value
        let before = try await gateway.accountsAsStored()
        let response = try await gateway.post(
            "/v1/accounts:update", text: #"{"idToken":"\#(ada.idToken)",\#(members)}"#)
        #expect(response.outcome == outcome)
        #expect(try await gateway.accountsAsStored() == before)
    }
}
