import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// Sudhodanan and Paverd, USENIX Security 2022: somebody makes an account in a victim's name before the victim comes.
@Suite("Pre-hijacking")
struct PreHijackingTests {
    private static let victim = SimulatedPerson.ada

    /// An account that an attacker has made with the victim's address.
    private struct Trap {
        let gateway: TestGateway
        let attacker: TestGateway.Tokens

        init(_ profile: Policy.Profile = .sekisho) async throws {
            gateway = try await TestGateway(profile) { $0.emailEnumerationProtection = false }
            attacker = try await gateway.signUp(
                email: try #require(PreHijackingTests.victim.email), password: "known to the attacker")
        }

        func victimArrives() async throws -> TestGateway.Tokens {
            let exchange = try await gateway.signIn(gateway.apple(PreHijackingTests.victim))
            #expect(exchange.json["localId"]?.string == attacker.localId, "\(exchange.text)")
            return try TestGateway.Tokens(exchange)
        }
    }

    @Test("classic-federated merge: the attacker's password is gone once the victim signs in with Apple")
    func classicFederatedMerge() async throws {
        let trap = try await Trap()
        let victim = try await trap.victimArrives()
        let email = try #require(Self.victim.email)
        #expect(
            try await trap.gateway.signIn(email: email, password: "known to the attacker").outcome
                == "400 INVALID_PASSWORD")
        let account = try await trap.gateway.account(victim.idToken)
        #expect(account["emailVerified"] == true)
        #expect(account["passwordUpdatedAt"] == nil)
        let told = try await trap.gateway.database.pool.query(
            "SELECT account_id FROM outbox WHERE kind = 'account.reclaimed'")
        #expect(try told.first?.decode("account_id") == victim.localId)
    }

    @Test("unexpired session: no session from before lives on, not for one request")
    func unexpiredSession() async throws {
        let trap = try await Trap()
        let other = try TestGateway.Tokens(
            await trap.gateway.signIn(email: try #require(Self.victim.email), password: "known to the attacker"))
        _ = try await trap.victimArrives()
        for tokens in [trap.attacker, other] {
            #expect(try await trap.gateway.lookup(tokens.idToken).outcome == "400 TOKEN_EXPIRED")
            #expect(try await trap.gateway.refresh(tokens.refreshToken).outcome == "400 TOKEN_EXPIRED")
        }
    }

    @Test("trojan identifier: an identity that the attacker has linked leads nowhere near the account")
    func trojanIdentifier() async throws {
        let trap = try await Trap()
        let trojan = SimulatedPerson.named("Eve", "Attacker")
        let linked = try await trap.gateway.link(trap.gateway.google(trojan), to: trap.attacker.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let victim = try await trap.victimArrives()
        let back = try await trap.gateway.signIn(trap.gateway.google(trojan))
        #expect(back.json["localId"]?.string != victim.localId)
        #expect(try await trap.gateway.account(victim.idToken)["providerUserInfo"]?[1] == nil)
    }

    @Test("trojan identifier of the victim's own provider: the account goes to the victim all the same")
    func trojanOfSameProvider() async throws {
        let trap = try await Trap()
        let trojan = SimulatedPerson.named("Eve", "Attacker")
        let linked = try await trap.gateway.link(trap.gateway.apple(trojan), to: trap.attacker.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let victim = try await trap.victimArrives()
        let back = try await trap.gateway.signIn(trap.gateway.apple(trojan))
        #expect(back.json["localId"]?.string != victim.localId)
        #expect(try await trap.gateway.account(victim.idToken)["providerUserInfo"]?[1] == nil)
    }

    @Test("unexpired e-mail change: what the attacker has pending can be completed no more")
    func unexpiredEmailChange() async throws {
        let trap = try await Trap()
        // An identity of the attacker's whose use waits for the owner's word.
        let trojan = SimulatedPerson.named("Eve", "Attacker").with { $0.email = Self.victim.email }
        let asked = try await trap.gateway.signIn(trap.gateway.google(trojan))
        let pending = try #require(asked.pendingToken, "\(asked.text)")
        let victim = try await trap.victimArrives()
        for idToken in [trap.attacker.idToken, victim.idToken] {
            let late = try await trap.gateway.signInWithIdp([
                "pendingToken": .string(pending), "idToken": .string(idToken),
            ])
            #expect(late.status == 400, "\(late.text)")
        }
    }

    @Test(
        "non-verifying provider: an address that the provider has not verified opens nobody's account",
        arguments: [
            JSONValueCase("false", .bool(false)), JSONValueCase("\"false\"", .string("false")),
            JSONValueCase("1", .integer(1)), JSONValueCase("null", .null),
        ])
    func nonVerifyingProvider(row: JSONValueCase) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let owner = try await gateway.signIn(gateway.apple())
        let proof = try gateway.google(.named("Eve", "Attacker")) { draft in
            draft.claims["email"] = .string(Self.victim.email ?? "")
            draft.claims["email_verified"] = row.value
        }
        let exchange = try await gateway.signIn(proof)
        #expect(exchange.json["idToken"] == nil)
        #expect(exchange.json["needConfirmation"] == true, "\(exchange.text)")
        #expect(exchange.json["emailVerified"] == false)
        let account = try await gateway.account(try #require(owner.json["idToken"]?.string))
        #expect(account["providerUserInfo"]?[1] == nil)
    }

    @Test("an account whose address a provider has verified is not taken away, but asked about")
    func vouchedFor() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let colleague = SimulatedPerson.named("Ada", "Lovelace")
        let owner = try await gateway.signIn(gateway.google(colleague))
        #expect(owner.json["idToken"] != nil)
        let asked = try await gateway.signIn(gateway.apple(Self.victim))
        #expect(asked.json["needConfirmation"] == true, "\(asked.text)")
        #expect(asked.json["verifiedProvider"] == ["google.com"])
    }
}
