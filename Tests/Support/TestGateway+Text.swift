import Crypto
import HTTP
import Identity
import Postgres
import Providers
import Storage
import Testing

/// Requests as exact text, and accounts and codes that are written to the database directly.
extension TestGateway {
    /// A gateway with the policy of new projects: the profile `sekisho`, unchanged.
    static func withDefaultPolicy() async throws -> TestGateway { try await TestGateway(.sekisho) { _ in } }

    /// Sends `text` unchanged as the body.
    func send(
        _ method: HTTP.Method, _ path: String, query: [(name: String, value: String)] = [("key", apiKey)],
        headers: Headers = [:], text: String = ""
    ) async throws -> Exchange {
        try await send(method, path, body: Array(text.utf8), query: query, headers: headers)
    }

    /// Posts `text` unchanged, with the API key.
    func post(_ path: String, text: String) async throws -> Exchange {
        try await send(.post, path, text: text)
    }

    func submitForm(_ path: String, text: String, headers: Headers = formHeaders) async throws -> Exchange {
        try await send(.post, path, query: [], headers: headers, text: text)
    }

    static let formHeaders: Headers = ["Content-Type": "application/x-www-form-urlencoded"]

    /// Renames the table of accounts, so that every statement about accounts fails with an unexpected error.
    func makeAccountStatementsFail() async throws {
        _ = try await database.pool.execute("ALTER TABLE account RENAME TO broken_account")
    }

    /// Creates an account with an address and without a password. Sets the address in the database, because a sign-in
    /// by email link, which creates such accounts, would have to be allowed by the project.
    func makeAccountWithoutPassword(at email: String = "ada@example.com") async throws -> Tokens {
        let account = try await signUpAnonymously()
        _ = try await database.pool.execute("UPDATE account SET email = \(email) WHERE id = \(account.localId)")
        return account
    }

    /// Stores an email action code that is valid for an hour, as if the gateway had sent it to `email`. Further data of
    /// the code, for example the new address or the source of a merge, has fixed values.
    func storeCode(
        _ purpose: OOBCode.Purpose, of account: Tokens, at email: String = "ada@example.com"
    ) async throws -> String {
        let code = Random.text(length: 32)
        let stored = OOBCode(
            hash: Digest.sha256(Array(code.utf8)), purpose: purpose, account: ID(account.localId),
            email: try #require(EmailAddress(email)),
            newEmail: [.changeEmail, .recoverEmail].contains(purpose) ? EmailAddress("new@example.com") : nil,
            method: [.removeSignInMethod, .revertFactorAddition].contains(purpose)
                ? AddedSignInMethod(provider: .google, subject: "1", addedAt: clock.now) : nil,
            source: purpose == .undoMerge ? ID("source") : nil, createdAt: clock.now,
            expiresAt: clock.now + .seconds(3600))
        try await PostgresOOBCodeStore(pool: database.pool).issue(
            stored, sending: nil, bySession: nil, forAdministrator: nil, in: realm.id)
        return code
    }
}
