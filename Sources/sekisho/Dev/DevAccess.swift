internal import API
internal import Identity

extension Access {
    /// Any API key, and `Bearer owner`, stand for one project: what test suites written for Firebase's emulator rely on.
    /// `serve` has no way to reach this.
    ///
    /// - Parameter project: `nil` asks for the one that requests mean which name none.
    static func anybody(_ project: @escaping @Sendable (ID<Project>?) async throws -> Project?) -> Access {
        Access { credential in
            guard credential.apiKey != nil || credential.bearer?.lowercased() == "owner" else {
                throw credential.bearer == nil ? AccessRefusal.nothingShown : .bearerNotAccepted
            }
            guard let project = try await project(nil) else { throw AccessRefusal.unknownKey }
            return Client(project: project, app: ProjectDraft.app)
        } administrator: { bearer, id in
            guard bearer.lowercased() == "owner" else { throw AccessRefusal.bearerNotAccepted }
            guard let project = try await project(id) else { throw AccessRefusal.otherProject }
            return Administrator(project: project, key: "owner")
        }
    }
}
