internal import API
internal import Crypto
internal import Identity
internal import Postgres
internal import Storage

/// The projects of `dev`: each comes into being when it is first asked for.
struct DevProjects: Sendable {
    /// Nothing but a request is needed to make one.
    static let limit = 1000
    /// From when keys sign: the clock may be set back.
    static let beginning = Instant(seconds: 0)

    let pool: Pool
    let masterKeys: MasterKeys
    let clock: WallClock
    let defaultID: ID<Project>

    /// - Returns: `nil` if the id cannot be a project's, or there are too many.
    func project(_ id: ID<Project>?) async throws -> Project? {
        let id = id ?? defaultID
        let store = ProjectStore(pool: pool)
        if let project = try await store.project(id) { return project }
        guard ProjectDraft.canBeID(id.rawValue), try await store.all().count < Self.limit else { return nil }
        // Whoever comes second finds what the first has made.
        _ = try await ProjectDraft(devProject: id.rawValue)
            .create(in: pool, under: masterKeys, at: clock.now(), signsFrom: Self.beginning)
        return try await store.project(id)
    }
}

extension ProjectDraft {
    /// Firebase's defaults, what suites written for its emulator rely on (no enumeration protection), and the
    /// providers, so that nothing needs configuring.
    init(devProject id: String) throws {
        var policy = Policy(.firebase)
        policy.hidesAccounts = false
        try self.init(id: id, name: id, profile: .firebase, policy: policy, algorithm: .es256, domains: ["localhost"])
        project.providers = DevProviders.settings
        secrets = try DevProviders.secrets()
    }
}
