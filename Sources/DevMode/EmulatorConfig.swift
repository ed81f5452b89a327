internal import API
internal import Gateway
internal import HTTP
internal import Identity
internal import Postgres
internal import Storage

extension [Endpoint] {
    /// Shows and changes the settings of a project that Firebase's emulator has too.
    static func emulatorConfig(on pool: Pool, _ projects: DevProjects) -> [Endpoint] {
        let path = "/emulator/v1/projects/{project}/config"
        return [
            .outsideContract("getEmulatorConfig", .get, path) { call in
                try .json(EmulatorConfig(try await projects.realm(inPathOf: call)))
            },
            .outsideContract("updateEmulatorConfig", .patch, path) { call in
                let change = try call.decodedBody(as: EmulatorConfig.self)
                let configurations = ConfigurationStore(
                    pool: pool, rules: .live(supporting: projects.supportedProviders), secrets: .unavailable,
                    clock: projects.clock)
                let id = try await projects.realm(inPathOf: call).id
                let edit = try await configurations.edit(id, by: .emulator.tracing(call.context.trace), allowing: []) {
                    configuration in
                    change.apply(to: &configuration.realm.policy)
                }
                guard let edit else { throw RequestRefusal.notFound }
                return try .json(EmulatorConfig(edit.after.realm))
            },
        ]
    }
}

/// The configuration of a project in Firebase's emulator. In an update, an absent member leaves the value as it is.
private struct EmulatorConfig: Codable {
    struct SignIn: Codable {
        var allowDuplicateEmails: Bool?
    }

    struct EmailPrivacy: Codable {
        var enableImprovedEmailPrivacy: Bool?
    }

    var signIn: SignIn?
    var emailPrivacyConfig: EmailPrivacy?

    init(_ realm: Realm) {
        signIn = SignIn(allowDuplicateEmails: realm.policy.allowsDuplicateEmails)
        emailPrivacyConfig = EmailPrivacy(enableImprovedEmailPrivacy: realm.policy.emailEnumerationProtection)
    }

    func apply(to policy: inout Policy) {
        if let isAllowed = signIn?.allowDuplicateEmails { policy.allowsDuplicateEmails = isAllowed }
        if let isOn = emailPrivacyConfig?.enableImprovedEmailPrivacy { policy.emailEnumerationProtection = isOn }
    }
}
