/// Changes what is configured of a project.
public struct ProjectEditor: Sendable {
    /// Hands the project as it is stored to `change` and stores what becomes of it; nobody else changes it meanwhile.
    /// What `change` throws leaves everything as it was.
    ///
    /// Returns `nil` if there is no such project.
    public var edit:
        @Sendable (ID<Project>, _ change: @escaping @Sendable (inout Project) throws -> Void) async throws -> Project?

    public init(
        edit:
            @escaping @Sendable (
                ID<Project>, _ change: @escaping @Sendable (inout Project) throws -> Void
            ) async throws -> Project?
    ) {
        self.edit = edit
    }
}
