internal import API
internal import HTTP
internal import Identity
internal import Postgres
internal import Storage

extension [Endpoint] {
    /// The part of a project's configuration that suites change.
    static func emulatorConfig(on pool: Pool, _ projects: DevProjects) -> [Endpoint] {
        let path = "/emulator/v1/projects/{project}/config"
        return [
            .extra("getEmulatorConfig", .get, path) { call in
                try .json(EmulatorConfig(try await projects.named(by: call)))
            },
            .extra("updateEmulatorConfig", .patch, path) { call in
                let change = try call.decoded(as: EmulatorConfig.self)
                guard change.signIn?.allowDuplicateEmails != true else {
                    throw RequestRefusal.notImplemented("signIn.allowDuplicateEmails")
                }
                var project = try await projects.named(by: call)
                if let isHiding = change.emailPrivacyConfig?.enableImprovedEmailPrivacy {
                    project.policy.hidesAccounts = isHiding
                    _ = try await ProjectStore(pool: pool).set(project.policy, of: project)
                }
                return try .json(EmulatorConfig(project))
            },
        ]
    }
}

/// In a change, what is absent stays.
private struct EmulatorConfig: Codable {
    struct SignIn: Codable {
        var allowDuplicateEmails: Bool?
    }

    struct EmailPrivacy: Codable {
        var enableImprovedEmailPrivacy: Bool?
    }

    var signIn: SignIn?
    var emailPrivacyConfig: EmailPrivacy?

    init(_ project: Project) {
        signIn = SignIn(allowDuplicateEmails: false)
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: project.policy.hidesAccounts)
    }
}
