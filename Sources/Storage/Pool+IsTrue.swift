internal import Postgres

extension Pool {
    /// Returns the value of the column `answer` in the only row of `question`.
    func isTrue(_ question: SQL) async throws -> Bool {
        try await withStoreErrors { try await query(question) }.first?.decode("answer") ?? false
    }
}
