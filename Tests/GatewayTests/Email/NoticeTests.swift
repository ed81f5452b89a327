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

    @Test("Notices are not sent to an unverified address", arguments: rows)
    func unverifiedAddress(row: Row) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        try await row.change(gateway, ada)
        #expect(try await gateway.notices().isEmpty)
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
