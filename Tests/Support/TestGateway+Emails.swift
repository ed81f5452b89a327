import Crypto
import Encoding
import FoundationEssentials
import Identity
import Postgres
import Storage
import Testing
import Tokens

/// A queued email with its decrypted payload.
struct WaitingEmail: Sendable {
    let kind: OutgoingEmail.Kind
    let recipient: String
    let language: String?
    let content: EmailPayload
    /// The email as the email worker reads it from the queue, but without its language and with times of the test's
    /// clock.
    let queued: QueuedEmail
}

extension TestGateway {
    /// The queued emails in the order of creation.
    ///
    /// - Parameter kind: `nil` for emails of every kind.
    func emails(_ kind: OutgoingEmail.Kind? = nil) async throws -> [WaitingEmail] {
        let sealed = EncryptedEmailPayloads(masterKeys: masterKeys)
        return try await database.pool.query("SELECT * FROM outgoing_email ORDER BY created_at, kind").map { row in
            let id = ID<OutgoingEmail>(UUIDText.text(try row.decode("id", as: UUID.self)))
            let kind = try #require(OutgoingEmail.Kind(rawValue: try row.decode("kind")))
            let content: [UInt8] = try row.decode("content")
            let recipient: String = try row.decode("recipient")
            let email = OutgoingEmail(
                id: id, kind: kind, account: try row.decode("account_id", as: String?.self).map { ID($0) },
                recipient: try #require(EmailAddress(recipient)), language: nil, content: content, createdAt: clock.now,
                expiresAt: clock.now + .seconds(3600))
            return WaitingEmail(
                kind: kind, recipient: recipient, language: try row.decode("language"),
                content: try sealed.open(content, of: id),
                queued: QueuedEmail(email: email, realm: realm.id, attempts: 1))
        }.filter { kind == nil || $0.kind == kind }
    }

    /// Returns the code in the latest queued email of this kind.
    ///
    /// If the code is for a password reset, stores it for the account, as the email worker does.
    func latestCode(_ kind: OutgoingEmail.Kind) async throws -> String {
        let email = try #require(try await emails(kind).last)
        let code = try #require(email.content.code)
        if kind == .resetPassword {
            _ = try await PostgresEmailQueue(pool: database.pool).storeResetCode(
                Digest.sha256(Array(code.utf8)), of: email.queued)
        }
        return code
    }

    /// Requests an email with a code. Returns the response, which does not have the code.
    ///
    /// - Parameters:
    ///   - type: the member `requestType`, for example `VERIFY_EMAIL`.
    ///   - more: further members of the request.
    func sendOobCode(_ type: String, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await post(
            "/v1/accounts:sendOobCode", .object(more.merging(["requestType": .string(type)]) { $1 }))
    }

    /// Requests an email as ``sendOobCode(_:_:)`` does, and returns its code.
    func requestedCode(_ type: String, _ more: [String: JSON] = [:]) async throws -> String {
        let exchange = try await sendOobCode(type, more)
        #expect(exchange.status == 200, "\(exchange.text)")
        return try await latestCode(try #require(OutgoingEmail.Kind(rawValue: type)))
    }

    /// Redeems an email action code that does not set a password.
    func applyCode(_ code: String) async throws -> Exchange {
        try await post("/v1/accounts:update", ["oobCode": .string(code)])
    }

    /// Asks what an email action code is for, without redeeming it.
    func checkCode(_ code: String) async throws -> Exchange {
        try await post("/v1/accounts:resetPassword", ["oobCode": .string(code)])
    }

    func resetPassword(_ code: String, _ password: String = "another secret") async throws -> Exchange {
        try await post(
            "/v1/accounts:resetPassword", ["oobCode": .string(code), "newPassword": .string(password)])
    }

    func signInWithEmailLink(_ email: String, _ code: String, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await post(
            "/v1/accounts:signInWithEmailLink",
            .object(more.merging(["email": .string(email), "oobCode": .string(code)]) { $1 }))
    }

    /// Signs up, and verifies the address with an emailed code.
    func signUpVerified(
        email: String = "ada@example.com", password: String = "secret1"
    ) async throws -> Tokens {
        let tokens = try await signUp(email: email, password: password)
        let code = try await requestedCode("VERIFY_EMAIL", ["idToken": .string(tokens.idToken)])
        let applied = try await applyCode(code)
        #expect(applied.json["emailVerified"] == true, "\(applied.text)")
        return tokens
    }
}
