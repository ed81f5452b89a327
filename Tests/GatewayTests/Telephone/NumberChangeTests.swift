import Identity
import Postgres
import Testing

@testable import Support

@Suite("Changes of telephone numbers")
struct NumberChangeTests {
    private static let number = "+15555550100"

    @Test("A change or a removal of the number ends the sessions that were opened with it")
    func changedNumber() async throws {
        let other = "+15555551100"
        let changes: [(String, @Sendable (TestGateway, String, String) async throws -> Exchange)] = [
            (
                "client",
                { gateway, idToken, _ in
                    try await gateway.signIn(phoneNumber: other, ["idToken": .string(idToken), "operation": "UPDATE"])
                }
            ),
            (
                "unlinked",
                { gateway, idToken, _ in
                    try await gateway.update(idToken, ["deleteProvider": ["phone"]])
                }
            ),
            (
                "administrator",
                { gateway, _, localId in
                    try await gateway.administerAccounts(
                        ":update", ["localId": .string(localId), "phoneNumber": .string(other)])
                }
            ),
        ]
        for (name, change) in changes {
            let gateway = try await TestGateway.withPhoneNumbers()
            try await gateway.makeServiceKey()
            let ada = try await gateway.signUpVerified()
            #expect(
                try await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(ada.idToken)]).outcome == "200")
            let former = try TestGateway.Tokens(await gateway.signIn(phoneNumber: Self.number))
            let password = try TestGateway.Tokens(await gateway.signIn())
            let changed = try await change(gateway, password.idToken, ada.localId)
            #expect(changed.outcome == "200", "\(name)")
            #expect(try await gateway.lookup(former.idToken).outcome == "400 TOKEN_EXPIRED", "\(name)")
            #expect(try await gateway.lookup(password.idToken).status == 200, "\(name)")
            if name == "client" {
                #expect(try await gateway.lookup(try #require(changed.json["idToken"]?.string)).status == 200)
                // Setting the same number again ends no session.
                let session = try TestGateway.Tokens(await gateway.signIn(phoneNumber: other))
                _ = try await gateway.signIn(phoneNumber: other, ["idToken": .string(session.idToken)])
                #expect(try await gateway.lookup(session.idToken).status == 200)
            }
        }
    }

    @Test(
        "A temporary proof of an earlier holder does not sign in to the account that an administrator gave the number")
    func formerHolder() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        try await gateway.makeServiceKey()
        let former = try TestGateway.Tokens(await gateway.signIn(phoneNumber: Self.number))
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let conflict = try await gateway.signIn(
            phoneNumber: Self.number, ["idToken": .string(guest.idToken), "operation": "LINK"])
        let proof: [String: JSON] = [
            "temporaryProof": conflict.json["temporaryProof"] ?? .null, "phoneNumber": .string(Self.number),
        ]
        gateway.clock.advance(by: .seconds(1))
        let removed = try await gateway.administerAccounts(
            ":update", ["localId": .string(former.localId), "deleteProvider": ["phone"]])
        #expect(removed.outcome == "200")
        for (id, change) in [("update", ":update"), ("create", "")] {
            if change == ":update" {
                #expect(try await gateway.administerAccounts("", ["localId": .string(id)]).outcome == "200")
            }
            let set = try await gateway.administerAccounts(
                change, ["localId": .string(id), "phoneNumber": .string(Self.number)])
            #expect(set.outcome == "200", "\(set.text)")
            #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "400 INVALID_TEMPORARY_PROOF", "\(id)")
            #expect(try await gateway.administerAccounts(":delete", ["localId": .string(id)]).outcome == "200")
        }
        let imported = try await gateway.administerAccounts(
            ":batchCreate", ["users": [["localId": "import", "phoneNumber": .string(Self.number)]]])
        #expect(imported.json["error"] == nil, "\(imported.text)")
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "400 INVALID_TEMPORARY_PROOF")
    }

    @Test("An administrator's update with the same number changes nothing")
    func sameNumberAgain() async throws {
        let gateway = try await TestGateway.withPhoneNumbers { $0.recycledNumberAge = .seconds(90 * 86_400) }
        try await gateway.makeServiceKey()
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(ada.idToken)])
        let set = try await gateway.administerAccounts(
            ":update", ["localId": .string(ada.localId), "phoneNumber": .string(Self.number)])
        #expect(set.outcome == "200")
        let signedIn = try await gateway.signIn(phoneNumber: Self.number)
        #expect(signedIn.json["localId"]?.string == ada.localId, "\(signedIn.text)")
        #expect(signedIn.json["idToken"] != nil)
    }

    @Test(
        "An administrator sets no number to which no code can be sent",
        arguments: ["+1", "+0", "+000000000000000", "+123456", "1", "+1 5555550100"])
    func undiallable(number: String) async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        try await gateway.makeServiceKey()
        #expect(
            try await gateway.administerAccounts("", ["localId": "ada", "phoneNumber": .string(number)]).outcome
                == "400 INVALID_PHONE_NUMBER : Invalid format.")
        #expect(try await gateway.administerAccounts("", ["localId": "ada"]).outcome == "200")
        #expect(
            try await gateway.administerAccounts(":update", ["localId": "ada", "phoneNumber": .string(number)]).outcome
                == "400 INVALID_PHONE_NUMBER : Invalid format.")
        let factor: JSON = ["mfaEnrollmentId": "a", "phoneInfo": .string(number)]
        #expect(
            try await gateway.administerAccounts(
                ":update", ["localId": "ada", "mfa": ["enrollments": [factor]]]
            ).outcome == "400 INVALID_MFA_PHONE_NUMBER : Invalid format.")
        let imported = try await gateway.administerAccounts(
            ":batchCreate", ["users": [["localId": "bob", "phoneNumber": .string(number)]]])
        #expect(imported.json["error"]?[0]?["message"] == "phone number format is invalid", "\(imported.text)")
    }
}
