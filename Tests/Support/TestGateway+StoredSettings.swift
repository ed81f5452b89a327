import Postgres

extension TestGateway {
    /// Replaces the settings of every app with a JSON object, and returns a gateway with fresh caches.
    ///
    /// Writes the settings to the database, because the admin API rejects settings that violate App Review guideline
    /// 4.8.
    func withAppSettings(_ settings: String) async throws -> TestGateway {
        _ = try await database.pool.execute("UPDATE app SET settings = \(settings)::text::jsonb")
        return try withFreshCaches()
    }

    /// Merges a JSON object into the stored settings of a provider, and returns a gateway with fresh caches.
    func mergingProviderSettings(_ provider: String, _ members: String) async throws -> TestGateway {
        _ = try await database.pool.execute(
            """
            UPDATE identity_provider SET settings = settings || \(members)::text::jsonb WHERE provider = \(provider)
            """)
        return try withFreshCaches()
    }
}
