internal import API
internal import Gateway
internal import HTTP
internal import Identity
internal import Postgres
internal import Storage

extension [Endpoint] {
    /// Shows and changes the members of a project's configuration that Firebase's emulator has.
    static func emulatorConfig(on pool: Pool, _ projects: DevProjects) -> [Endpoint] {
        let path = "/emulator/v1/projects/{project}/config"
        return [
            .extra("getEmulatorConfig", .get, path) { call in
                try .json(EmulatorConfig(try await projects.named(by: call)))
            },
            .extra("updateEmulatorConfig", .patch, path) { call in
                let change = try call.decoded(as: EmulatorConfig.self)
                let configurations = ConfigurationStore(
                    pool: pool, rules: .live(), secrets: .absent, clock: projects.clock)
                let id = try await projects.named(by: call).realm
                let edit = try await configurations.edit(id, by: .emulator.tracing(call.trace), allowing: []) {
                    configuration in
                    change.apply(to: &configuration.project.policy)
                }
                guard let edit else { throw RequestRefusal.notFound }
                return try .json(EmulatorConfig(edit.after.project))
            },
        ]
    }
}

/// The members of the configuration that the emulator has. In an update, an absent member leaves the value as it is.
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
        signIn = SignIn(allowDuplicateEmails: project.policy.allowsDuplicateEmails)
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: project.policy.emailEnumerationProtection)
    }

    func apply(to policy: inout Policy) {
        if let isAllowed = signIn?.allowDuplicateEmails { policy.allowsDuplicateEmails = isAllowed }
        if let isOn = emailPrivacyConfig?.enableImprovedEmailPrivacy { policy.emailEnumerationProtection = isOn }
    }
}
