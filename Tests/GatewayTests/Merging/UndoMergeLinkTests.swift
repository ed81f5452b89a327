import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// The victim's account was merged into the attacker's (``StolenAccount``), and the link that undoes the merge is in
/// the victim's mailbox.
@Suite("The link in the notice of a merge", .serialized)
struct UndoMergeLinkTests {
    struct Action: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var targetHasAddress = true
        let perform: @Sendable (StolenAccount) async throws -> Exchange
    }

    /// Actions after the merge. Those of the attacker try to make the victim's link useless.
    private static let actions = [
        Action(testDescription: "nothing") { try await $0.gateway.lookup($0.attacker.idToken) },
        Action(testDescription: "nothing, and the victim's address has moved to the target", targetHasAddress: false) {
            try await $0.gateway.lookup($0.attacker.idToken)
        },
        Action(testDescription: "a new password") {
            try await $0.gateway.update($0.attacker.idToken, ["password": "attacker's own"])
        },
        Action(testDescription: "a new password, with the victim's address", targetHasAddress: false) {
            try await $0.gateway.update($0.attacker.idToken, ["password": "attacker's own"])
        },
        Action(testDescription: "another address") {
            try await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"])
        },
        Action(testDescription: "another address instead of the victim's", targetHasAddress: false) {
            try await $0.gateway.update(
                $0.attacker.idToken, ["email": "eve@example.com", "password": "attacker's own"])
        },
        Action(testDescription: "the victim's address set on the target") {
            try await $0.gateway.update(
                $0.attacker.idToken, ["email": .string(StolenAccount.email), "password": "attacker's own"])
        },
        Action(testDescription: "another account with the victim's address") {
            try await $0.gateway.post(
                "/v1/accounts:signUp", ["email": .string(StolenAccount.email), "password": "attacker's own"])
        },
        Action(testDescription: "an end of all sessions") {
            try await $0.gateway.post(
                "/v1/accounts:revokeSession", ["idToken": .string($0.attacker.idToken), "everywhere": true])
        },
        Action(testDescription: "a password reset") {
            let code = try await $0.gateway.requestedCode("PASSWORD_RESET", ["email": .string($0.attackerEmail())])
            return try await $0.gateway.reset(code)
        },
        Action(testDescription: "a reclaim by email link") {
            _ = try await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"])
            let code = try await $0.gateway.requestedCode("EMAIL_SIGNIN", ["email": "eve@example.com"])
            return try await $0.gateway.signInWithLink("eve@example.com", code)
        },
        Action(testDescription: "a reclaim by provider") {
            _ = try await $0.gateway.update($0.attacker.idToken, ["email": "ada.lovelace@example.com"])
            return try await $0.gateway.signIn($0.gateway.apple(.ada))
        },
        Action(testDescription: "a recovery of an earlier address") {
            _ = try await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"])
            return try await $0.gateway.apply($0.gateway.code(.emailChanged))
        },
        Action(testDescription: "a disavowal") {
            let changed = try TestGateway.Tokens(
                await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"]))
            let code = try await $0.gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(changed.idToken)])
            return try await $0.gateway.submit(code, ["step": "disavow"])
        },
        Action(testDescription: "the victim's identity unlinked") { try await $0.unlink("google.com") },
        Action(testDescription: "the attacker's own identity unlinked") { try await $0.unlink("apple.com") },
        Action(testDescription: "another merge into the target") {
            try await $0.gateway.merge(
                try $0.gateway.signUpAnonymously(), by: $0.gateway.apple(StolenAccount.attackerApple))
        },
        Action(testDescription: "the target merged into a third account") { try await mergeIntoThirdAccount($0) },
        Action(testDescription: "the target merged into a third account, and back by its own link") { stolen in
            _ = try await mergeIntoThirdAccount(stolen)
            let own = try await stolen.gateway.emails(.accountsMerged).compactMap(\.content.code)
            return try await stolen.gateway.submit(try #require(own.first { $0 != stolen.code }))
        },
        Action(testDescription: "the target merged into a third account, and back by an administrator") { stolen in
            _ = try await mergeIntoThirdAccount(stolen)
            return try await stolen.gateway.undoMerge(stolen.attacker.localId)
        },
        Action(testDescription: "the target disabled by an administrator") {
            try await $0.gateway.administer(":update", ["localId": .string($0.attacker.localId), "disableUser": true])
        },
    ]

    private static func mergeIntoThirdAccount(_ stolen: StolenAccount) async throws -> Exchange {
        #expect(try await stolen.unlink("google.com").outcome == "200")
        _ = try await stolen.gateway.signIn(stolen.gateway.google(.alan))
        stolen.gateway.clock.advance(by: .seconds(1))
        return try await stolen.gateway.merge(stolen.attacker, by: stolen.gateway.google(.alan))
    }

    @Test(
        "The undo link restores the victim's account after each action of the attacker or an administrator",
        arguments: actions)
    func robust(action: Action) async throws {
        let stolen = try await StolenAccount(targetHasAddress: action.targetHasAddress)
        let gateway = stolen.gateway
        let response = try await action.perform(stolen)
        #expect(response.outcome == "200", "\(response.text)")
        gateway.clock.advance(by: .seconds(1))
        let before = try await gateway.dump()
        for _ in 0..<2 {
            let page = try await gateway.openPage(stolen.code)
            #expect(page.status == 200 && page.text.contains("Undo the merge"), "\(page.text)")
        }
        #expect(try await gateway.dump() == before)

        let undone = try await gateway.submit(stolen.code)
        #expect(undone.status == 200 && undone.text.contains(#"name="newPassword""#), "\(undone.text)")
        #expect(try await gateway.signIn(password: "attacker's own").outcome == "400 INVALID_PASSWORD")
        for exchange in [try await gateway.signIn(), try await gateway.signIn(gateway.google())] {
            #expect(exchange.json["localId"]?.string == stolen.victim.localId, "\(exchange.text)")
            let account = try await gateway.account(try #require(exchange.json["idToken"]?.string))
            #expect(account["email"]?.string == StolenAccount.email && account["emailVerified"] == true)
            #expect(account["displayName"] == "Ada")
        }
        for token in [stolen.victim.idToken, stolen.attacker.idToken] {
            let seen = try await gateway.lookup(token)
            #expect(seen.status == 400 || seen.json["users"]?[0]?["localId"]?.string == stolen.attacker.localId)
            #expect(!seen.text.contains(StolenAccount.email) && !seen.text.contains("google.com"))
        }
        let saved = try await gateway.submit(try #require(undone.formCode), ["newPassword": "the victim's own"])
        #expect(saved.text.contains("Your password has been changed"), "\(saved.text)")
        let back = try await gateway.signIn(password: "the victim's own")
        #expect(back.json["localId"]?.string == stolen.victim.localId, "\(back.text)")
    }

    @Test("The undo link works once, and writes the events of an undo with the request ID of the page")
    func once() async throws {
        let stolen = try await StolenAccount()
        let trail = try await stolen.gateway.audited { _ = try await stolen.gateway.submit(stolen.code) }
        let (victim, attacker) = (stolen.victim.localId, stolen.attacker.localId)
        #expect(
            trail.map(\.description).sorted()
                == [
                    "user account.merge-undone \(victim) target=\(attacker)",
                    "user account.merge-undone \(attacker) source=\(victim)",
                ].sorted())
        #expect(trail.allSatisfy { $0.requestID == "0" && $0.network != nil })
        let events = try await stolen.gateway.recordedEvents().outbox
        #expect(events.contains("account.merge-undone \(attacker) \(victim)"))
        let before = try await stolen.gateway.dump()
        #expect(try await stolen.gateway.submit(stolen.code).text.contains("This link does not work"))
        #expect(try await stolen.gateway.undoMerge(victim).outcome.hasPrefix("400 MERGE_NOT_FOUND"))
        #expect(try await stolen.gateway.dump() == before)
    }

    @Test("The undo link works for only one of several concurrent requests")
    func race() async throws {
        let stolen = try await StolenAccount()
        let statuses = try await concurrently(6) { _ in try await stolen.gateway.submit(stolen.code).status }
        #expect(statuses.sorted() == [200, 400, 400, 400, 400, 400])
    }

    enum End: String, CaseIterable, Sendable {
        case late = "after seven days"
        case undone = "after an administrator has undone the merge"
        case deleted = "after the deletion of the target"
        case idTaken = "after another account has got the source's ID"
    }

    @Test(
        "The undo link does nothing if it has expired, or if the merge cannot be undone any more",
        arguments: End.allCases)
    func ended(end: End) async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        switch end {
        case .late: gateway.clock.advance(by: .seconds(7 * 86_400))
        case .undone: #expect(try await gateway.undoMerge(stolen.victim.localId).outcome == "200")
        case .deleted:
            #expect(try await gateway.delete(stolen.attacker.idToken).outcome == "200")
            let emails = try await gateway.emails(.accountsMerged)
            #expect(emails.map(\.recipient) == [StolenAccount.email], "the victim still gets the notice")
        case .idTaken: try await gateway.makeAccount(["localId": .string(stolen.victim.localId)])
        }
        let before = try await gateway.dump()
        let answer = try await gateway.submit(stolen.code)
        #expect(answer.status == 400)
        #expect(answer.text.contains(end == .late ? "This link has expired" : "This link does not work"))
        #expect(try await gateway.dump() == before)
    }

    @Test("The undo link leaves the address to another account that has verified it in the meantime")
    func addressTaken() async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        let other = try await gateway.signUpVerified(password: "another secret")
        let undone = try await gateway.submit(stolen.code)
        #expect(undone.text.contains("You have your account back"), "\(undone.text)")
        #expect(undone.formCode == nil)
        #expect(try await gateway.signIn(password: "another secret").json["localId"]?.string == other.localId)
        #expect(try await gateway.lookup(other.idToken).status == 200)
        let victim = try await gateway.signIn(gateway.google())
        #expect(victim.json["localId"]?.string == stolen.victim.localId)
        let account = try await gateway.account(try #require(victim.json["idToken"]?.string))
        #expect(account["email"] == nil && account["passwordUpdatedAt"] == nil)
    }

    @Test("The undo link leaves an identity to another account that has signed up with it in the meantime")
    func identityTaken() async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        #expect(try await stolen.unlink("google.com").outcome == "200")
        let other = try TestGateway.Tokens(await gateway.signIn(gateway.google()))
        #expect(try await gateway.submit(stolen.code).formCode != nil)
        #expect(try await gateway.signIn(gateway.google()).json["localId"]?.string == other.localId)
        #expect(try await gateway.lookup(other.idToken).status == 200)
        #expect(try await gateway.signIn().json["localId"]?.string == stolen.victim.localId)
        #expect(try await gateway.lookup(stolen.attacker.idToken).status == 200, "nothing was taken from the target")
    }

    @Test("The undo link restores an identity unchanged except for the time of its linking", arguments: [true, false])
    func identityAsItWas(isUnlinked: Bool) async throws {
        let stolen = try await StolenAccount()
        func google(of account: String) async throws -> String? {
            let statement: SQL = """
                SELECT (to_jsonb(l) - 'account_id' - 'linked_at')::text AS line FROM linked_identity l
                WHERE account_id = \(account) AND provider = 'google.com'
                """
            return try await stolen.gateway.database.pool.query(statement).first?.decode("line")
        }
        let before = try #require(try await google(of: stolen.attacker.localId))
        if isUnlinked { _ = try await stolen.unlink("google.com") }
        _ = try await stolen.gateway.submit(stolen.code)
        #expect(try await google(of: stolen.victim.localId) == before)
        let linkedAt = try await stolen.gateway.database.pool.query(
            "SELECT 1 FROM linked_identity WHERE linked_at = to_timestamp(\(stolen.gateway.clock.now.seconds))")
        #expect(linkedAt.count == 1)
    }

    @Test("The undo link offers no new password if the project does not allow passwords")
    func withoutPasswords() async throws {
        let stolen = try await StolenAccount()
        _ = try await stolen.gateway.database.pool.execute(
            "UPDATE project SET policy = policy || '{\"allowsPasswords\": \"false\"}' WHERE id = 'demo'")
        let undone = try await stolen.gateway.withFreshCaches().submit(stolen.code)
        #expect(undone.text.contains("You have your account back"), "\(undone.text)")
        let codes = try await stolen.gateway.database.pool.query(
            "SELECT FROM oob_code WHERE purpose = 'PASSWORD_RESET'")
        #expect(codes.isEmpty)
    }
}
