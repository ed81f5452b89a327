public import Identity

/// What the endpoints of projects, apps and tenants use.
public struct ProjectServices: Sendable {
    let editor: ProjectEditor
    let tenancy: Tenancy
    /// Returns `nil` if the project has no such app.
    let app: @Sendable (ID<App>, ID<Project>) async throws -> App?

    public init(
        editor: ProjectEditor, tenancy: Tenancy, app: @escaping @Sendable (ID<App>, ID<Project>) async throws -> App?
    ) {
        self.editor = editor
        self.tenancy = tenancy
        self.app = app
    }
}
