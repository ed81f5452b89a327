internal import API
internal import Identity

extension Access {
    /// Any API key, and `Bearer owner`, stand for one project: what test suites written for Firebase's emulator rely on.
    /// `serve` has no way to reach this.
    static func anybody(_ project: @escaping @Sendable () async throws -> Project?) -> Access {
        Access { credential in
            guard credential.apiKey != nil || credential.bearer?.lowercased() == "owner" else {
                throw credential.bearer == nil ? AccessRefusal.nothingShown : .bearerNotAccepted
            }
            guard let project = try await project() else { throw AccessRefusal.unknownKey }
            return Client(project: project, app: ProjectDraft.app)
        }
    }
}
