import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Sign-in with a password")
struct SignInTests {
    /// A gateway with an account for ada@example.com.
    private static let shared = Task {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        return gateway
    }

    @Test(
        "signInWithPassword checks its members in the order of the wire protocol",
        arguments: [
            ([:], "400 MISSING_EMAIL"),
            (["idToken": "x"], "400 MISSING_EMAIL"),
            (["pending_id_token": "x"], "501 OPERATION_NOT_ALLOWED : pendingIdToken is not implemented."),
            (["email": ""], "400 INVALID_EMAIL"),
            (["email": "nonsense"], "400 INVALID_EMAIL"),
            (["email": "ada@example.com"], "400 MISSING_PASSWORD"),
            (["email": "eve@example.com", "password": "x"], "400 EMAIL_NOT_FOUND"),
            (["email": "ada@example.com", "password": "x"], "400 INVALID_PASSWORD"),
            (["email": "ADA@example.com", "password": "secret1"], "200"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        #expect(try await Self.shared.value.post("/v1/accounts:signInWithPassword", body).outcome == expected)
    }

    @Test("A sign-in with a password is rejected if the project does not allow passwords")
    func notAllowed() async throws {
        let gateway = try await TestGateway { $0.allowsPasswords = false }
        #expect(try await gateway.signIn().outcome == "400 PASSWORD_LOGIN_DISABLED")
    }

    @Test(
        "With enumeration protection, an unknown address causes a password check and gets the response to a wrong password"
    )
    func enumeration() async throws {
        let checks = PasswordChecks()
        let gateway = try await TestGateway(passwords: .recording(checks)) { $0.emailEnumerationProtection = true }
        _ = try await gateway.signUp()
        let unknown = try await gateway.signIn(email: "eve@example.com", password: "wrong")
        let wrong = try await gateway.signIn(password: "wrong")
        #expect(unknown.outcome == "400 INVALID_LOGIN_CREDENTIALS")
        #expect(unknown.body == wrong.body)
        #expect(checks.hadStoredHash == [false, true], "one check for the unknown address, and one for Ada's")
    }

    @Test("A disabled account is revealed only after the correct password")
    func disabled() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        #expect(try await gateway.signIn(password: "wrong").outcome == "400 INVALID_PASSWORD")
        #expect(try await gateway.signIn().outcome == "400 USER_DISABLED")
    }

    @Test("A password hash of another cost is replaced at the next sign-in, and the new hash is verified later")
    func rehash() async throws {
        let passwords = PasswordHasher(
            hash: { password, _ in "old \(password.expose())" },
            check: { password, stored, _ in
                switch stored {
                case "old \(password.expose())": .right(rehashed: "new \(password.expose())")
                case "new \(password.expose())": .right(rehashed: nil)
                default: .wrong
                }
            })
        let gateway = try await TestGateway(passwords: passwords)
        let body: JSON = ["email": "ada@example.com", "password": "secret1"]
        _ = try await gateway.post("/v1/accounts:signUp", body)
        for _ in 1...2 { #expect(try await gateway.post("/v1/accounts:signInWithPassword", body).status == 200) }
        let stored = try await gateway.database.pool.query("SELECT password_hash FROM account").first
        #expect(try stored?.decode("password_hash") == "new secret1")
    }

    @Test("A sign-in gets 503 in plain text when too many passwords wait to be hashed")
    func overload() async throws {
        let gateway = try await TestGateway(passwords: .overloaded)
        let answer = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"])
        #expect(answer.status == 503)
        #expect(answer.headers["Content-Type"]?.hasPrefix("text/plain") == true)
        #expect(answer.headers["Retry-After"] != nil)
        #expect(answer.json == .null)
    }
}
