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
