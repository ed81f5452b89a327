import HTTP
import Testing

@testable import Support

@Suite("A re-authentication with the account's ID token")
struct ReauthenticationTests {
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        var email = "ada@example.com"
        var password = "secret1"
        var idToken: @Sendable (TestGateway, TestGateway.Tokens) async throws -> String = { $1.idToken }
        let outcome: String
    }

    static let rows = [
        Row(testDescription: "the same account", outcome: "200"),
        Row(testDescription: "another account", email: "eve@example.com", outcome: "400 USER_MISMATCH"),
        Row(
            testDescription: "another account and a wrong password", email: "eve@example.com", password: "wrong",
            outcome: "400 INVALID_PASSWORD"),
        Row(testDescription: "a malformed token", idToken: { _, _ in "x" }, outcome: "400 INVALID_ID_TOKEN"),
        Row(
            testDescription: "a malformed token and a wrong password", password: "wrong", idToken: { _, _ in "x" },
            outcome: "400 INVALID_PASSWORD"),
        Row(
            testDescription: "a deleted account",
            idToken: { gateway, _ in
                let bob = try await gateway.signUp(email: "bob@example.com")
                _ = try await gateway.delete(bob.idToken)
                return bob.idToken
            }, outcome: "400 USER_NOT_FOUND"),
    ]

    @Test("A re-authentication needs the password of the ID token's account", arguments: rows)
    func password(row: Row) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        _ = try await gateway.signUp(email: "eve@example.com")
        let answer = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            [
                "email": .string(row.email), "password": .string(row.password),
                "idToken": .string(try await row.idToken(gateway, ada)),
            ])
        #expect(answer.outcome == row.outcome)
    }
}
