import Encoding
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("The export of an account")
struct AccountExportTests {
    private static let members: Set<String> = [
        "exportedAt", "user", "identities", "sessions", "activity", "emails", "textMessages", "appleAuthorizations",
        "appTransactions", "merges", "knownNetworks", "truncated",
    ]

    @Test("The export contains the profile, identities, sessions, activity, emails, and what Apple reports")
    func content() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let guest = try await gateway.signUpAnonymously()
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.update(ada.idToken, ["displayName": "Countess"])
        let linked = try await gateway.link(gateway.appleCredentialWithCode(), to: ada.idToken)
        try await gateway.processDueAppleGrants()
        let passkey = try await gateway.enrolPasskey(TestGateway.Tokens(linked), name: "Notebook").tokens
        let merged = try await gateway.merge(guest, intoAccountOf: gateway.appleCredential())
        #expect(merged.status == 200, "\(merged.text)")

        let export = try await gateway.export(passkey.idToken)
        #expect(export.status == 200, "\(export.text)")
        #expect(export.json.keys == Self.members)
        let user = export.json["user"]
        #expect(user?["localId"]?.string == ada.localId)
        #expect(user?["displayName"]?.string == "Countess")
        #expect(user?["passkeyInfo"]?[0]?["name"]?.string == "Notebook")
        #expect(export.json["identities"]?[0]?["providerId"]?.string == "apple.com")
        #expect(export.json["appleAuthorizations"]?[0]?["state"]?.string == "AUTHORIZED")
        #expect(export.json["merges"]?[0]?["sourceLocalId"]?.string == guest.localId)
        #expect(export.list("knownNetworks").count == 1)
        #expect(export.list("sessions").contains { $0["current"] == true })
        let actions = Set(export.list("activity").compactMap { $0["action"]?.string })
        #expect(actions.isSuperset(of: ["email.verified", "identity.linked", "passkey.added", "account.merged"]))
        let kinds = export.list("emails").compactMap { $0["kind"]?.string }
        #expect(kinds.contains("notice.identity-linked"), "\(kinds)")
    }

    @Test("The export contains no hash, no key, no code and no token")
    func secrets() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        _ = try await gateway.generateRecoveryCodes(ada.idToken)
        _ = try await gateway.sendOobCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let rows = try await gateway.database.pool.query(
            """
            SELECT password_hash AS secret FROM account WHERE password_hash IS NOT NULL
            UNION ALL SELECT encode(hash, 'hex') FROM oob_code
            UNION ALL SELECT encode(secret, 'base64') FROM second_factor
            UNION ALL SELECT encode(hash, 'base64') FROM recovery_code
            UNION ALL SELECT encode(content, 'base64') FROM outgoing_email
            """)
        let secrets = try rows.map { try $0.decode("secret", as: String.self) }
        #expect(secrets.count > 12)
        let codes = try await gateway.emails().compactMap(\.content.code)
        let export = try await gateway.export(ada.idToken)
        #expect(export.status == 200, "\(export.text)")
        for secret in secrets + codes + [ada.idToken, ada.refreshToken] {
            #expect(!export.text.contains(secret), "\(secret)")
        }
    }

    @Test("The export needs a recent login, and with second factors a login with one")
    func recentLogin() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let enrolled = try await gateway.enrol(ada)
        #expect(try await gateway.export(enrolled.idToken).status == 200)
        gateway.clock.advance(by: .seconds(301))
        #expect(try await gateway.export(enrolled.idToken).wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        let guest = try await gateway.signUpAnonymously()
        gateway.clock.advance(by: .seconds(301))
        #expect(try await gateway.export(guest.idToken).status == 200)
    }

    @Test("An export is audited and announced, and the fourth of a day is rejected")
    func limit() async throws {
        let gateway = try await TestGateway(limitsRates: true)
        let ada = try await gateway.signUpVerified()
        var statuses: [Int] = []
        let events = try await gateway.newAuditEvents {
            for _ in 1...4 { statuses.append(try await gateway.export(ada.idToken).status) }
        }
        #expect(statuses == [200, 200, 200, 400])
        #expect(try await gateway.export(ada.idToken).outcome == LimitedGateway.tooManyAttempts)
        #expect(
            events.map(\.description) == Array(repeating: "user account.exported \(ada.localId)", count: 3))
        let notices = try await gateway.emails(.accountExported)
        #expect(notices.map(\.recipient) == Array(repeating: "ada@example.com", count: 3))
        let eve = try await gateway.signUpVerified(email: "eve@example.com")
        #expect(try await gateway.export(eve.idToken).status == 200)
    }

    @Test("The export has no data of another account")
    func otherAccounts() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let eve = try await gateway.signUpVerified(email: "eve@example.com")
        let export = try await gateway.export(ada.idToken)
        #expect(!export.text.contains("eve@example.com"))
        #expect(!export.text.contains(eve.localId))
    }

    @Test("An address that the account has lost is not exported, because it may be another person's")
    func formerAddress() async throws {
        let gateway = try await TestGateway()
        var tokens = try await gateway.signUpVerified(email: "first@example.com")
        for address in ["second@example.com", "third@example.com"] {
            gateway.clock.advance(by: .seconds(1))
            tokens = try TestGateway.Tokens(await gateway.update(tokens.idToken, ["email": .string(address)]))
            let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(tokens.idToken)])
            #expect(try await gateway.applyCode(code).status == 200)
        }
        let export = try await gateway.export(tokens.idToken)
        let changed = export.list("emails").filter { $0["kind"] == "notice.email-changed" }
        #expect(changed.map { $0["recipient"]?.string } == [nil, "first@example.com"])
        #expect(!export.text.contains("second@example.com"))
    }

    @Test("The user sees that an operator changed the account, but not with which key")
    func operatorsKey() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.administerAccounts(
            ":update", ["localId": .string(ada.localId), "displayName": "Countess"])
        let updated = try await gateway.export(ada.idToken).list("activity").filter {
            $0["action"] == "account.updated"
        }
        #expect(updated.map { $0["actor"]?.string } == ["operator"])
        #expect(updated.first?["network"] == nil)
    }
}

extension TestGateway {
    func export(_ idToken: String) async throws -> Exchange {
        try await post("/v1/accounts:export", ["idToken": .string(idToken)])
    }
}

extension Exchange {
    fileprivate func list(_ member: String) -> [JSON] { json[member]?.elements ?? [] }
}
