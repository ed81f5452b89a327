public import Identity

/// The project that an email is sent for.
public struct SendingProject: Sendable {
    public let project: Project
    /// The display name, which recipients see.
    public let name: String

    public init(project: Project, name: String) {
        self.project = project
        self.name = name
    }
}
