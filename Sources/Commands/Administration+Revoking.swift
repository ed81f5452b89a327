internal import Gateway
internal import Identity

extension Administration {
    /// For the commands that end a key, named by its id and `--project`.
    static func revoke(
        _ words: [String], _ what: String,
        _ body: @escaping @Sendable (String, ID<Project>, Administration) async throws -> Bool
    ) throws {
        let arguments = try Arguments(words, options: ["project"])
        let project = try arguments.project()
        let id = try arguments.only("key id")
        try run { administration in
            guard try await body(id, project, administration) else {
                throw Failure(message: "there is no working \(what) \(id) in project \(project)")
            }
            Terminal.writeLine("revoked \(id)")
        }
    }
}
