import Postgres

extension TestGateway {
    /// Replaces the settings of the only app with a JSON object, and returns a gateway with fresh caches. The settings
    /// are written to the database directly, because the gateway rejects settings that violate App Review guideline 4.8.
    func withApp(_ settings: String) async throws -> TestGateway {
        _ = try await database.pool.execute("UPDATE app SET settings = \(settings)::text::jsonb")
        return try withFreshCaches()
    }

    /// Merges `members`, a JSON object, into the settings of a provider, and returns a gateway with fresh caches.
    func withProvider(_ provider: String, _ members: String) async throws -> TestGateway {
        _ = try await database.pool.execute(
            """
            UPDATE identity_provider SET settings = settings || \(members)::text::jsonb WHERE provider = \(provider)
            """)
        return try withFreshCaches()
    }
}
