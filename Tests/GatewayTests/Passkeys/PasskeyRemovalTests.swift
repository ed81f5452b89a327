import Encoding
import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Removal of passkeys")
struct PasskeyRemovalTests {
    @Test("The owner removes a passkey: its sessions end, other sessions continue, and the response has tokens")
    func removal() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified()
        let other = try TestGateway.Tokens(await gateway.signIn())
        var enrolled = try await gateway.enrolPasskey(ada)
        let opened = try TestGateway.Tokens(await gateway.signInWithPasskey(&enrolled.device))
        let bytes = try #require(Base64.decode(enrolled.device.id))
        let removed = try await gateway.update(
            enrolled.tokens.idToken, ["deletePasskey": [.string(Base64.encode(bytes)), "unknown", "%"]])
        let tokens = try TestGateway.Tokens(removed)
        // A list without the last passkey, so that the password manager removes it.
        let signal = try #require(removed.json["passkeySignals"]?[0], "\(removed.text)")
        #expect(signal["allAcceptedCredentialIds"] == [])
        #expect(signal["userId"]?.string == enrolled.device.userHandle.map(Base64URL.encode))
        #expect(try await gateway.passkeys(of: ada.localId) == [])
        #expect(try await gateway.lookup(opened.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.lookup(enrolled.tokens.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.lookup(other.idToken).status == 200)
        #expect(try await gateway.lookup(tokens.idToken).json["users"]?[0]?["passkeyInfo"] == nil)
        #expect(try await gateway.auditTrail().map(\.action).contains("passkey.removed"))
        #expect(try await gateway.emails(.identityUnlinked).count == 1)
        let again = try await gateway.update(tokens.idToken, ["deletePasskey": ["abcd"]])
        #expect(again.json["refreshToken"] != nil, "\(again.text)")
    }

    @Test("A user removes no passkey of another account")
    func otherAccount() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var ada = try await gateway.enrolPasskey(gateway.signUp(), name: "Ada's")
        let eve = try await gateway.signUp(email: "eve@example.com")
        let ignored = try await gateway.update(eve.idToken, ["deletePasskey": [.string(ada.device.id)]])
        #expect(ignored.status == 200, "\(ignored.text)")
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == ["Ada's"])
        #expect(try await gateway.signInWithPasskey(&ada.device).status == 200)
    }

    @Test("The last sign-in method is removed only if the request confirms it")
    func lastMethod() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.allowsAnonymous = true }
        try await gateway.makeServiceKey()
        let guest = try TestGateway.Tokens(await gateway.post("/v1/accounts:signUp"))
        let enrolled = try await gateway.enrolPasskey(guest)
        let change: [String: JSON] = ["deletePasskey": [.string(enrolled.device.id)]]
        #expect(try await gateway.update(enrolled.tokens.idToken, change).wireCode == "LAST_SIGN_IN_METHOD")
        let confirmed = try await gateway.update(
            enrolled.tokens.idToken, change.merging(["allowNoSignInMethod": true]) { $1 })
        #expect(confirmed.status == 200, "\(confirmed.text)")
    }

    @Test("A session without second factor cannot remove a passkey of an account with one")
    func stepUp() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let other = try TestGateway.Tokens(await gateway.signIn())
        let enrolled = try await gateway.enrolPasskey(ada)
        _ = try await gateway.enrol(enrolled.tokens)
        let rejected = try await gateway.update(other.idToken, ["deletePasskey": [.string(enrolled.device.id)]])
        #expect(rejected.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(rejected.text)")
    }

    @Test("An administrator removes a passkey, its sessions end, and the owner gets a notice")
    func administrator() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var ada = try await gateway.enrolPasskey(gateway.signUpVerified())
        let opened = try TestGateway.Tokens(await gateway.signInWithPasskey(&ada.device))
        let removed = try await gateway.administerAccounts(
            ":update", ["localId": .string(ada.tokens.localId), "deletePasskey": [.string(ada.device.id)]])
        #expect(removed.isSuccess, "\(removed.text)")
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == [])
        #expect(try await gateway.lookup(opened.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.lookup(ada.tokens.idToken).status == 200)
        #expect(try await gateway.emails(.identityUnlinked).count == 1)
    }

    @Test("The link in the notice removes the passkey and ends all sessions, and keeps earlier passkeys")
    func removalLink() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified(), name: "Mine")
        gateway.clock.advance(by: .seconds(1))
        let eve = try await gateway.enrolPasskey(TestGateway.Tokens(await gateway.signIn()), name: "Intruder")
        let code = try await gateway.latestCode(.identityLinked)
        let page = try await gateway.openActionPage(code)
        #expect(page.text.contains("Passkey"), "\(page.text)")
        _ = try await gateway.submitActionPage(code)
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == ["Mine"])
        #expect(try await gateway.lookup(eve.tokens.idToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test("The link that restores an address removes passkeys that were added since")
    func recovery() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified(), name: "Mine")
        gateway.clock.advance(by: .seconds(1))
        let changed = try await gateway.update(ada.tokens.idToken, ["email": "eve@example.com"])
        let session = try TestGateway.Tokens(changed)
        gateway.clock.advance(by: .seconds(1))
        _ = try await gateway.enrolPasskey(session, name: "Intruder")
        let notice = try await gateway.emails(.emailChanged).last
        _ = try await gateway.submitActionPage(try #require(notice?.content.code))
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == ["Mine"])
    }

    @Test("Whoever proves an address that was never verified gets the account without its creator's passkeys")
    func reclaim() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var eve = try await gateway.enrolPasskey(gateway.signUp())
        let opened = try TestGateway.Tokens(await gateway.signInWithPasskey(&eve.device))
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(reset).status == 200)
        #expect(try await gateway.passkeys(of: eve.tokens.localId) == [])
        #expect(try await gateway.lookup(opened.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signInWithPasskey(&eve.device).wireCode == "PASSKEY_ENROLLMENT_NOT_FOUND")
    }

    @Test("A provider's proof of an address that was never verified removes its creator's passkeys")
    func federatedReclaim() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        try await gateway.makeServiceKey()
        let address = try #require(SimulatedPerson.ada.email)
        let eve = try await gateway.enrolPasskey(gateway.signUp(email: address, password: "known to the attacker"))
        let owner = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential(.ada)))
        #expect(owner.localId == eve.tokens.localId)
        #expect(try await gateway.passkeys(of: owner.localId) == [])
        #expect(try await gateway.lookup(eve.tokens.idToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test(
        "A reclaim of an account without password removes additions of any date, and reports no removed password",
        arguments: ["email link", "provider"])
    func reclaimWithoutPassword(proof: String) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        try await gateway.makeServiceKey()
        let address = try #require(SimulatedPerson.ada.email)
        var device = try TestPasskey()
        let response = try device.register(await gateway.post("/v2/accounts/passkeySignUp:start", [:]))
        let eve = try TestGateway.Tokens(
            await gateway.post(
                "/v2/accounts/passkeySignUp:finalize",
                ["authenticatorRegistrationResponse": response, "email": .string(address)]))
        let linked = try await gateway.link(gateway.googleCredential(.alan), to: eve.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        // As after an import.
        for statement: SQL in [
            "UPDATE passkey SET created_at = '1900-01-01', added_at = '1900-01-01'",
            "UPDATE linked_identity SET linked_at = '1900-01-01'",
        ] { _ = try await gateway.database.pool.execute(statement) }
        let events = try await gateway.newAuditEvents {
            if proof == "provider" {
                let owner = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential(.ada)))
                #expect(owner.localId == eve.localId)
            } else {
                let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": .string(address)])
                let owner = try TestGateway.Tokens(await gateway.signInWithEmailLink(address, code))
                #expect(owner.localId == eve.localId)
            }
        }
        #expect(try await gateway.passkeys(of: eve.localId) == [])
        let providers = try await gateway.identities(of: eve.localId).compactMap { $0["providerId"]?.string }
        #expect(providers == (proof == "provider" ? ["apple.com"] : []))
        let actions = events.map(\.action)
        #expect(actions.contains("account.reclaimed") && actions.contains("passkey.removed"), "\(actions)")
        #expect(actions.contains("identity.unlinked") && !actions.contains("password.removed"), "\(actions)")
        #expect(try await gateway.emails(.passwordChanged).isEmpty)
    }

    @Test("The owner of a mailbox who disavows an account ends the sessions of its passkeys")
    func disavowal() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var eve = try await gateway.enrolPasskey(gateway.signUp())
        let opened = try TestGateway.Tokens(await gateway.signInWithPasskey(&eve.device))
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(opened.idToken)])
        _ = try await gateway.submitActionPage(code, ["step": "disavow"])
        #expect(try await gateway.passkeys(of: eve.tokens.localId) == [])
        #expect(try await gateway.lookup(opened.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signInWithPasskey(&eve.device).wireCode == "PASSKEY_ENROLLMENT_NOT_FOUND")
    }

    @Test("A reset on a verified address keeps passkeys, unless the policy removes what was linked")
    func reset() async throws {
        for removes in [false, true] {
            let gateway = try await TestGateway {
                $0.emailEnumerationProtection = false
                $0.resetUnlinksIdentities = removes
            }
            try await gateway.makeServiceKey()
            let ada = try await gateway.enrolPasskey(gateway.signUpVerified())
            let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
            #expect(try await gateway.resetPassword(reset).status == 200)
            #expect(try await gateway.passkeys(of: ada.tokens.localId).isEmpty == removes)
        }
    }

    @Test("A reset that keeps a passkey keeps the link that removes it")
    func removalLinkAfterReset() async throws {
        let gateway = try await TestGateway {
            $0.emailEnumerationProtection = false
            $0.resetUnlinksIdentities = false
        }
        try await gateway.makeServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified())
        let link = try await gateway.latestCode(.identityLinked)
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(reset).status == 200)
        _ = try await gateway.submitActionPage(link)
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == [])
    }

    @Test("A merge moves passkeys with their handles, and its undo returns them")
    func merge() async throws {
        let gateway = try await TestGateway.withServiceKey()
        var ada = try await gateway.enrolPasskey(gateway.signUpVerified(), name: "Ada's")
        var grace = try await gateway.enrolPasskey(gateway.signUpVerified(email: "grace@example.com"), name: "Grace's")
        gateway.clock.advance(by: .seconds(8 * 86_400))
        let (source, target) = (
            try TestGateway.Tokens(await gateway.signInWithPasskey(&ada.device)),
            try TestGateway.Tokens(await gateway.signInWithPasskey(&grace.device))
        )
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "targetIdToken": .string(target.idToken), "dryRun": true])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.json["idToken"] != nil, "\(merged.text)")
        #expect(try await gateway.passkeys(of: target.localId) == ["Grace's", "Ada's"])
        gateway.clock.advance(by: .seconds(1))
        let signedIn = try await gateway.signInWithPasskey(&ada.device)
        #expect(signedIn.json["localId"]?.string == target.localId)
        // A password manager has one entry for each user handle, and removes what the list of its handle does not name.
        let signals = (signedIn.json["passkeySignals"]?.elements ?? []).map { $0["allAcceptedCredentialIds"] }
        #expect(signals == [[.string(grace.device.id)], [.string(ada.device.id)]])
        let notice = try await gateway.emails(.accountsMerged).last { $0.content.code != nil }
        _ = try await gateway.submitActionPage(try #require(notice?.content.code))
        #expect(try await gateway.passkeys(of: source.localId) == ["Ada's"])
        #expect(try await gateway.passkeys(of: target.localId) == ["Grace's"])
        #expect(try await gateway.signInWithPasskey(&ada.device).json["localId"]?.string == source.localId)
        #expect(try await gateway.signInWithPasskey(&grace.device).json["localId"]?.string == target.localId)
    }

    @Test("Accounts with more than 20 passkeys together are not merged")
    func mergeLimit() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified())
        let grace = try await gateway.enrolPasskey(gateway.signUpVerified(email: "grace@example.com"))
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO passkey SELECT p.realm_id, p.rp_id, p.credential_id || n, p.account_id, p.user_handle,
                p.public_key, p.algorithm, p.sign_count, p.backup_eligible, p.backed_up, p.transports, p.aaguid, p.name,
                p.created_at, p.added_at, p.last_used_at
            FROM passkey p, generate_series(1, 19) n WHERE p.account_id = \(ada.tokens.localId)
            """)
        _ = try await gateway.database.pool.execute(
            "UPDATE account SET passkey_count = 20 WHERE id = \(ada.tokens.localId)")
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(ada.tokens.idToken), "targetIdToken": .string(grace.tokens.idToken), "dryRun": true,
            ])
        #expect(preview.wireCode == "PASSKEY_LIMIT_EXCEEDED", "\(preview.text)")
    }

    @Test("The link that undoes a merge removes a passkey whose removal link the merge has deleted")
    func mergeOfIntruder() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        let stolen = try await gateway.enrolPasskey(TestGateway.Tokens(await gateway.signIn()))
        let eve = try await gateway.signUp(email: "eve@example.com")
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(stolen.tokens.idToken), "targetIdToken": .string(eve.idToken), "dryRun": true])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(stolen.tokens.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.json["idToken"] != nil, "\(merged.text)")
        let notice = try await gateway.emails(.accountsMerged).last { $0.content.code != nil }
        _ = try await gateway.submitActionPage(try #require(notice?.content.code))
        #expect(try await gateway.passkeys(of: ada.localId) == [])
        #expect(try await gateway.passkeys(of: eve.localId) == [])
    }

    @Test("An administrator's undo of a merge keeps a passkey that was enrolled later with the ID of a moved one")
    func enrolledAgain() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified(), name: "Ada's")
        let grace = try await gateway.signUpVerified(email: "grace@example.com")
        gateway.clock.advance(by: .seconds(8 * 86_400))
        let merged = try await gateway.mergeAsAdmin(ada.tokens.localId, into: grace.localId)
        #expect(merged.status == 200, "\(merged.text)")
        gateway.clock.advance(by: .seconds(1))
        let enrolledAt = Timestamp(microsecondsSinceEpoch: gateway.clock.now.microseconds)
        _ = try await gateway.database.pool.execute("UPDATE passkey SET created_at = \(enrolledAt), name = 'Later'")
        let undone = try await gateway.undoMergeAsAdmin(ada.tokens.localId)
        #expect(undone.status == 200, "\(undone.text)")
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == [])
        #expect(try await gateway.passkeys(of: grace.localId) == ["Later"])
    }

    @Test("If the owner disowns an identity while confirming the address, passkeys and the number are removed too")
    func disownedIdentity() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        let linked = try TestGateway.Tokens(
            await gateway.signIn(gateway.googleCredential(), ["idToken": .string(ada.idToken)]))
        let enrolled = try await gateway.enrolPasskey(linked)
        try await gateway.setPhoneNumber("+15555550100", of: ada.localId, provenAt: gateway.clock.now)
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(enrolled.tokens.idToken)])
        _ = try await gateway.submitActionPage(code, ["remove.google.com": "true"])
        let account = try await gateway.accountSeenByAdmin(ada.localId)
        #expect(account["passkeyInfo"] == nil)
        #expect(account["phoneNumber"] == nil)
        #expect(try await gateway.lookup(enrolled.tokens.idToken).outcome == "400 TOKEN_EXPIRED")
    }

    /// Merges the account of `source` into that of `target`.
    private func merge(
        _ source: String, into target: String, in gateway: TestGateway
    ) async throws -> TestGateway.Tokens {
        let preview = try await gateway.post(
            "/v1/accounts:merge", ["idToken": .string(source), "targetIdToken": .string(target), "dryRun": true])
        return try TestGateway.Tokens(
            await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(source), "mergeToken": preview.json["mergeToken"] ?? .null]))
    }

    @Test("The link that undoes a merge removes an old passkey that an earlier merge has brought into the account")
    func mergeOfOldPasskey() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified(), name: "Mine")
        var bad = try await gateway.enrolPasskey(gateway.signUp(email: "mallory@example.com"), name: "Bad")
        gateway.clock.advance(by: .seconds(8 * 86_400))
        let mallory = try TestGateway.Tokens(await gateway.signInWithPasskey(&bad.device))
        let stolen = try TestGateway.Tokens(await gateway.signIn())
        let merged = try await merge(mallory.idToken, into: stolen.idToken, in: gateway)
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == ["Mine", "Bad"])
        let eve = try await gateway.signUp(email: "eve@example.com")
        _ = try await merge(merged.idToken, into: eve.idToken, in: gateway)
        let notice = try await gateway.emails(.accountsMerged).last { $0.content.code != nil }
        _ = try await gateway.submitActionPage(try #require(notice?.content.code))
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == ["Mine"])
        #expect(try await gateway.signInWithPasskey(&bad.device).json["idToken"] == nil)
    }

    @Test(
        "The link that undoes a merge returns a password only if it was set seven days before the merge",
        arguments: [(6, false), (8, true)])
    func passwordOfIntruder(days: Int, returns: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.update(ada.idToken, ["password": "the second one"]).status == 200)
        gateway.clock.advance(by: .seconds(days * 86_400))
        let stolen = try TestGateway.Tokens(await gateway.signIn(password: "the second one"))
        let eve = try await gateway.signUp(email: "eve@example.com")
        _ = try await merge(stolen.idToken, into: eve.idToken, in: gateway)
        let notice = try await gateway.emails(.accountsMerged).last { $0.content.code != nil }
        _ = try await gateway.submitActionPage(try #require(notice?.content.code))
        let signedIn = try await gateway.signIn(password: "the second one")
        #expect((signedIn.json["localId"]?.string == ada.localId) == returns, "\(signedIn.text)")
    }

    @Test("A merge announces the passkey that it brings with a link that removes it, and keeps the owner's passkey")
    func broughtByMerge() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified(), name: "Ada's")
        let eve = try await gateway.enrolPasskey(gateway.signUp(email: "eve@example.com"), name: "Eve's")
        gateway.clock.advance(by: .seconds(1))
        let stolen = try TestGateway.Tokens(await gateway.signIn())
        let merged = try await merge(eve.tokens.idToken, into: stolen.idToken, in: gateway)
        #expect(merged.localId == ada.tokens.localId)
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == ["Ada's", "Eve's"])
        let notices = try await gateway.emails(.accountsMerged).filter { $0.recipient == "ada@example.com" }
        #expect(notices.count == 1)
        let removal = try #require(notices.first?.content.removals?.first)
        _ = try await gateway.submitActionPage(removal.code)
        #expect(try await gateway.passkeys(of: ada.tokens.localId) == ["Ada's"])
    }

    @Test("A deleted account leaves no passkey")
    func deletion() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUp())
        #expect(try await gateway.delete(ada.tokens.idToken).status == 200)
        #expect(try await gateway.database.pool.query("SELECT FROM passkey").isEmpty)
    }

}
