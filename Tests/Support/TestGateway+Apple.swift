import Crypto
import Encoding
import Identity
import Postgres
import Simulators
import Telemetry

@testable import Gateway

extension TestGateway {
    /// The credential that Apple's dialog gives an app, with an authorization code.
    func appleCredentialWithCode(
        _ person: SimulatedPerson = .ada, client: String = SimulatedProviders.appleClientID, redirectURI: String? = nil
    ) throws -> ProviderCredential {
        let nonce = Random.text(length: 32)
        let authorization = try simulators.apple.authorize(
            person, client: client, nonce: Hexadecimal.encode(Digest.sha256(Array(nonce.utf8))),
            redirectURI: redirectURI)
        return ProviderCredential(
            provider: "apple.com", idToken: authorization.identityToken, rawNonce: nonce,
            code: authorization.authorizationCode)
    }

    /// The workers for grants (Apple's tokens and authorization codes in the database), as a gateway runs them.
    var appleGrantWorkers: AppleGrantWorkers {
        AppleGrantWorkers(
            on: database.pool, endpoint: root.appleTokens, under: masterKeys, clock: clock.wallClock, log: root.log,
            metrics: Metrics(), count: root.counts.counting(by: clock.wallClock))
    }

    /// Redeems the authorization codes, and revokes the tokens, that are due.
    func processDueAppleGrants() async throws {
        for purpose in AppleGrant.Purpose.allCases { try await appleGrantWorkers.attemptDue(purpose) }
    }

    /// State, token type and client ID of each grant (token or authorization code of Apple in the database).
    func appleGrantLines() async throws -> [String] {
        try await database.pool.query(
            "SELECT concat_ws(' ', state, token_type, client_id) AS line FROM apple_grant ORDER BY line"
        ).map { try $0.decode("line") }
    }

    /// Signs in with Apple, and redeems the authorization code.
    func signInWithAppleAndRedeemCode(_ person: SimulatedPerson = .ada) async throws -> Tokens {
        let tokens = try Tokens(await signIn(appleCredentialWithCode(person)))
        try await processDueAppleGrants()
        return tokens
    }
}
