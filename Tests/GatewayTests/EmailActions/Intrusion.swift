import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// Ada's account, and the actions of an attacker who knows its password.
struct Intrusion: Sendable {
    /// Ada's address and password, both of which the attacker knows.
    static let victimEmail = "ada@example.com"
    static let stolenPassword = "correct horse"
    /// The attacker's Google account.
    static let attackerGoogle = SimulatedPerson.named("Eve", "Attacker")
    /// The attacker's Apple account, which has no address.
    static let attackerApple = SimulatedPerson.alan

    let gateway: TestGateway
    let ada: TestGateway.Tokens

    init(change: (inout Policy) -> Void = { _ in }) async throws {
        gateway = try await TestGateway(.sekisho) {
            $0.emailEnumerationProtection = false
            change(&$0)
        }
        try await gateway.makeServiceKey()
        // The attacker's own account, which is older than Ada's.
        _ = try await gateway.signUp(email: "eve@example.com", password: "known to eve")
        gateway.clock.advance(by: .seconds(86_400))
        ada = try await gateway.signUpVerified(email: Self.victimEmail, password: Self.stolenPassword)
        gateway.clock.advance(by: .seconds(60))
    }

    /// Opens the attacker's session in Ada's account.
    func signInAsAttacker() async throws -> TestGateway.Tokens {
        try TestGateway.Tokens(await gateway.signIn(email: Self.victimEmail, password: Self.stolenPassword))
    }

    /// Links the attacker's Google identity to Ada's account.
    ///
    /// - Parameter attacker: the attacker's session in Ada's account.
    /// - Returns: the code of the removal link in the notice to Ada.
    func linkAttackerGoogle(_ attacker: TestGateway.Tokens) async throws -> String {
        let linked = try await gateway.link(gateway.googleCredential(Self.attackerGoogle), to: attacker.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let email = try #require(try await gateway.emails(.identityLinked).last)
        #expect(email.recipient == Self.victimEmail)
        gateway.clock.advance(by: .seconds(1))
        return try #require(email.content.code)
    }

    /// Changes the address of Ada's account, as the attacker.
    ///
    /// - Returns: the attacker's session after the change.
    func changeAddress(_ attacker: TestGateway.Tokens, to email: String) async throws -> TestGateway.Tokens {
        let changed = try TestGateway.Tokens(await gateway.update(attacker.idToken, ["email": .string(email)]))
        gateway.clock.advance(by: .seconds(1))
        return changed
    }

    /// The attacker's sign-in methods that still work for Ada's account.
    func attackersWorkingSignInMethods() async throws -> [String] {
        let attempts: [(String, Exchange)] = [
            ("google.com", try await gateway.signIn(gateway.googleCredential(Self.attackerGoogle))),
            ("apple.com", try await gateway.signIn(gateway.appleCredential(Self.attackerApple))),
            (
                "password of the account",
                try await gateway.signIn(email: Self.victimEmail, password: Self.stolenPassword)
            ),
            ("another password", try await gateway.signIn(email: Self.victimEmail, password: "known to eve")),
            ("another address", try await gateway.signIn(email: "evil@example.com", password: Self.stolenPassword)),
            ("own address", try await gateway.signIn(email: "eve@example.com", password: "known to eve")),
        ]
        return attempts.filter { $0.1.json["localId"]?.string == ada.localId }.map(\.0)
    }

    /// Signs in to the attacker's own account with an Apple identity, and creates the account if necessary.
    func signInWithAttackerApple() async throws -> TestGateway.Tokens {
        try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential(Self.attackerApple)))
    }
}
