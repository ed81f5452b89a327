public import Identity

/// What a project's mail needs to know of it.
public struct SendingProject: Sendable {
    public let project: Project
    /// Shown to whoever is written to.
    public let name: String

    public init(project: Project, name: String) {
        self.project = project
        self.name = name
    }
}
