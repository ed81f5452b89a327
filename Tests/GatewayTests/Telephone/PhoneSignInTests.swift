import Identity
import Postgres
import Testing

@testable import Support

@Suite("Sign-in by telephone number")
struct PhoneSignInTests {
    private static let number = "+15555550100"

    @Test("A right code creates an account with the number, and the next one signs in to it")
    func signUp() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let created = try await gateway.signIn(phoneNumber: "+1 (555) 555-0100")
        #expect(created.outcome == "200")
        #expect(created.json["isNewUser"] == true)
        #expect(created.json["phoneNumber"] == .string(Self.number))
        let again = try await gateway.signIn(phoneNumber: Self.number, ["operation": "SIGN_UP_OR_IN"])
        #expect(again.json["localId"] == created.json["localId"])
        #expect(again.json["isNewUser"] == false)
        let found = try await gateway.lookup(try #require(again.json["idToken"]?.string))
        let user = try #require(found.json["users"]?[0])
        #expect(user["phoneNumber"] == .string(Self.number))
        #expect(user["providerUserInfo"]?[0]?["providerId"] == "phone")
    }

    @Test("The tokens name the method and the number")
    func tokenClaims() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let signedIn = try await gateway.signIn(phoneNumber: Self.number)
        let payload = try claims(of: try #require(signedIn.json["idToken"]?.string))
        #expect(payload["phone_number"] == .string(Self.number))
        #expect(payload["firebase"]?["sign_in_provider"] == "phone")
        #expect(payload["firebase"]?["identities"]?["phone"] == [.string(Self.number)])
    }

    @Test(
        "A number has a plus sign, and 7 to 15 digits that do not begin with 0",
        arguments: [
            "", "15555550100", "+05555550100", "+155555", "+1555555010012345", "+1555555O100", "+4930(0)12345678",
            "+١٢٣٤٥٦٧٨", "+1555\u{200B}5550100", "tel:+15555550100",
        ])
    func invalid(number: String) async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        #expect(try await gateway.sendCode(to: number).outcome == "400 INVALID_PHONE_NUMBER : Invalid format.")
    }

    @Test("A wrong code leaves the right one usable; a used one is unknown")
    func codes() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let proof = try await gateway.phoneProof(Self.number)
        #expect(try await gateway.signInWithPhoneNumber(proof, ["code": "x"]).outcome == "400 INVALID_CODE")
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "200")
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "400 INVALID_SESSION_INFO")
        #expect(try await gateway.signInWithPhoneNumber(["code": "1"]).outcome == "400 MISSING_SESSION_INFO")
        #expect(try await gateway.signInWithPhoneNumber(["sessionInfo": "1"]).outcome == "400 MISSING_CODE")
        #expect(
            try await gateway.signInWithPhoneNumber(["sessionInfo": "1", "code": "1"]).outcome
                == "400 INVALID_SESSION_INFO")
    }

    @Test("A code is valid for ten minutes, and SESSION_EXPIRED for a day afterwards")
    func expiry() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let proof = try await gateway.phoneProof(Self.number)
        gateway.clock.advance(by: .seconds(600))
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "400 SESSION_EXPIRED")
    }

    @Test("Of 50 concurrent attempts at one code on two replicas, at most five are compared")
    func concurrentAttempts() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let replica = try gateway.replica()
        var wrong = try await gateway.phoneProof(Self.number)
        let right = wrong
        wrong["code"] = wrong["code"] == "000000" ? "000001" : "000000"
        let outcomes = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<50 {
                group.addTask { [wrong] in
                    try await (index % 2 == 0 ? gateway : replica).signInWithPhoneNumber(wrong).wireCode ?? ""
                }
            }
            return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["INVALID_CODE": 5, "TOO_MANY_ATTEMPTS_TRY_LATER": 45])
        #expect(try await gateway.signInWithPhoneNumber(right).wireCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
    }

    @Test("REAUTH signs in to an existing account only, and with an ID token only to the caller's")
    func reauthentication() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        #expect(
            try await gateway.signIn(phoneNumber: Self.number, ["operation": "REAUTH"]).outcome
                == "400 USER_NOT_FOUND")
        let ada = try await gateway.signIn(phoneNumber: Self.number)
        let other = try await gateway.signIn(phoneNumber: "+15555550101")
        let idToken = try #require(ada.json["idToken"])
        let same = try await gateway.signIn(
            phoneNumber: Self.number, ["operation": "REAUTH", "idToken": idToken])
        #expect(same.json["localId"] == ada.json["localId"])
        for number in ["+15555550101", "+15555550102"] {
            #expect(
                try await gateway.signIn(phoneNumber: number, ["operation": "REAUTH", "idToken": idToken]).wireCode
                    == "USER_MISMATCH")
        }
        #expect(other.outcome == "200")
    }

    @Test("A caller links a number, changes it, and removes it; the events and the notice tell")
    func link() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let ada = try await gateway.signUpVerified()
        let linked = try await gateway.signIn(
            phoneNumber: Self.number, ["idToken": .string(ada.idToken), "operation": "LINK"])
        #expect(linked.outcome == "200")
        #expect(linked.json["localId"] == .string(ada.localId))
        let idToken = try #require(linked.json["idToken"])
        #expect(
            try await gateway.signIn(phoneNumber: "+15555550101", ["idToken": idToken, "operation": "LINK"]).outcome
                == "400 PROVIDER_ALREADY_LINKED")
        let updated = try await gateway.signIn(
            phoneNumber: "+15555550101", ["idToken": idToken, "operation": "UPDATE"])
        #expect(updated.json["phoneNumber"] == "+15555550101")
        let removed = try await gateway.post(
            "/v1/accounts:update", ["idToken": updated.json["idToken"] ?? .null, "deleteProvider": ["phone"]])
        #expect(removed.outcome == "200")
        let events = try await gateway.database.pool.query(
            "SELECT kind FROM outbox WHERE kind LIKE 'phone.%' ORDER BY created_at, kind")
        #expect(
            try events.map { try $0.decode("kind", as: String.self) } == [
                "phone.added", "phone.added", "phone.removed",
            ])
    }

    @Test("The number of another account answers a link with a proof, which signs in to the other account once")
    func conflict() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let owner = try await gateway.signIn(phoneNumber: Self.number)
        let ada = try await gateway.signUpVerified()
        let conflict = try await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(ada.idToken)])
        #expect(conflict.outcome == "200")
        #expect(conflict.json.keys.sorted() == ["phoneNumber", "temporaryProof", "temporaryProofExpiresIn"])
        let proof: [String: JSON] = [
            "temporaryProof": conflict.json["temporaryProof"] ?? .null, "phoneNumber": .string(Self.number),
        ]
        #expect(
            try await gateway.signInWithPhoneNumber(proof, ["idToken": .string(ada.idToken)]).outcome
                == "400 PHONE_NUMBER_EXISTS")
        #expect(
            try await gateway.signInWithPhoneNumber(["temporaryProof": proof["temporaryProof"] ?? .null]).outcome
                == "400 MISSING_PHONE_NUMBER")
        #expect(
            try await gateway.signInWithPhoneNumber(proof, ["phoneNumber": "+15555550101"]).outcome
                == "400 INVALID_TEMPORARY_PROOF")
        #expect(try await gateway.signInWithPhoneNumber(proof).json["localId"] == owner.json["localId"])
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "400 INVALID_TEMPORARY_PROOF")
    }

    @Test("An account with a second factor neither signs in by a number nor gets one")
    func secondFactor() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let enrolled = try await gateway.enrol(ada)
        let refusal =
            "400 UNSUPPORTED_FIRST_FACTOR : A phone number cannot be set as a first factor on an SMS based MFA user."
        #expect(
            try await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(enrolled.idToken)]).outcome
                == refusal)
        let proof = try await gateway.phoneProof(Self.number)
        try await gateway.setPhoneNumber(Self.number, of: ada.localId)
        #expect(try await gateway.signInWithPhoneNumber(proof, ["code": "1"]).outcome == "400 INVALID_CODE")
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == refusal)
    }

    @Test("A disabled account is told only after a right code")
    func disabled() async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        let ada = try await gateway.signIn(phoneNumber: Self.number)
        let localId = try #require(ada.json["localId"]?.string)
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now() WHERE id = \(localId)")
        let proof = try await gateway.phoneProof(Self.number)
        #expect(try await gateway.signInWithPhoneNumber(proof, ["code": "1"]).outcome == "400 INVALID_CODE")
        #expect(try await gateway.signInWithPhoneNumber(proof).outcome == "400 USER_DISABLED")
    }

    @Test("Nothing works unless the project allows telephone numbers, or if it demands second factors of everyone")
    func off() async throws {
        let gateway = try await TestGateway(sms: TestGateway.sms)
        #expect(try await gateway.sendCode(to: Self.number).outcome == "400 OPERATION_NOT_ALLOWED")
        let mandatory = try await TestGateway.withPhoneNumbers { $0.secondFactors.state = .mandatory }
        #expect(try await mandatory.sendCode(to: Self.number).outcome == "400 OPERATION_NOT_ALLOWED")
    }
}

@Suite("Recycled telephone numbers")
struct RecycledNumberTests {
    private static let number = "+15555550100"
    private static let age: Duration = .seconds(90 * 86_400)

    /// A gateway, and an account with a password that proved its number 91 days ago.
    private func recycled() async throws -> (TestGateway, TestGateway.Tokens) {
        let gateway = try await TestGateway.withPhoneNumbers { $0.recycledNumberAge = Self.age }
        let ada = try await gateway.signUpVerified()
        try await gateway.setPhoneNumber(Self.number, of: ada.localId, provenAt: gateway.clock.now)
        gateway.clock.advance(by: .seconds(91 * 86_400))
        return (gateway, ada)
    }

    @Test("After 91 days, no proof of the number signs in to an account with another method, however often repeated")
    func recycledNumber() async throws {
        let (gateway, _) = try await recycled()
        let first = try await gateway.signIn(phoneNumber: Self.number)
        #expect(first.outcome == "200")
        #expect(first.json["needConfirmation"] == true)
        #expect(first.json["verifiedProvider"] == ["password"])
        #expect(first.json["idToken"] == nil)
        #expect(first.json["localId"] == nil)
        let proof: [String: JSON] = [
            "temporaryProof": first.json["temporaryProof"] ?? .null, "phoneNumber": .string(Self.number),
        ]
        for _ in 0..<2 {
            let again = try await gateway.signInWithPhoneNumber(proof)
            #expect(again.json["needConfirmation"] == true)
            #expect(again.json["idToken"] == nil)
        }
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let conflict = try await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(guest.idToken)])
        let guestProof: [String: JSON] = [
            "temporaryProof": conflict.json["temporaryProof"] ?? .null, "phoneNumber": .string(Self.number),
        ]
        let bare = try await gateway.signInWithPhoneNumber(guestProof)
        #expect(bare.json["needConfirmation"] == true)
        #expect(bare.json["idToken"] == nil)
    }

    private static func members(of conflict: Exchange) -> [String: JSON] {
        ["temporaryProof": conflict.json["temporaryProof"] ?? .null, "phoneNumber": .string(number)]
    }

    @Test("A proof does not sign in after the account has proven the number again, however often it was renewed")
    func outdatedProof() async throws {
        let (gateway, _) = try await recycled()
        let first = try await gateway.signIn(phoneNumber: Self.number)
        let renewed = try await gateway.signInWithPhoneNumber(Self.members(of: first))
        gateway.clock.advance(by: .seconds(60))
        let owner = try TestGateway.Tokens(await gateway.signIn())
        let proven = try await gateway.signInWithPhoneNumber(
            gateway.phoneProof(Self.number), ["idToken": .string(owner.idToken)])
        #expect(proven.status == 200, "\(proven.text)")
        for conflict in [first, renewed] {
            let rejected = try await gateway.signInWithPhoneNumber(Self.members(of: conflict))
            #expect(rejected.wireCode == "INVALID_TEMPORARY_PROOF", "\(rejected.text)")
        }
    }

    @Test("A renewed proof expires with the first one")
    func renewedProof() async throws {
        let (gateway, _) = try await recycled()
        var conflict = try await gateway.signIn(phoneNumber: Self.number)
        for _ in 0..<2 {
            gateway.clock.advance(by: .seconds(1700))
            conflict = try await gateway.signInWithPhoneNumber(Self.members(of: conflict))
            #expect(conflict.json["needConfirmation"] == true)
        }
        gateway.clock.advance(by: .seconds(300))
        let late = try await gateway.signInWithPhoneNumber(Self.members(of: conflict))
        #expect(late.wireCode == "INVALID_TEMPORARY_PROOF", "\(late.text)")
    }

    @Test("A code counts once, directly or through one of the proofs that it led to")
    func oneCode() async throws {
        let (gateway, _) = try await recycled()
        let code = try await gateway.phoneProof(Self.number)
        let first = try await gateway.signInWithPhoneNumber(code)
        let second = try await gateway.signInWithPhoneNumber(code)
        let owner = try TestGateway.Tokens(await gateway.signIn())
        let linked = try TestGateway.Tokens(
            await gateway.signInWithPhoneNumber(Self.members(of: first), ["idToken": .string(owner.idToken)]))
        let again = try await gateway.signInWithPhoneNumber(
            Self.members(of: second), ["idToken": .string(linked.idToken)])
        #expect(again.wireCode == "INVALID_TEMPORARY_PROOF", "\(again.text)")
        #expect(try await gateway.signInWithPhoneNumber(code).wireCode == "INVALID_SESSION_INFO")
    }

    @Test("The owner signs in otherwise, and links the number with the proof")
    func owner() async throws {
        let (gateway, ada) = try await recycled()
        let first = try await gateway.signIn(phoneNumber: Self.number)
        let owner = try TestGateway.Tokens(await gateway.signIn())
        let linked = try await gateway.signInWithPhoneNumber(
            ["temporaryProof": first.json["temporaryProof"] ?? .null, "phoneNumber": .string(Self.number)],
            ["idToken": .string(owner.idToken)])
        #expect(linked.json["localId"] == .string(ada.localId))
        #expect(try await gateway.signIn(phoneNumber: Self.number).json["localId"] == .string(ada.localId))
    }

    @Test("The new holder takes the number over: the old account loses it with the sessions that it opened")
    func takeOver() async throws {
        let (gateway, ada) = try await recycled()
        let proof = try await gateway.phoneProof(Self.number)
        let taken = try await gateway.signInWithPhoneNumber(proof, ["takeOver": true])
        #expect(taken.json["isNewUser"] == true)
        #expect(taken.json["localId"] != .string(ada.localId))
        let rows = try await gateway.database.pool.query(
            "SELECT phone_number FROM account WHERE id = \(ada.localId)")
        #expect(try rows[0].decode("phone_number", as: String?.self) == nil)
        let events = try await gateway.database.pool.query(
            "SELECT account_id FROM outbox WHERE kind = 'phone.takenOver'")
        #expect(try events.map { try $0.decode("account_id", as: String.self) } == [ada.localId])
    }

    @Test(
        "The new holder also takes the number over from an account that it cannot sign in to",
        arguments: ["second factor", "disabled", "disabled, with the number alone"])
    func takeOverOfUnusable(account: String) async throws {
        let gateway = try await TestGateway.withSecondFactors { $0.recycledNumberAge = Self.age }
        let former: String
        if account == "disabled, with the number alone" {
            former = try TestGateway.Tokens(await gateway.signIn(phoneNumber: Self.number)).localId
        } else {
            let ada = try await gateway.signUpVerified()
            former = ada.localId
            try await gateway.setPhoneNumber(Self.number, of: former, provenAt: gateway.clock.now)
            if account == "second factor" { _ = try await gateway.enrol(ada) }
        }
        if account != "second factor" {
            _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now() WHERE id = \(former)")
        }
        func use(_ more: [String: JSON] = [:]) async throws -> Exchange {
            // Without email enumeration protection, no code is sent to the number of an account with second factors.
            let sent = try await gateway.sendCode(to: Self.number)
            guard let sessionInfo = sent.json["sessionInfo"]?.string else { return sent }
            let code = try #require(gateway.code(of: sessionInfo))
            return try await gateway.signInWithPhoneNumber(
                ["sessionInfo": .string(sessionInfo), "code": .string(code)], more)
        }
        gateway.clock.advance(by: .seconds(89 * 86_400))
        let code = account == "second factor" ? "UNSUPPORTED_FIRST_FACTOR" : "USER_DISABLED"
        #expect(try await use(["takeOver": true]).wireCode == code)
        gateway.clock.advance(by: .seconds(2 * 86_400))
        let first = try await use()
        #expect(first.json["needConfirmation"] == true, "\(first.text)")
        #expect(first.json["idToken"] == nil)
        let taken = try await use(["takeOver": true])
        #expect(taken.json["isNewUser"] == true, "\(taken.text)")
        #expect(taken.json["localId"] != .string(former))
        let user = try await gateway.accountSeenByAdmin(former)
        #expect(user["phoneNumber"] == nil)
        #expect((user["mfaInfo"] != nil) == (account == "second factor"))
        #expect(try await gateway.auditTrail().contains { $0.action == "phone.takenOver" })
    }

    @Test("An account with the number alone goes to its holder, and a number proven 89 days ago signs in")
    func notRecycled() async throws {
        let gateway = try await TestGateway.withPhoneNumbers { $0.recycledNumberAge = Self.age }
        let alone = try await gateway.signIn(phoneNumber: Self.number)
        gateway.clock.advance(by: .seconds(91 * 86_400))
        #expect(try await gateway.signIn(phoneNumber: Self.number).json["localId"] == alone.json["localId"])
        let ada = try await gateway.signUpVerified()
        try await gateway.setPhoneNumber("+15555550101", of: ada.localId, provenAt: gateway.clock.now)
        gateway.clock.advance(by: .seconds(89 * 86_400))
        #expect(try await gateway.signIn(phoneNumber: "+15555550101").json["localId"] == .string(ada.localId))
    }

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
