import Identity
import Postgres
import Simulators
import Testing

@testable import Support

/// Grace (`SimulatedPerson.grace`) hides her address, so Apple gives apps a relay address. Setting
/// `quirks.relayDomain` changes that address.
@Suite("An account whose Apple identity gets another relay address")
struct RelayAddressChangeTests {
    private typealias Tokens = TestGateway.Tokens

    private func gateway(_ profile: Policy.Profile = .sekisho) async throws -> TestGateway {
        let gateway = try await TestGateway(profile)
        try await gateway.makeServiceKey()
        return gateway
    }

    private func appleIdentityEmail(of user: JSON) -> String? {
        user["providerUserInfo"]?.elements.first { $0["providerId"] == "apple.com" }?["email"]?.string
    }

    @Test("The account gets the identity's new relay address, and both addresses get a notice without a code")
    func newRelayAddress() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        let old = try #require(try await gateway.accountSeenByAdmin(tokens.localId)["email"]?.string)
        gateway.simulators.apple.quirks.relayDomain = .privateICloud
        let audited = try await gateway.newAuditEvents {
            let again = try await gateway.signIn(gateway.appleCredential(.grace))
            #expect(again.status == 200, "\(again.text)")
            #expect(again.json["localId"]?.string == tokens.localId)
            #expect(again.json["email"]?.string?.hasSuffix("@private.icloud.com") == true)
            let idTokenClaims = try claims(of: try #require(again.json["idToken"]?.string))
            #expect(idTokenClaims["email"]?.string?.hasSuffix("@private.icloud.com") == true)
        }
        let user = try await gateway.accountSeenByAdmin(tokens.localId)
        let new = try #require(user["email"]?.string)
        #expect(new != old && new.hasSuffix("@private.icloud.com"))
        #expect(user["emailVerified"] == true)
        #expect(user["initialEmail"]?.string == old)
        #expect(appleIdentityEmail(of: user) == new)
        #expect(audited.map(\.description) == ["user email.changed \(tokens.localId) provider=apple.com"])
        let notices = try await gateway.emails(.relayAddressChanged)
        #expect(Set(notices.map(\.recipient)) == [old, new])
        #expect(notices.allSatisfy { $0.content.code == nil })
        #expect(try await gateway.emails(.emailChanged).isEmpty)
        #expect(try await gateway.isSessionValid(tokens), "the other session continues")
        // The next sign-in changes nothing.
        #expect(
            try await gateway.newAuditEvents { _ = try await gateway.signIn(gateway.appleCredential(.grace)) }.isEmpty)
    }

    @Test("The account gets the user's own address when the user stops hiding it")
    func stopsHiding() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        let graceWithOwnAddress = SimulatedPerson.grace.with { $0.hidesEmail = false }
        #expect(try await gateway.signIn(gateway.appleCredential(graceWithOwnAddress)).status == 200)
        #expect(try await gateway.accountSeenByAdmin(tokens.localId)["email"] == "grace.hopper@example.com")
    }

    /// An account that keeps its address.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var profile = Policy.Profile.sekisho
        let prepare: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Void
    }

    static let rows = [
        Row(testDescription: "in the policy profile firebase", profile: .firebase) { _, _ in },
        Row(testDescription: "with a password") { gateway, tokens in
            let set = try await gateway.administerAccounts(
                ":update", ["localId": .string(tokens.localId), "password": "a long secret"])
            #expect(set.status == 200, "\(set.text)")
        },
        Row(testDescription: "with sign-in by email link") { gateway, tokens in
            try await gateway.database.pool.execute(
                "UPDATE account SET email_link_sign_in = true WHERE id = \(tokens.localId)")
        },
        Row(testDescription: "with an address other than the identity's") { gateway, tokens in
            let set = try await gateway.administerAccounts(
                ":update", ["localId": .string(tokens.localId), "email": "grace@example.com"])
            #expect(set.status == 200, "\(set.text)")
        },
        Row(testDescription: "whose identity gets a relay address that another account holds") { gateway, _ in
            gateway.simulators.apple.quirks.relayDomain = .privateICloud
            let newCredential = try gateway.appleCredential(.grace)
            let email = try #require(try claims(of: newCredential.idToken)["email"]?.string)
            let made = try await gateway.createAccountAsAdmin(["email": .string(email)])
            #expect(made.status == 200, "\(made.text)")
        },
    ]

    @Test(
        "An account in one of these states keeps its address, and only its Apple identity gets the new relay address",
        arguments: rows)
    func keepsAddress(row: Row) async throws {
        let gateway = try await gateway(row.profile)
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        try await row.prepare(gateway, tokens)
        let email = try await gateway.accountSeenByAdmin(tokens.localId)["email"]
        gateway.simulators.apple.quirks.relayDomain = .privateICloud
        gateway.clock.advance(by: .seconds(1))
        let audited = try await gateway.newAuditEvents {
            let again = try await gateway.signIn(gateway.appleCredential(.grace))
            #expect(again.json["localId"]?.string == tokens.localId, "\(again.text)")
        }
        let user = try await gateway.accountSeenByAdmin(tokens.localId)
        #expect(user["email"] == email)
        #expect(appleIdentityEmail(of: user)?.hasSuffix("@private.icloud.com") == true)
        #expect(audited.isEmpty)
        #expect(try await gateway.emails(.relayAddressChanged).isEmpty)
    }

    @Test("An account whose address is not a relay address keeps it")
    func ownAddress() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential()))
        let adaWithNewAddress = SimulatedPerson.ada.with { $0.email = "ada@another.example" }
        #expect(try await gateway.signIn(gateway.appleCredential(adaWithNewAddress)).status == 200)
        let user = try await gateway.accountSeenByAdmin(tokens.localId)
        #expect(user["email"] == "ada.lovelace@example.com")
        #expect(appleIdentityEmail(of: user) == "ada@another.example")
    }

    @Test("Concurrent sign-ins change the account's address only once")
    func race() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        gateway.simulators.apple.quirks.relayDomain = .privateICloud
        let outcomes = try await concurrently(8) { _ in try await gateway.signIn(gateway.appleCredential(.grace)) }
        #expect(outcomes.allSatisfy { $0.status == 200 }, "\(outcomes.map(\.outcome))")
        #expect(try await gateway.auditTrail().filter { $0.action == "email.changed" }.count == 1)
        #expect(
            try await gateway.accountSeenByAdmin(tokens.localId)["email"]?.string?.hasSuffix("@private.icloud.com")
                == true)
    }
}
