import Postgres

extension TestGateway {
    /// The gateway with other settings of its only app. They are written to the database, because administrators cannot
    /// store settings that violate the guideline.
    func withApp(_ settings: String) async throws -> TestGateway {
        _ = try await database.pool.execute("UPDATE app SET settings = \(settings)::text::jsonb")
        return try withFreshCaches()
    }

    /// The gateway with other members of a provider's settings.
    func withProvider(_ provider: String, _ members: String) async throws -> TestGateway {
        _ = try await database.pool.execute(
            """
            UPDATE identity_provider SET settings = settings || \(members)::text::jsonb WHERE provider = \(provider)
            """)
        return try withFreshCaches()
    }
}
