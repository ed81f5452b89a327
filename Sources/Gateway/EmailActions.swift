internal import API
internal import Identity

/// Pages know codes alone; what is done with a code needs its project.
struct LiveEmailActionService: EmailActionService {
    let directory: ConfigurationCache
    let sending: OOBSending
    let redemption: OOBRedemption

    func check(_ code: String) async throws -> CheckedCode {
        let found = try await redemption.check(code, in: nil)
        guard let project = try await directory.realm(found.realm) else { throw OOBCodeRefusal.invalid }
        guard project.tenant?.settings.isDisabled != true else { throw OOBCodeRefusal.notAllowed }
        let name = try await name(of: project)
        return CheckedCode(code: found.code, project: project, projectName: name, account: found.account)
    }

    func resetPassword(
        _ code: String, to password: Secret, removing providers: Set<ProviderID>, from origin: RequestContext
    ) async throws {
        _ = try await redemption.resetPassword(
            code, to: password, removing: providers, in: try await project(of: code), from: origin)
    }

    func apply(_ code: String, from origin: RequestContext) async throws {
        _ = try await redemption.apply(code, in: try await project(of: code), from: origin)
    }

    func recover(_ code: String, removing providers: Set<ProviderID>, from origin: RequestContext) async throws
        -> Remedied
    {
        try await redemption.recover(code, removing: providers, in: try await project(of: code), from: origin)
    }

    func removeSignInMethod(_ code: String, from origin: RequestContext) async throws -> Remedied {
        try await redemption.removeSignInMethod(code, in: try await project(of: code), from: origin)
    }

    func disavow(_ code: String, from origin: RequestContext) async throws {
        try await redemption.disavow(code, in: try await project(of: code), from: origin)
    }

    func undoMerge(_ code: String, from origin: RequestContext) async throws -> Remedied {
        try await redemption.undoMerge(code, in: try await project(of: code), from: origin)
    }

    func sendReset(to email: String, in project: Project, from origin: RequestContext) async throws {
        let request = OOBSending.Request(purpose: .resetPassword, email: email)
        _ = try await sending.send(request, in: project, from: origin)
    }

    func project(_ id: ID<Project>?) async throws -> (Project, name: String)? {
        guard let project = try await directory.projects.value(for: id) else { return nil }
        return (project, name: try await name(of: project))
    }

    private func name(of project: Project) async throws -> String {
        try await directory.editor.configuration(ID(project.id))?.name ?? project.id.rawValue
    }

    private func project(of code: String) async throws -> Project {
        try await check(code).project
    }
}
