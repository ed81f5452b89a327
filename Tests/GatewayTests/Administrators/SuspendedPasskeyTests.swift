import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

@Suite("Roles of people who lose their passkeys", .serialized)
struct SuspendedPasskeyTests {
    /// A way in which a passkey goes.
    enum Removal: Sendable, CaseIterable {
        /// The link in the notice about the passkey.
        case removalLink
        /// An administrator removes the passkey.
        case administrator
        /// The person removes the passkey.
        case own

        func perform(
            on person: ConsoleVisitor, _ device: inout TestPasskey, in fixture: ConsoleFixture
        ) async throws -> Exchange {
            let gateway = fixture.gateway
            switch self {
            case .removalLink:
                let notices = try await gateway.emails(.identityLinked)
                let code = try #require(notices.last { $0.recipient == person.email }?.content.code)
                return try await gateway.submitActionPage(code)
            case .administrator:
                return try await fixture.administer(
                    "update", ["localId": .string(person.id), "deletePasskey": [.string(device.id)]])
            case .own:
                let started = try await gateway.startPasskeySignIn(key: ConsoleFixture.apiKey)
                let signedIn = try await gateway.finalizePasskeySignIn(
                    try device.sign(started), key: ConsoleFixture.apiKey)
                let change: JSON = [
                    "idToken": signedIn.json["idToken"] ?? .null, "deletePasskey": [.string(device.id)],
                ]
                return try await gateway.post("/v1/accounts:update", change, key: ConsoleFixture.apiKey)
            }
        }
    }

    @Test(
        "Without the last passkey, the roles end, and the mailbox alone does not bring them back",
        arguments: Removal.allCases)
    func suspended(removal: Removal) async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "administrator")
        var device = enrolled
        let removed = try await removal.perform(on: ada, &device, in: fixture)
        #expect(removed.status == 200, "\(removed.text)")
        #expect(try await fixture.roles(of: ada) == [:])
        #expect(try await ada.open("/console/demo/accounts").status == 303)
        try await fixture.proveMailbox(ada.id)
        let thief = ConsoleVisitor(fixture.gateway)
        let page = try await thief.enterPassword(ada.email)
        var other = try TestPasskey.ofConsole()
        let created = try await thief.send(try other.register(options: page.passkeyOptions), page, "createPasskey")
        let refused = try await thief.send(try other.sign(options: created.passkeyOptions), created, "passkey")
        #expect(refused.status == 400 && refused.text.contains("The account has no role in the console."))
        #expect(try await fixture.invite(ada.email, "administrator").outcome == "200")
    }

    @Test(
        "The last owner keeps the last passkey, beside a disabled owner",
        arguments: [Removal.administrator, .own])
    func lastOwner(removal: Removal) async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let (ada, enrolled) = try await fixture.signInWithPasskey(as: "owner")
        var device = enrolled
        let eve = try await fixture.signIn("eve@example.com", as: "owner")
        func disableEve(_ isDisabled: Bool) async throws {
            let change: JSON = ["localId": .string(eve.id), "disableUser": .bool(isDisabled)]
            #expect(try await fixture.administer("update", change).outcome == "200")
        }
        try await disableEve(true)
        let refused = try await removal.perform(on: ada, &device, in: fixture)
        #expect(refused.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED : The last owner of all projects keeps"))
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .owner])
        try await disableEve(false)
        let removed = try await removal.perform(on: ada, &device, in: fixture)
        #expect(removed.status == 200, "\(removed.text)")
    }

    @Test("A role needs a passkey or an authenticator app, not both")
    func oneOfBoth() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let ada = try await fixture.signIn(as: "owner")
        let page = try await ada.open("/console/passkeys")
        var device = try TestPasskey.ofConsole()
        let added = try await ada.send(try device.register(options: page.passkeyOptions), page, "addPasskey")
        #expect(added.status == 303, "\(added.text)")
        let reset = try await fixture.administer("update", ["localId": .string(ada.id), "mfa": [:]])
        #expect(reset.outcome == "200")
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .owner])
        #expect(try await ConsoleVisitor(fixture.gateway).enterPasskey(&device).status == 303)
        let removed = try await Removal.administrator.perform(on: ada, &device, in: fixture)
        #expect(removed.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED : The last owner of all projects keeps"))
    }

    @Test("Passkeys of a project that no longer accepts passkeys do not keep a role")
    func disabledPasskeys() async throws {
        let fixture = try await ConsoleFixture(passkeys: .ofConsole)
        let ada = try await fixture.signIn(as: "administrator")
        let page = try await ada.open("/console/passkeys")
        var device = try TestPasskey.ofConsole()
        _ = try await ada.send(try device.register(options: page.passkeyOptions), page, "addPasskey")
        _ = try await fixture.gateway.database.pool.execute(
            "UPDATE realm SET passkey_settings = passkey_settings || '{\"enabled\": false}' WHERE id = 'other'")
        let reset = try await fixture.administer("update", ["localId": .string(ada.id), "mfa": [:]])
        #expect(reset.outcome == "200")
        #expect(try await fixture.roles(of: ada) == [:])
    }
}
