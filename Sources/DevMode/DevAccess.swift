internal import API
internal import Gateway
internal import Identity

extension Access {
    /// Any API key, and `Bearer owner`, open everything: what test suites written for Firebase's emulator rely on.
    /// `serve` has no way to reach this.
    ///
    /// - Parameters:
    ///   - project: finds what is asked for, or nothing if it cannot be a project.
    ///   - app: whose every request is.
    static func anybody(
        _ project: @escaping ProjectLookup, app: @escaping @Sendable (ID<Project>) async throws -> App
    ) -> Access {
        @Sendable func found(_ id: ID<Project>?) async throws -> Project {
            guard let project = try await project(id) else { throw RequestRefusal.notFound }
            return project
        }
        return Access { credential in
            guard credential.bearer.map(isOwner) ?? (credential.apiKey != nil) else {
                throw credential.bearer == nil ? AccessRefusal.missingCredentials : .bearerNotAccepted
            }
            let project = try await found(nil)
            return CallingApp(project: project, app: try await app(project.id))
        } administrator: { bearer, id in
            guard isOwner(bearer) else { throw AccessRefusal.bearerNotAccepted }
            return Administrator(project: try await found(id), actor: .emulator, scopes: .all)
        }
    }

    /// Also anything that looks like an access token of Google's, as the emulator has it.
    private static func isOwner(_ bearer: String) -> Bool {
        bearer.lowercased() == "owner" || bearer.hasPrefix("ya29.")
    }
}
