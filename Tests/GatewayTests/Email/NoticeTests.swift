import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Notices to the owner of an account")
struct NoticeTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: [OutgoingEmail.Kind]
        let change: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Void
    }

    private static let person = SimulatedPerson.named("Ada", "Lovelace")

    private static let rows = [
        Row(testDescription: "a new password", expected: [.passwordChanged]) {
            _ = try await $0.update($1.idToken, ["password": "chosen now"])
        },
        Row(testDescription: "a new address", expected: [.emailChanged]) {
            _ = try await $0.update($1.idToken, ["email": "b@example.com"])
        },
        Row(testDescription: "an identity linked, then unlinked", expected: [.identityLinked, .identityUnlinked]) {
            _ = try await $0.link($0.googleCredential(person), to: $1.idToken)
            $0.clock.advance(by: .seconds(1))
            _ = try await $0.post(
                "/v1/accounts:unlink", ["idToken": .string($1.idToken), "deleteProvider": ["google.com"]])
        },
        Row(testDescription: "the deletion", expected: [.accountDeleted]) { _ = try await $0.delete($1.idToken) },
        Row(testDescription: "a new name", expected: []) {
            _ = try await $0.update($1.idToken, ["displayName": "Countess"])
        },
    ]

    private static let reset = Row(testDescription: "a password reset", expected: [.passwordChanged]) { gateway, _ in
        _ = try await gateway.resetPassword(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
    }

    @Test(
        "Changes of credentials and the deletion send notices to the account's verified address",
        arguments: rows + [reset])
    func notices(row: Row) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        try await row.change(gateway, ada)
        let notices = try await gateway.notices()
        #expect(notices.map(\.kind) == row.expected)
        #expect(notices.allSatisfy { $0.recipient == "ada@example.com" })
    }

    @Test("In profile `firebase`, notices are not sent to an unverified address", arguments: rows)
    func unverifiedAddress(row: Row) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        try await row.change(gateway, ada)
        #expect(try await gateway.notices().isEmpty)
    }

    @Test("A notice to an address that nobody has verified has no link and no code", arguments: rows)
    func unprovenAddress(row: Row) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let ada = try await gateway.signUp(password: "known to ada")
        try await row.change(gateway, ada)
        let notices = try await gateway.notices()
        #expect(notices.map(\.kind) == row.expected)
        #expect(notices.allSatisfy { $0.recipient == "ada@example.com" && $0.content.code == nil })
        #expect(try await gateway.database.pool.query("SELECT FROM oob_code").isEmpty)
    }

    @Test("An address that nobody has verified gets one notice of each kind per day, from the project and its tenants")
    func limit() async throws {
        let fixture = try await TenantFixture(TestGateway(.sekisho) { $0.emailEnumerationProtection = false })
        let gateway = fixture.gateway
        let tenant = try await fixture.makeTenant()
        var idTokens = [
            try await gateway.signUp(password: "known to eve").idToken,
            try await fixture.signUp(in: tenant, password: "known to eve").idToken,
        ]
        for _ in 1...2 {
            for _ in 1...3 {
                for index in idTokens.indices {
                    let changed = try await fixture.callAsClient(
                        "update", in: index == 0 ? nil : tenant,
                        ["idToken": .string(idTokens[index]), "password": "chosen now"])
                    idTokens[index] = try TestGateway.Tokens(changed).idToken
                    gateway.clock.advance(by: .seconds(60))
                }
                #expect(try await gateway.notices().map(\.kind) == [.passwordChanged])
            }
            gateway.clock.advance(by: .seconds(86_400))
            _ = try await gateway.database.pool.execute("DELETE FROM outgoing_email")
            for (index, realm) in [nil, tenant].enumerated() {
                idTokens[index] = try TestGateway.Tokens(
                    await fixture.signIn(in: realm, password: "chosen now")
                ).idToken
            }
        }
    }

    /// The account was created with Google, which has verified the address but is not authoritative for it.
    private static let changesOfProvenAddress = [
        Row(testDescription: "an identity", expected: [.identityLinked]) { gateway, ada in
            let changed = try await gateway.link(gateway.appleCredential(.alan), to: ada.idToken)
            #expect(changed.status == 200, "\(changed.text)")
        },
        Row(testDescription: "a password", expected: [.identityLinked]) { gateway, ada in
            let changed = try await gateway.update(ada.idToken, ["password": "known to eve"])
            #expect(changed.status == 200, "\(changed.text)")
        },
        Row(testDescription: "a new address", expected: [.emailChanged]) { gateway, ada in
            let changed = try await gateway.update(ada.idToken, ["email": "eve@example.com"])
            #expect(changed.status == 200, "\(changed.text)")
        },
        Row(testDescription: "a merge", expected: [.accountsMerged]) { gateway, ada in
            _ = try await gateway.signIn(gateway.appleCredential(.alan))
            let changed = try await gateway.merge(ada, intoAccountOf: gateway.appleCredential(.alan))
            #expect(changed.status == 200, "\(changed.text)")
        },
    ]

    @Test(
        "An address that only a provider has verified gets notices with links, and the links work",
        arguments: changesOfProvenAddress)
    func providerProvenAddress(row: Row) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let ada = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(Self.person)))
        #expect(try await gateway.accountSeenByUser(ada.idToken)["emailVerified"] == false)
        gateway.clock.advance(by: .seconds(60))
        try await row.change(gateway, ada)
        let notices = try await gateway.notices()
        #expect(notices.map(\.kind) == row.expected && notices.map(\.recipient) == ["ada.lovelace@example.com"])
        gateway.clock.advance(by: .seconds(1))
        let page = try await gateway.submitActionPage(try #require(notices.first?.content.code))
        let done = try await gateway.submitActionPage(page.requiredFormCode(), ["newPassword": "staple battery"])
        #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        let owner = try await gateway.signIn(gateway.googleCredential(Self.person))
        #expect(owner.json["localId"]?.string == ada.localId, "\(owner.text)")
        let back = try await gateway.signIn(email: "ada.lovelace@example.com", password: "staple battery")
        #expect(back.json["localId"]?.string == ada.localId)
        #expect(try await gateway.signIn(gateway.appleCredential(.alan)).json["localId"]?.string != ada.localId)
    }

    /// The use of the code proves the ownership of the mailbox. The address was not verified before, so the reset
    /// reclaims the account: it removes every credential of the account's creator.
    @Test("A password reset of an account with an unverified address sends only the notice of the reclaim")
    func reclaimingReset() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        try await Self.reset.change(gateway, ada)
        let notices = try await gateway.notices()
        #expect(notices.map(\.kind) == [.accountReclaimed])
        #expect(notices.map(\.recipient) == ["ada@example.com"])
    }

    struct AddressRow: CustomTestStringConvertible {
        let testDescription: String
        var setsPassword = true
        /// The members of the update.
        let members: [String: JSON]
        /// `nil` if the account keeps its address.
        let newAddress: String?
    }

    /// The account has the address of its Google identity. Its Apple identity has another one.
    @Test(
        "The former address gets a notice if an update changes the address, and the notice's code names the new address",
        arguments: [
            AddressRow(
                testDescription: "both methods that have the address are removed",
                members: ["deleteProvider": ["google.com"], "deleteAttribute": ["PASSWORD"]],
                newAddress: "ada.lovelace@example.com"),
            AddressRow(
                testDescription: "an address is set, but the password is removed",
                members: ["email": "b@example.com", "deleteProvider": ["password"]],
                newAddress: "ada.lovelace@example.com"),
            AddressRow(
                testDescription: "an address is set, and an identity is unlinked",
                members: ["email": "b@example.com", "deleteProvider": ["google.com"]], newAddress: "b@example.com"),
            AddressRow(
                testDescription: "an identity is unlinked, but the password stays",
                members: ["deleteProvider": ["google.com"]], newAddress: nil),
            AddressRow(
                testDescription: "an identity is replaced by a password", setsPassword: false,
                members: ["deleteProvider": ["google.com"], "password": "chosen now"], newAddress: nil),
        ])
    func address(row: AddressRow) async throws {
        let gateway = try await TestGateway()
        let address = "mary.somerville@gmail.com"
        if row.setsPassword { _ = try await gateway.signUpVerified(email: address) }
        let mary = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential()))
        let tokens = try TestGateway.Tokens(await gateway.link(gateway.appleCredential(), to: mary.idToken))
        let updated = try await gateway.update(tokens.idToken, row.members)
        #expect(updated.json["email"]?.string == row.newAddress ?? address, "\(updated.text)")
        #expect(try await gateway.emails(.emailChanged).map(\.recipient) == (row.newAddress == nil ? [] : [address]))
        let codes = try await gateway.database.pool.query(
            "SELECT new_email FROM oob_code WHERE purpose = 'RECOVER_EMAIL'")
        #expect(try codes.map { try $0.decode("new_email", as: String?.self) } == (row.newAddress.map { [$0] } ?? []))
    }

    @Test("A notice is sent when a user whose provider verified the address reclaims the account")
    func reclaimed() async throws {
        let gateway = try await TestGateway()
        let victim = SimulatedPerson.ada
        _ = try await gateway.signUp(email: try #require(victim.email))
        _ = try await gateway.signIn(gateway.appleCredential(victim))
        let emails = try await gateway.emails(.accountReclaimed)
        #expect(emails.map(\.recipient) == [victim.email])
        #expect(emails.first?.content.provider == .apple)
    }
}

extension TestGateway {
    /// The queued emails that report changes of an account.
    fileprivate func notices() async throws -> [WaitingEmail] {
        try await emails().filter { $0.kind.rawValue.hasPrefix("notice.") }
    }
}
