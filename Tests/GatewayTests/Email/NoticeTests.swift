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
        let happens: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Void
    }

    private static let person = SimulatedPerson.named("Ada", "Lovelace")

    private static let rows = [
        Row(testDescription: "another password", expected: [.passwordChanged]) {
            _ = try await $0.update($1.idToken, ["password": "chosen now"])
        },
        Row(testDescription: "another address", expected: [.emailChanged]) {
            _ = try await $0.update($1.idToken, ["email": "b@example.com"])
        },
        Row(testDescription: "a provider linked, and unlinked", expected: [.identityLinked, .identityUnlinked]) {
            _ = try await $0.link($0.google(person), to: $1.idToken)
            $0.clock.advance(by: .seconds(1))
            _ = try await $0.post(
                "/v1/accounts:unlink", ["idToken": .string($1.idToken), "deleteProvider": ["google.com"]])
        },
        Row(testDescription: "the deletion", expected: [.accountDeleted]) { _ = try await $0.delete($1.idToken) },
        Row(testDescription: "a password reset", expected: [.passwordChanged]) { gateway, _ in
            _ = try await gateway.reset(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
        },
        Row(testDescription: "a new name", expected: []) {
            _ = try await $0.update($1.idToken, ["displayName": "Countess"])
        },
    ]

    @Test("Notices are sent to a verified address", arguments: rows)
    func notices(row: Row) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        try await row.happens(gateway, ada)
        let notices = try await gateway.emails().filter { $0.kind.rawValue.hasPrefix("notice.") }
        #expect(notices.map(\.kind) == row.expected)
        #expect(notices.allSatisfy { $0.recipient == "ada@example.com" })
    }

    @Test("Notices are not sent to an unverified address", arguments: rows)
    func unverifiedAddress(row: Row) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        try await row.happens(gateway, ada)
        let notices = try await gateway.emails().filter { $0.kind.rawValue.hasPrefix("notice.") }
        // A reset verifies the address, because only the owner of the mailbox gets its code.
        #expect(notices.map(\.kind) == (row.testDescription == "a password reset" ? [.accountReclaimed] : []))
    }

    @Test("A notice is sent when the owner of the address reclaims the account")
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

@Suite("Deletion of an account")
struct DeletionTests {
    @Test("After a deletion, only the notice to the user has their addresses and names")
    func nothing() async throws {
        let gateway = try await TestGateway()
        let person = SimulatedPerson.named("Ada", "Lovelace").with { $0.email = "ada.lovelace@gmail.com" }
        let ada = try await gateway.signUpVerified(email: "augusta@example.com")
        _ = try await gateway.link(gateway.google(person), to: ada.idToken)
        _ = try await gateway.update(ada.idToken, ["displayName": "Countess"])
        let guest = try await gateway.signUpAnonymously()
        _ = try await gateway.update(guest.idToken, ["displayName": "Guest of honour"])
        let merged = try await gateway.merge(guest, by: gateway.google(person))
        #expect(merged.json["localId"]?.string == ada.localId, "\(merged.text)")
        for type in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
            _ = try await gateway.sendCode(type, ["email": "augusta@example.com"])
        }
        let before = try await gateway.dump()
        for text in ["augusta@example.com", "ada.lovelace@gmail.com", "Countess", "Guest of honour", "Lovelace"] {
            #expect(before.contains(text), "\(text)")
        }
        #expect(try await gateway.delete(ada.idToken).status == 200)
        let notice = try #require(try await gateway.emails().first)
        #expect(try await gateway.emails().map(\.kind) == [.accountDeleted])
        #expect(notice.recipient == "augusta@example.com")
        _ = try await gateway.database.pool.execute("DELETE FROM outgoing_email")
        let after = try await gateway.dump()
        for text in ["augusta@example.com", "ada.lovelace@gmail.com", "Countess", "Guest of honour", "Lovelace"] {
            #expect(!after.contains(text), "\(text)")
        }
        let events = try await gateway.database.pool.query(
            "SELECT account_id FROM outbox WHERE kind = 'account.deleted'")
        #expect(try events.map { try $0.decode("account_id", as: String.self) } == [ada.localId])
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 USER_NOT_FOUND")
    }
}
