import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// The victim's account was merged into the attacker's, which is called the target (``StolenAccount``). The link that
/// undoes the merge is in the victim's mailbox.
@Suite("The link in the notice of a merge", .serialized)
struct UndoMergeLinkTests {
    struct Action: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Whether the target has an address before the merge; otherwise, the merge gives it the victim's address.
        var targetHasAddress = true
        let perform: @Sendable (StolenAccount) async throws -> Exchange
    }

    /// Actions after the merge. The attacker's actions try to make the victim's link useless.
    private static let actions = [
        Action(testDescription: "nothing") { try await $0.gateway.lookup($0.attacker.idToken) },
        Action(testDescription: "nothing, and the victim's address has moved to the target", targetHasAddress: false) {
            try await $0.gateway.lookup($0.attacker.idToken)
        },
        Action(testDescription: "a new password of the target") {
            try await $0.gateway.update($0.attacker.idToken, ["password": "attacker's own"])
        },
        Action(testDescription: "a new password of the target, which has the victim's address", targetHasAddress: false)
        {
            try await $0.gateway.update($0.attacker.idToken, ["password": "attacker's own"])
        },
        Action(testDescription: "another address of the target") {
            try await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"])
        },
        Action(
            testDescription: "another address of the target instead of the victim's address", targetHasAddress: false
        ) {
            try await $0.gateway.update(
                $0.attacker.idToken, ["email": "eve@example.com", "password": "attacker's own"])
        },
        Action(testDescription: "the victim's address set as the target's address") {
            try await $0.gateway.update(
                $0.attacker.idToken, ["email": .string(StolenAccount.email), "password": "attacker's own"])
        },
        Action(testDescription: "another account with the victim's address") {
            try await $0.gateway.post(
                "/v1/accounts:signUp", ["email": .string(StolenAccount.email), "password": "attacker's own"])
        },
        Action(testDescription: "the end of the target's sessions") {
            try await $0.gateway.post(
                "/v1/accounts:revokeSession", ["idToken": .string($0.attacker.idToken), "everywhere": true])
        },
        Action(testDescription: "a password reset of the target") {
            let code = try await $0.gateway.requestedCode("PASSWORD_RESET", ["email": .string($0.attackerEmail())])
            return try await $0.gateway.resetPassword(code)
        },
        Action(testDescription: "a reclaim of the target by email link: its unverified address is proved") {
            _ = try await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"])
            let code = try await $0.gateway.requestedCode("EMAIL_SIGNIN", ["email": "eve@example.com"])
            return try await $0.gateway.signInWithEmailLink("eve@example.com", code)
        },
        Action(testDescription: "a reclaim of the target by a provider: its unverified address is proved") {
            _ = try await $0.gateway.update($0.attacker.idToken, ["email": "ada.lovelace@example.com"])
            return try await $0.gateway.signIn($0.gateway.appleCredential(.ada))
        },
        Action(testDescription: "a recovery of the target's earlier address") {
            _ = try await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"])
            return try await $0.gateway.applyCode($0.gateway.latestCode(.emailChanged))
        },
        Action(testDescription: "a disavowal of the target's new address by the owner of the mailbox") {
            let changed = try TestGateway.Tokens(
                await $0.gateway.update($0.attacker.idToken, ["email": "eve@example.com"]))
            let code = try await $0.gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(changed.idToken)])
            return try await $0.gateway.submitActionPage(code, ["step": "disavow"])
        },
        Action(testDescription: "the victim's identity unlinked") { try await $0.unlink("google.com") },
        Action(testDescription: "the attacker's own identity unlinked") { try await $0.unlink("apple.com") },
        Action(testDescription: "another merge into the target") {
            try await $0.gateway.merge(
                try $0.gateway.signUpAnonymously(),
                intoAccountOf: $0.gateway.appleCredential(StolenAccount.attackerApple))
        },
        Action(testDescription: "the target merged into a third account") { try await mergeIntoThirdAccount($0) },
        Action(testDescription: "the target merged into a third account, and that merge undone by its own link") {
            stolen in
            _ = try await mergeIntoThirdAccount(stolen)
            let codes = try await stolen.gateway.emails(.accountsMerged).compactMap(\.content.code)
            return try await stolen.gateway.submitActionPage(try #require(codes.first { $0 != stolen.mergeNoticeCode }))
        },
        Action(testDescription: "the target merged into a third account, and that merge undone by an administrator") {
            stolen in
            _ = try await mergeIntoThirdAccount(stolen)
            return try await stolen.gateway.undoMergeAsAdmin(stolen.attacker.localId)
        },
        Action(testDescription: "the target disabled by an administrator") {
            try await $0.gateway.administerAccounts(
                ":update", ["localId": .string($0.attacker.localId), "disableUser": true])
        },
    ]

    private static func mergeIntoThirdAccount(_ stolen: StolenAccount) async throws -> Exchange {
        #expect(try await stolen.unlink("google.com").outcome == "200")
        _ = try await stolen.gateway.signIn(stolen.gateway.googleCredential(.alan))
        stolen.gateway.clock.advance(by: .seconds(1))
        return try await stolen.gateway.merge(stolen.attacker, intoAccountOf: stolen.gateway.googleCredential(.alan))
    }

    @Test(
        "The undo link restores the victim's account after each action of the attacker or an administrator",
        arguments: actions)
    func robust(action: Action) async throws {
        let stolen = try await StolenAccount(targetHasAddress: action.targetHasAddress)
        let gateway = stolen.gateway
        let response = try await action.perform(stolen)
        #expect(response.isSuccess, "\(response.text)")
        gateway.clock.advance(by: .seconds(1))
        let before = try await gateway.databaseDump()
        for _ in 0..<2 {
            let page = try await gateway.openActionPage(stolen.mergeNoticeCode)
            #expect(page.status == 200 && page.text.contains("Undo the merge"), "\(page.text)")
        }
        #expect(try await gateway.databaseDump() == before)

        let passwordPage = try await gateway.submitActionPage(stolen.mergeNoticeCode)
        #expect(
            passwordPage.status == 200 && passwordPage.text.contains(#"name="newPassword""#), "\(passwordPage.text)")
        #expect(try await gateway.signIn(password: "attacker's own").outcome == "400 INVALID_PASSWORD")
        for exchange in [try await gateway.signIn(), try await gateway.signIn(gateway.googleCredential())] {
            #expect(exchange.json["localId"]?.string == stolen.victim.localId, "\(exchange.text)")
            let account = try await gateway.accountSeenByUser(try #require(exchange.json["idToken"]?.string))
            #expect(account["email"]?.string == StolenAccount.email && account["emailVerified"] == true)
            #expect(account["displayName"] == "Ada")
        }
        for token in [stolen.victim.idToken, stolen.attacker.idToken] {
            let seen = try await gateway.lookup(token)
            #expect(seen.status == 400 || seen.json["users"]?[0]?["localId"]?.string == stolen.attacker.localId)
            #expect(!seen.text.contains(StolenAccount.email) && !seen.text.contains("google.com"))
        }
        let saved = try await gateway.submitActionPage(
            passwordPage.requiredFormCode(), ["newPassword": "the victim's own"])
        #expect(saved.text.contains("Your password has been changed"), "\(saved.text)")
        let back = try await gateway.signIn(password: "the victim's own")
        #expect(back.json["localId"]?.string == stolen.victim.localId, "\(back.text)")
    }

    @Test("The undo link works once, and its audit events have the request ID of the form")
    func singleUse() async throws {
        let stolen = try await StolenAccount()
        let trail = try await stolen.gateway.newAuditEvents {
            _ = try await stolen.gateway.submitActionPage(stolen.mergeNoticeCode)
        }
        let (victim, attacker) = (stolen.victim.localId, stolen.attacker.localId)
        #expect(
            trail.map(\.description).sorted()
                == [
                    "user account.mergeUndone \(victim) target=\(attacker)",
                    "user account.mergeUndone \(attacker) source=\(victim)",
                ].sorted())
        #expect(trail.allSatisfy { $0.requestID == "0" && $0.network != nil })
        let events = try await stolen.gateway.recordedEvents().outbox
        #expect(events.contains("account.mergeUndone \(attacker) \(victim)"))
        let before = try await stolen.gateway.databaseDump()
        #expect(
            try await stolen.gateway.submitActionPage(stolen.mergeNoticeCode).text.contains("This link does not work"))
        #expect(try await stolen.gateway.undoMergeAsAdmin(victim).outcome.hasPrefix("400 MERGE_NOT_FOUND"))
        #expect(try await stolen.gateway.databaseDump() == before)
    }

    @Test("The undo link works for only one of several concurrent requests")
    func race() async throws {
        let stolen = try await StolenAccount()
        let statuses = try await concurrently(6) { _ in
            try await stolen.gateway.submitActionPage(stolen.mergeNoticeCode).status
        }
        #expect(statuses.sorted() == [200, 400, 400, 400, 400, 400])
    }

    /// Events after which the undo link does nothing.
    enum Ending: String, CaseIterable, Sendable {
        case expired = "after seven days"
        case undone = "after an administrator has undone the merge"
        case deleted = "after the deletion of the target"
        case idTaken = "after another account has got the source's ID"
    }

    @Test(
        "The undo link does nothing if it has expired, or if the merge cannot be undone any more",
        arguments: Ending.allCases)
    func ended(ending: Ending) async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        switch ending {
        case .expired: gateway.clock.advance(by: .seconds(7 * 86_400))
        case .undone: #expect(try await gateway.undoMergeAsAdmin(stolen.victim.localId).outcome == "200")
        case .deleted:
            #expect(try await gateway.delete(stolen.attacker.idToken).outcome == "200")
            let emails = try await gateway.emails(.accountsMerged)
            #expect(emails.map(\.recipient) == [StolenAccount.email], "the notice to the victim is still queued")
        case .idTaken: try await gateway.makeAccount(["localId": .string(stolen.victim.localId)])
        }
        let before = try await gateway.databaseDump()
        let answer = try await gateway.submitActionPage(stolen.mergeNoticeCode)
        #expect(answer.status == 400)
        #expect(answer.text.contains(ending == .expired ? "This link has expired" : "This link does not work"))
        #expect(try await gateway.databaseDump() == before)
    }

    @Test("The undo link leaves the address to another account that has verified it in the meantime")
    func addressTaken() async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        let other = try await gateway.signUpVerified(password: "another secret")
        let undone = try await gateway.submitActionPage(stolen.mergeNoticeCode)
        #expect(undone.text.contains("You have your account back"), "\(undone.text)")
        #expect(undone.formCode == nil)
        #expect(try await gateway.signIn(password: "another secret").json["localId"]?.string == other.localId)
        #expect(try await gateway.lookup(other.idToken).status == 200)
        let victim = try await gateway.signIn(gateway.googleCredential())
        #expect(victim.json["localId"]?.string == stolen.victim.localId)
        let account = try await gateway.accountSeenByUser(try #require(victim.json["idToken"]?.string))
        #expect(account["email"] == nil && account["passwordUpdatedAt"] == nil)
    }

    @Test("The undo link leaves an identity to another account that has signed up with it in the meantime")
    func identityTaken() async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        #expect(try await stolen.unlink("google.com").outcome == "200")
        let other = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential()))
        #expect(try await gateway.submitActionPage(stolen.mergeNoticeCode).formCode != nil)
        #expect(try await gateway.signIn(gateway.googleCredential()).json["localId"]?.string == other.localId)
        #expect(try await gateway.lookup(other.idToken).status == 200)
        #expect(try await gateway.signIn().json["localId"]?.string == stolen.victim.localId)
        #expect(try await gateway.lookup(stolen.attacker.idToken).status == 200, "nothing was taken from the target")
    }

    @Test("The undo link restores an identity, unchanged except for the time of its linking", arguments: [true, false])
    func restoredIdentity(isUnlinked: Bool) async throws {
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
        _ = try await stolen.gateway.submitActionPage(stolen.mergeNoticeCode)
        #expect(try await google(of: stolen.victim.localId) == before)
        let linkedAt = try await stolen.gateway.database.pool.query(
            "SELECT 1 FROM linked_identity WHERE linked_at = to_timestamp(\(stolen.gateway.clock.now.seconds))")
        #expect(linkedAt.count == 1)
    }

    @Test("The undo link does not ask for a new password if the project does not allow passwords")
    func withoutPasswords() async throws {
        let stolen = try await StolenAccount()
        _ = try await stolen.gateway.database.pool.execute(
            "UPDATE realm SET policy = policy || '{\"allowsPasswords\": \"false\"}' WHERE id = 'demo'")
        let undone = try await stolen.gateway.withFreshCaches().submitActionPage(stolen.mergeNoticeCode)
        #expect(undone.text.contains("You have your account back"), "\(undone.text)")
        let codes = try await stolen.gateway.database.pool.query(
            "SELECT FROM oob_code WHERE purpose = 'PASSWORD_RESET'")
        #expect(codes.isEmpty)
    }
}
