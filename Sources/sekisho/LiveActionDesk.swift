internal import API
internal import Identity

/// The desk of a gateway that sends no mail: nobody has a code.
struct LiveActionDesk: ActionDesk {
    let directory: Directory

    func check(_ code: String) async throws -> CheckedCode {
        throw code.isEmpty ? OOBCodeRefusal.missing : .invalid
    }

    func resetPassword(_ code: String, to password: Secret, from origin: Origin) async throws {
        throw OOBCodeRefusal.invalid
    }

    func apply(_ code: String, from origin: Origin) async throws { throw OOBCodeRefusal.invalid }

    func disavow(_ code: String, from origin: Origin) async throws { throw OOBCodeRefusal.invalid }

    func sendReset(to email: String, in project: Project, from origin: Origin) async throws {
        throw OOBCodeRefusal.notAllowed
    }

    func project(_ id: ID<Project>?) async throws -> (Project, name: String)? {
        guard let project = try await directory.projects.value(for: id) else { return nil }
        let name = try await directory.editor.configuration(project.id)?.name
        return (project, name: name ?? project.id.rawValue)
    }
}
