internal import API
internal import Crypto
internal import Gateway
package import Identity
package import Postgres
internal import Storage

/// The projects of `dev`: each comes into being when it is first asked for.
package struct DevProjects: Sendable {
    /// Nothing but a request is needed to make one.
    static let limit = 1000
    /// From when keys sign: the clock may be set back.
    package static let beginning = Instant(seconds: 0)

    package let pool: Pool
    let masterKeys: MasterKeys
    let clock: WallClock
    let defaultID: ID<Project>

    /// - Returns: `nil` if the id cannot be a project's, or there are too many.
    func project(_ id: ID<Project>?) async throws -> Project? {
        var project = try await made(id ?? defaultID)
        project?.hasTenants = true
        return project
    }

    /// As Firebase's emulator has it: whoever names a tenant finds it, with everything on, and providers need no
    /// configuring.
    ///
    /// - Returns: `nil` if it has been deleted, or there are too many.
    func tenant(_ found: Project?, _ id: ID<Tenant>, of project: Project) async throws -> Project? {
        let made = found == nil ? try await make(id, of: project) : nil
        guard var home = found ?? made else { return nil }
        if home.providers.isEmpty { home.providers = DevProviders.settings }
        return home
    }

    private func make(_ id: ID<Tenant>, of project: Project) async throws -> Project? {
        let store = PostgresTenantStore(pool: pool)
        guard try await store.tenants(after: nil, limit: Self.limit, of: project.id).count < Self.limit else {
            return nil
        }
        var settings = TenantSettings()
        (settings.allowsPasswords, settings.allowsEmailLinks, settings.allowsAnonymous) = (true, true, true)
        let tenant = Tenant(id: id, parent: project.id, settings: settings)
        try await store.create(tenant, by: .system, at: clock.now())
        return try await ProjectStore(pool: pool).realm(tenant.realm)
    }

    private func made(_ id: ID<Project>) async throws -> Project? {
        let store = ProjectStore(pool: pool)
        if let project = try await store.project(id) { return project }
        guard ProjectDraft.canBeID(id.rawValue), try await store.all().count < Self.limit else { return nil }
        // Whoever comes second finds what the first has made.
        _ = try await ProjectDraft(devProject: id.rawValue)
            .create(in: pool, under: masterKeys, by: .system, at: clock.now(), signsFrom: Self.beginning)
        return try await store.project(id)
    }
}

extension ProjectDraft {
    /// Firebase's defaults, what suites written for its emulator rely on (no enumeration protection), and the
    /// providers, so that nothing needs configuring.
    package init(devProject id: String) throws {
        var policy = Policy(.firebase)
        policy.emailEnumerationProtection = false
        try self.init(id: id, name: id, profile: .firebase, policy: policy, algorithm: .es256, domains: ["localhost"])
        project.providers = DevProviders.settings
        secrets = try DevProviders.secrets()
    }
}
