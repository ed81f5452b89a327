import Encoding
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// The attacks of Sudhodanan and Paverd (USENIX Security 2022): an attacker creates an account with a victim's address
/// before the victim does.
@Suite("Pre-hijacking")
struct PreHijackingTests {
    private static let victim = SimulatedPerson.ada

    /// An account that an attacker created with the victim's address.
    private struct PreHijackedAccount {
        let gateway: TestGateway
        let attacker: TestGateway.Tokens

        init() async throws {
            gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
            attacker = try await gateway.signUp(
                email: try #require(PreHijackingTests.victim.email), password: "known to the attacker")
        }

        func victimSignsIn() async throws -> TestGateway.Tokens {
            let exchange = try await gateway.signIn(gateway.appleCredential(PreHijackingTests.victim))
            #expect(exchange.json["localId"]?.string == attacker.localId, "\(exchange.text)")
            return try TestGateway.Tokens(exchange)
        }
    }

    @Test("Classic-federated merge: the attacker's password is removed when the victim signs in with Apple")
    func classicFederatedMerge() async throws {
        let hijacked = try await PreHijackedAccount()
        let victim = try await hijacked.victimSignsIn()
        let email = try #require(Self.victim.email)
        #expect(
            try await hijacked.gateway.signIn(email: email, password: "known to the attacker").outcome
                == "400 INVALID_PASSWORD")
        let account = try await hijacked.gateway.accountSeenByUser(victim.idToken)
        #expect(account["emailVerified"] == true)
        #expect(account["passwordUpdatedAt"] == nil)
        let events = try await hijacked.gateway.database.pool.query(
            "SELECT account_id FROM outbox WHERE kind = 'account.reclaimed'")
        #expect(try events.first?.decode("account_id") == victim.localId)
    }

    @Test("Unexpired session: the attacker's sessions end when the victim signs in")
    func unexpiredSession() async throws {
        let hijacked = try await PreHijackedAccount()
        let other = try TestGateway.Tokens(
            await hijacked.gateway.signIn(email: try #require(Self.victim.email), password: "known to the attacker"))
        _ = try await hijacked.victimSignsIn()
        for tokens in [hijacked.attacker, other] {
            #expect(try await hijacked.gateway.lookup(tokens.idToken).outcome == "400 TOKEN_EXPIRED")
            #expect(try await hijacked.gateway.refresh(tokens.refreshToken).outcome == "400 TOKEN_EXPIRED")
        }
    }

    @Test("Trojan identifier: an identity that the attacker linked does not sign in to the account")
    func trojanIdentifier() async throws {
        let hijacked = try await PreHijackedAccount()
        let trojan = SimulatedPerson.named("Eve", "Attacker")
        let linked = try await hijacked.gateway.link(
            hijacked.gateway.googleCredential(trojan), to: hijacked.attacker.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let victim = try await hijacked.victimSignsIn()
        let attackerSignIn = try await hijacked.gateway.signIn(hijacked.gateway.googleCredential(trojan))
        #expect(attackerSignIn.json["localId"]?.string != victim.localId)
        #expect(try await hijacked.gateway.accountSeenByUser(victim.idToken)["providerUserInfo"]?[1] == nil)
    }

    @Test("Trojan identifier of the victim's own provider: the account still goes to the victim")
    func trojanOfSameProvider() async throws {
        let hijacked = try await PreHijackedAccount()
        let trojan = SimulatedPerson.named("Eve", "Attacker")
        let linked = try await hijacked.gateway.link(
            hijacked.gateway.appleCredential(trojan), to: hijacked.attacker.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let victim = try await hijacked.victimSignsIn()
        let attackerSignIn = try await hijacked.gateway.signIn(hijacked.gateway.appleCredential(trojan))
        #expect(attackerSignIn.json["localId"]?.string != victim.localId)
        #expect(try await hijacked.gateway.accountSeenByUser(victim.idToken)["providerUserInfo"]?[1] == nil)
    }

    @Test("Unexpired email change: the attacker cannot confirm a change requested before the victim signed in")
    func unexpiredEmailChange() async throws {
        let hijacked = try await PreHijackedAccount()
        let gateway = hijacked.gateway
        let code = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL",
            ["idToken": .string(hijacked.attacker.idToken), "newEmail": "eve@example.com"])
        #expect(try await gateway.checkCode(code).outcome == "200")
        let victim = try await hijacked.victimSignsIn()
        #expect(try await gateway.applyCode(code).outcome == "400 INVALID_OOB_CODE")
        let account = try await gateway.accountSeenByUser(victim.idToken)
        #expect(account["email"]?.string == Self.victim.email)
    }

    @Test("Pending token: an identity that awaited confirmation before the victim signed in cannot be linked later")
    func pendingToken() async throws {
        let hijacked = try await PreHijackedAccount()
        // An identity of the attacker that waits for the owner's confirmation.
        let trojan = SimulatedPerson.named("Eve", "Attacker").with { $0.email = Self.victim.email }
        let unconfirmed = try await hijacked.gateway.signIn(hijacked.gateway.googleCredential(trojan))
        let pending = try #require(unconfirmed.pendingToken, "\(unconfirmed.text)")
        let victim = try await hijacked.victimSignsIn()
        for idToken in [hijacked.attacker.idToken, victim.idToken] {
            let tooLate = try await hijacked.gateway.signInWithIdp([
                "pendingToken": .string(pending), "idToken": .string(idToken),
            ])
            #expect(tooLate.status == 400, "\(tooLate.text)")
        }
    }

    @Test(
        "Non-verifying provider: an identity with an unverified address does not sign in to the victim's account",
        arguments: [
            JSONValueCase("false", .bool(false)), JSONValueCase("\"false\"", .string("false")),
            JSONValueCase("1", .integer(1)), JSONValueCase("null", .null),
        ])
    func nonVerifyingProvider(row: JSONValueCase) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let owner = try await gateway.signIn(gateway.appleCredential())
        let credential = try gateway.googleCredential(.named("Eve", "Attacker")) { draft in
            draft.claims["email"] = .string(Self.victim.email ?? "")
            draft.claims["email_verified"] = row.value
        }
        let exchange = try await gateway.signIn(credential)
        #expect(exchange.json["idToken"] == nil)
        #expect(exchange.json["needConfirmation"] == true, "\(exchange.text)")
        #expect(exchange.json["emailVerified"] == false)
        let account = try await gateway.accountSeenByUser(try #require(owner.json["idToken"]?.string))
        #expect(account["providerUserInfo"]?[1] == nil)
    }

    @Test("If the address of an account is verified, an identity of another provider needs confirmation")
    func verifiedAddress() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let owner = try await gateway.signIn(gateway.googleCredential(Self.victim))
        #expect(owner.json["idToken"] != nil)
        let unconfirmed = try await gateway.signIn(gateway.appleCredential(Self.victim))
        #expect(unconfirmed.json["needConfirmation"] == true, "\(unconfirmed.text)")
        #expect(unconfirmed.json["verifiedProvider"] == ["google.com"])
    }
}
