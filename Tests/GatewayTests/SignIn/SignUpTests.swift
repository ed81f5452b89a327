import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Sign-up")
struct SignUpTests {
    /// A gateway with an account for taken@example.com.
    private static let shared = Task {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: "taken@example.com")
        return gateway
    }

    @Test("Sign-up with email and password creates an account that can sign in, refresh and be looked up")
    func wholePath() async throws {
        let gateway = try await TestGateway()
        let signUp = try await gateway.post(
            "/v1/accounts:signUp", ["email": "Ada@Example.com", "password": "secret1", "displayName": "Ada"])
        #expect(signUp.status == 200)
        #expect(
            signUp.json.keys == ["kind", "localId", "email", "displayName", "idToken", "refreshToken", "expiresIn"])
        #expect(signUp.json["kind"] == "identitytoolkit#SignupNewUserResponse")
        #expect(signUp.json["email"] == "ada@example.com")
        #expect(signUp.json["expiresIn"] == "3600")

        let signIn = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"])
        #expect(signIn.json["localId"] == signUp.json["localId"])
        #expect(signIn.json["registered"] == true)

        let refresh = try await gateway.post(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": try #require(signIn.json["refreshToken"])])
        #expect(refresh.json["user_id"] == signUp.json["localId"])
        #expect(refresh.json["id_token"] == refresh.json["access_token"])

        let lookup = try await gateway.post("/v1/accounts:lookup", ["idToken": try #require(refresh.json["id_token"])])
        let user = try #require(lookup.json["users"]?[0])
        #expect(user["localId"] == signUp.json["localId"])
        #expect(user["emailVerified"] == false)
        #expect(user["displayName"] == "Ada")
        #expect(user["providerUserInfo"]?[0]?["providerId"] == "password")
        // Firebase's fixed text for an account with a password: "REDACTED" in base64.
        #expect(user["passwordHash"] == "UkVEQUNURUQ=" && user["salt"] == nil)
    }

    @Test(
        "signUp checks its members in the order of the wire protocol",
        arguments: [
            (["password": "secret1"], "400 MISSING_EMAIL"),
            (["email": "ada@example.com"], "400 MISSING_PASSWORD"),
            (["email": "ada@example.com", "password": ""], "400 MISSING_PASSWORD"),
            (["email": "", "password": "secret1"], "400 MISSING_EMAIL"),
            (["email": "nonsense"], "400 MISSING_PASSWORD"),
            (["idToken": "x", "email": "ada@example.com"], "400 MISSING_PASSWORD"),
            (["email": "nonsense", "password": "secret1"], "400 INVALID_EMAIL"),
            (["email": "", "password": ""], "400 INVALID_EMAIL"),
            (["email": "taken@example.com", "password": "x"], "400 EMAIL_EXISTS"),
            (["email": "TAKEN@example.com", "password": "secret1"], "400 EMAIL_EXISTS"),
            (
                ["email": "new@example.com", "password": "five5"],
                "400 WEAK_PASSWORD : Password should be at least 6 characters"
            ),
            (["localId": "mine"], "400 UNEXPECTED_PARAMETER : User ID"),
            (["idToken": "x", "email": "ada@example.com", "password": "secret1"], "400 INVALID_ID_TOKEN"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        #expect(try await Self.shared.value.post("/v1/accounts:signUp", body).outcome == expected)
    }

    @Test("An anonymous account that gets a password keeps its ID, but its earlier ID token becomes invalid")
    func upgrade() async throws {
        let gateway = try await TestGateway()
        let anonymous = try await gateway.post("/v1/accounts:signUp", ["returnSecureToken": true])
        #expect(anonymous.json.keys == ["kind", "localId", "idToken", "refreshToken", "expiresIn"])
        // The ID token would be valid for 3600 seconds.
        gateway.clock.advance(by: .seconds(3000))
        let upgraded = try await gateway.post(
            "/v1/accounts:signUp",
            ["idToken": anonymous.json["idToken"]!, "email": "ada@example.com", "password": "secret1"])
        #expect(upgraded.json["localId"] == anonymous.json["localId"])
        let old = try await gateway.post("/v1/accounts:lookup", ["idToken": anonymous.json["idToken"]!])
        #expect(old.outcome == "400 TOKEN_EXPIRED")
        let signIn = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"])
        #expect(signIn.json["localId"] == anonymous.json["localId"])
    }

    @Test("Concurrent sign-ups with one address create one account")
    func race() async throws {
        let gateway = try await TestGateway()
        let outcomes = try await concurrently(10) { _ in
            try await gateway.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"]).outcome
        }
        #expect(outcomes.sorted() == ["200"] + Array(repeating: "400 EMAIL_EXISTS", count: 9))
    }
}
