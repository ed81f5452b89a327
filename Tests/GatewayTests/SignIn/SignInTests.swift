import HTTP
import Identity
import Postgres
import Synchronization
import Testing

@testable import Support

@Suite("Sign-in with a password")
struct SignInTests {
    @Test(
        "signInWithPassword checks its members in the order of the wire protocol",
        arguments: [
            ([:], "400 MISSING_EMAIL"),
            (["email": ""], "400 INVALID_EMAIL"),
            (["email": "nonsense"], "400 INVALID_EMAIL"),
            (["email": "ada@example.com"], "400 MISSING_PASSWORD"),
            (["email": "eve@example.com", "password": "x"], "400 EMAIL_NOT_FOUND"),
            (["email": "ada@example.com", "password": "x"], "400 INVALID_PASSWORD"),
            (["email": "ADA@example.com", "password": "secret1"], "200"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        #expect(try await gateway.post("/v1/accounts:signInWithPassword", body).outcome == expected)
    }

    @Test(
        "With enumeration protection, an unknown address gets the same password check and response as a wrong password"
    )
    func enumeration() async throws {
        // For each password check, whether there was a stored hash.
        let checks = Mutex<[Bool]>([])
        let recording = PasswordHasher(
            hash: { password, _ in "hash of \(password.expose())" },
            check: { password, stored, _ in
                checks.withLock { $0.append(stored != nil) }
                return stored == "hash of \(password.expose())" ? .right(rehashed: nil) : .wrong
            })
        let gateway = try await TestGateway(passwords: recording) { $0.emailEnumerationProtection = true }
        _ = try await gateway.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        let unknown = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "eve@example.com", "password": "wrong"])
        let wrong = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "wrong"])
        #expect(unknown.outcome == "400 INVALID_LOGIN_CREDENTIALS")
        #expect(unknown.body == wrong.body)
        #expect(checks.withLock { $0 } == [false, true])
    }

    @Test("A disabled account is revealed only after the correct password")
    func disabled() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        let wrong = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "wrong"])
        #expect(wrong.outcome == "400 INVALID_PASSWORD")
        let right = try await gateway.post(
            "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"])
        #expect(right.outcome == "400 USER_DISABLED")
    }

    @Test("A hash of another cost is replaced at the next sign-in, and the new hash is verified")
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
