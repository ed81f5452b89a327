import Identity
import Postgres
import Testing

@testable import Support

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
}
