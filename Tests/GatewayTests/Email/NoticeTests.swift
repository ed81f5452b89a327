import Identity
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
            _ = try await $0.link($0.google(person), to: $1.idToken)
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
        _ = try await gateway.reset(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
    }

    @Test("Notices are sent to a verified address", arguments: rows + [reset])
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
    /// reclaims the account.
    @Test("A password reset of an account with an unverified address sends only the notice of the reclaim")
    func reclaimingReset() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        try await Self.reset.change(gateway, ada)
        let notices = try await gateway.notices()
        #expect(notices.map(\.kind) == [.accountReclaimed])
        #expect(notices.map(\.recipient) == ["ada@example.com"])
    }

    @Test("A notice is sent when a user whose provider verified the address reclaims the account")
    func reclaimed() async throws {
        let gateway = try await TestGateway()
        let victim = SimulatedPerson.ada
        _ = try await gateway.signUp(email: try #require(victim.email))
        _ = try await gateway.signIn(gateway.apple(victim))
        let emails = try await gateway.emails(.accountReclaimed)
        #expect(emails.map(\.recipient) == [victim.email])
        #expect(emails.first?.content.provider == .apple)
    }
}

extension TestGateway {
    fileprivate func notices() async throws -> [WaitingEmail] {
        try await emails().filter { $0.kind.rawValue.hasPrefix("notice.") }
    }
}
