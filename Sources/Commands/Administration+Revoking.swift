internal import Gateway
internal import Identity

extension Administration {
    /// Revokes the key whose ID is the operand, in the project of `--project`.
    ///
    /// - Parameters:
    ///   - kind: the kind of key in messages, for example `API key`.
    ///   - revoke: revokes the key; returns `false` if the project has no such key, or if the key is already revoked.
    static func revokeKey(
        _ arguments: Arguments, kind: String,
        _ revoke: @escaping @Sendable (String, ID<Project>, Administration) async throws -> Bool
    ) throws {
        let project = try arguments.project()
        let id = arguments.operand
        try run { administration in
            guard try await revoke(id, project, administration) else {
                throw Failure(message: "project \(project) has no \(kind) \(id), or it is already revoked")
            }
            Terminal.writeLine("revoked \(id)")
        }
    }
}
