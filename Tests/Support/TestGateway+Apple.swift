import Crypto
import Encoding
import Identity
import Postgres
import Simulators
import Telemetry

@testable import Gateway

extension TestGateway {
    /// The result of Apple's sign-in dialog, with an authorization code.
    func appleWithCode(
        _ person: SimulatedPerson = .ada, client: String = SimulatedProviders.appleClient, redirectURI: String? = nil
    ) throws -> Proof {
        let nonce = Random.text(length: 32)
        let authorization = try simulators.apple.authorize(
            person, client: client, nonce: Hexadecimal.encode(Digest.sha256(Array(nonce.utf8))),
            redirectURI: redirectURI)
        return Proof(
            provider: "apple.com", idToken: authorization.identityToken, rawNonce: nonce,
            code: authorization.authorizationCode)
    }

    /// The workers for Apple's grants, as a gateway on this database runs them.
    var appleWorkers: AppleGrantWorkers {
        AppleGrantWorkers(
            on: database.pool, endpoint: root.appleTokens, under: masterKeys, clock: clock.wallClock, log: root.log,
            metrics: Metrics())
    }

    /// Redeems and revokes the grants that are due.
    func attemptAppleGrants() async throws {
        for purpose in AppleGrant.Purpose.allCases { try await appleWorkers.attemptDue(purpose) }
    }

    /// State, token type and client ID of each grant.
    func appleGrants() async throws -> [String] {
        try await database.pool.query(
            "SELECT concat_ws(' ', state, token_type, client_id) AS line FROM apple_grant ORDER BY line"
        ).map { try $0.decode("line") }
    }

    /// Signs in with Apple, and redeems the authorization code.
    func signedInWithApple(_ person: SimulatedPerson = .ada) async throws -> Tokens {
        let tokens = try Tokens(await signIn(appleWithCode(person)))
        try await attemptAppleGrants()
        return tokens
    }
}
