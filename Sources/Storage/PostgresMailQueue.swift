public import Identity
public import Postgres

public struct PostgresMailQueue: Sendable {
    private let pool: Pool
    public init(pool: Pool) { self.pool = pool }
    public func bind(_ code: [UInt8], of letter: QueuedLetter) async throws -> Bool {
        _ = try await pool.execute(
            """
            INSERT INTO oob_code (hash, project_id, purpose, account_id, generation, email, created_at, expires_at)
            SELECT \(code), a.project_id, 'PASSWORD_RESET', a.id, a.generation, a.email, \(Timestamp(letter.letter.createdAt)), \(Timestamp(letter.letter.expiresAt))
            FROM account a WHERE a.project_id = \(letter.project.rawValue) AND a.email = \(letter.letter.recipient.rawValue)
            ON CONFLICT DO NOTHING
            """)
        return true
    }
}
