public import Identity
public import Postgres

/// Stores the grace periods of apps that violate Apple's App Review guideline 4.8; see ``LoginServicesGrace``.
public struct GracePeriodStore: Sendable {
    /// An app that violates the guideline.
    public struct Violation: Hashable, Sendable {
        public let project: ID<Project>
        public let app: ID<App>
        /// The end of the app's grace period; it can be in the past.
        public let graceEndsAt: Instant

        public init(project: ID<Project>, app: ID<App>, graceEndsAt: Instant) {
            self.project = project
            self.app = app
            self.graceEndsAt = graceEndsAt
        }
    }

    private let pool: Pool
    private let supportedProviders: SupportedProviders

    public init(pool: Pool, supporting supportedProviders: SupportedProviders) {
        self.pool = pool
        self.supportedProviders = supportedProviders
    }

    /// Begins a grace period for each app that violates the guideline and has no grace period, and deletes the grace
    /// periods of compliant apps.
    ///
    /// - Returns: the apps that violate the guideline.
    public func update(at now: Instant) async throws -> [Violation] {
        var violations: [Violation] = []
        for realm in try await ProjectStore(pool: pool, supporting: supportedProviders).projectRealms() {
            violations += try await withStoreErrors {
                try await pool.transaction { try await update(realm.project.id, at: now, in: $0) }
            }
        }
        return violations
    }

    private func update(
        _ id: ID<Project>, at now: Instant, in transaction: Transaction
    ) async throws -> [Violation] {
        guard try await transaction.lockConfiguration(of: id) else { return [] }
        let rows =
            try await transaction.query(.realms([ID(id)])) + transaction.query(.tenantsWithSignInMethods(of: id))
        let realms = try rows.map { try Realm($0, supporting: supportedProviders) }
        var violations: [Violation] = []
        for configured in try await transaction.query(.apps(of: id)).map(ConfiguredApp.init) {
            let end = LoginServicesGrace.end(for: configured.app, in: realms, startingAt: now)
            if end != configured.app.graceEndsAt {
                var changed = configured
                changed.app.graceEndsAt = end
                _ = try await transaction.execute(try .set(changed, of: id, at: now))
            }
            if let end { violations.append(Violation(project: id, app: configured.app.id, graceEndsAt: end)) }
        }
        return violations
    }
}
