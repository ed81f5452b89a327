import Postgres

extension TestGateway {
    /// The gateway with other settings of its only app. They are written to the database directly, because the gateway
    /// rejects settings that violate guideline 4.8.
    func withApp(_ settings: String) async throws -> TestGateway {
        _ = try await database.pool.execute("UPDATE app SET settings = \(settings)::text::jsonb")
        return try withFreshCaches()
    }

    /// The gateway with `members` merged into the settings of a provider.
    func withProvider(_ provider: String, _ members: String) async throws -> TestGateway {
        _ = try await database.pool.execute(
            """
            UPDATE identity_provider SET settings = settings || \(members)::text::jsonb WHERE provider = \(provider)
            """)
        return try withFreshCaches()
    }
}
