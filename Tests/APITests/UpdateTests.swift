import HTTP
import Identity
import Testing

@testable import API

@Suite("update")
struct UpdateTests {
    struct Edit: CustomTestStringConvertible {
        let testDescription: String
        let expected: AccountChange

        init(_ body: String, _ change: (inout AccountChange) -> Void) {
            testDescription = body
            var expected = Self.nothing
            change(&expected)
            self.expected = expected
        }

        /// By Ada, from where the tests are.
        static var nothing: AccountChange {
            var change = AccountChange(changedAt: now)
            change.actor = .user(RequestTrace(network: "192.0.2.0/24", request: "r1"))
            return change
        }

        static let session = Session(
            id: ID("s1"), account: ada.id, generation: 2, method: .password, authenticatedAt: now, device: nil,
            place: nil)
    }

    @Test(
        "asks for",
        arguments: [
            Edit(#""displayName":"Eve""#) { $0.displayName = .set("Eve") },
            Edit(#""displayName":"","photoUrl":"""#) {
                $0.displayName = .remove
                $0.photoURL = .remove
            },
            Edit(#""photo_url":"http://x/y","photoURL":"ignored""#) { $0.photoURL = .set("http://x/y") },
            Edit(#""displayName":"Eve","deleteAttribute":["DISPLAY_NAME"]"#) { $0.displayName = .remove },
            Edit(#""delete_attribute":[2,4,0]"#) {
                $0.displayName = .remove
                $0.photoURL = .remove
            },
            Edit(#""deleteAttribute":["EMAIL",5]"#) {
                $0.email = .remove
                $0.passwordHash = .remove
                $0.keepsWayIn = true
                $0.replacement = Edit.session
                $0.notes = [AuditNote(.emailChanged, ada.id), AuditNote(.passwordRemoved, ada.id)]
            },
            Edit(#""password":"12345678""#) {
                $0.passwordHash = .set("hash")
                $0.replacement = Edit.session
                $0.notes = [AuditNote(.passwordSet, ada.id)]
            },
            Edit(#""validSince":1"#) {
                $0.replacement = Edit.session
                $0.notes = [AuditNote(.sessionsEnded, ada.id)]
            },
            Edit(#""validSince":"1""#) {
                $0.replacement = Edit.session
                $0.notes = [AuditNote(.sessionsEnded, ada.id)]
            },
            Edit(#""displayName":null,"photoURL":null,"deleteAttribute":null,"password":null"#) { _ in },
            Edit(#""deleteProvider":[],"provider":[],"upgradeToFederatedLogin":false,"oobCode":"""#) { _ in },
        ])
    func change(edit: Edit) async {
        let gateway = TestGateway()
        let response = await gateway.post("accounts:update", "{\(TestGateway.adaMember),\(edit.testDescription)}")
        #expect(response.status == 200)
        #expect(gateway.store.changes == [edit.expected])
    }

    @Test("makes nobody what they are not")
    func massAssignment() async {
        let gateway = TestGateway()
        let response = await gateway.post(
            "accounts:update",
            #"""
            {\#(TestGateway.adaMember),"emailVerified":true,"email_verified":true,"localId":"eve","phoneNumber":"+1","createdAt":"1",
            "lastLoginAt":"1","passwordHash":"x","salt":"y","generation":9}
            """#)
        #expect(response.status == 200)
        #expect(response.text.contains(#""emailVerified":false"#) && !response.text.contains("passwordHash"))
        #expect(gateway.store.changes == [Edit.nothing])
    }

    @Test(
        "refuses",
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
            (#""provider":["x"]"#, "501 provider is not implemented."),
            (#""upgradeToFederatedLogin":true"#, "501 upgradeToFederatedLogin is not implemented."),
            (#""linkProviderUserInfo":{}"#, "501 linkProviderUserInfo is not implemented."),
            (#""deletePasskey":["x"]"#, "501 deletePasskey is not implemented."),
            (#""mfa":{}"#, "501 mfa is not implemented."),
            (#""deleteAttribute":["PROVIDER"]"#, "501 deleteAttribute PROVIDER is not implemented."),
            (#""deleteAttribute":[6]"#, "501 deleteAttribute RAW_USER_INFO is not implemented."),
        ])
    func refusal(members: String, summary: String) async {
        let gateway = TestGateway()
        #expect(await gateway.post("accounts:update", "{\(TestGateway.adaMember),\(members)}").summary == summary)
        #expect(gateway.store.changes.isEmpty)
    }

    @Test("answers with the account, and with tokens where the old ones ended")
    func answer() async {
        let gateway = TestGateway()
        let plain = await gateway.post("accounts:update", #"{\#(TestGateway.adaMember),"displayName":"A"}"#)
        #expect(plain.text.contains(#""kind":"identitytoolkit#SetAccountInfoResponse","localId":"ada""#))
        #expect(!plain.text.contains("idToken"))
        let renewed = await gateway.post("accounts:update", #"{\#(TestGateway.adaMember),"password":"12345678"}"#)
        #expect(renewed.text.contains(#""expiresIn":"3600","idToken":"id.ada.s1""#))
        #expect(renewed.text.contains(#""refreshToken":"refresh.s1.0""#))
    }
}
