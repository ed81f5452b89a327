import API
import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

/// Requests whose clients disconnect before their password is hashed. No client can read such a response.
@Suite("Abandoned attempts")
struct AbandonedAttemptTests {
    private static let abandoned = PasswordHasher(
        hash: { _, _ in throw ClientGone() }, check: { _, _, _ in throw ClientGone() })

    private static let body: JSON = ["email": "ada@example.com", "password": "secret1"]

    @Test(
        "An abandoned sign-in or sign-up counts as an attempt",
        arguments: ["/v1/accounts:signInWithPassword", "/v1/accounts:signUp"])
    func counts(path: String) async throws {
        let gateway = try await TestGateway(passwords: Self.abandoned, limitsRates: true) { policy in
            (policy.passwordFailureLimit, policy.signUpLimit) = (3, 3)
        }
        for _ in 0..<3 { #expect(try await gateway.post(path, Self.body).status == 503) }
        #expect(try await gateway.post(path, Self.body).outcome == LimitedGateway.tooManyAttempts)
    }

    @Test(
        "No password is hashed for a client that is gone, and none is stored",
        arguments: ["/v1/accounts:signInWithPassword", "/v1/accounts:signUp"])
    func gone(path: String) async throws {
        let gateway = try await TestGateway()
        let presence = ClientPresence()
        presence.end()
        let request = Request(
            id: "0", method: .post, path: path, query: [("key", TestGateway.apiKey)],
            headers: ["Content-Type": "application/json"], body: try Self.body.bytes, peer: "192.0.2.1",
            presence: presence)
        let response = await gateway.pipeline.respond(to: request)
        #expect(response.status == 503)
        #expect(response.headers["Content-Type"]?.hasPrefix("text/plain") == true)
        #expect(try await gateway.database.pool.query("SELECT 1 FROM account").isEmpty)
    }
}
