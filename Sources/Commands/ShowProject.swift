internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let showProject = Command(
        words: ["projects", "show"],
        summary: "Show the configuration of a project, without secrets",
        operand: .projectID,
        options: [.json],
        details: [
            "`sekisho projects policy` shows the policy, and `sekisho apps list` the sign-in methods of each app."
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let id = try ID<Project>(projectNamed: arguments.operand)
        try Administration.run { administration in
            guard let configuration = try await administration.configurations.configuration(of: ID(id)) else {
                throw Failure(message: "project \(id) does not exist")
            }
            let resource = ProjectResource(configuration)
            if arguments.has("json") { return try Terminal.writeJSON(resource) }
            Terminal.writeTable(resource.rows)
        }
    }
}

/// A project as the command prints it.
private struct ProjectResource: Encodable {
    struct Provider: Encodable {
        let providerId: String
        let enabled: Bool
        let clientIds: [String]
        let hasSecret: Bool
    }

    struct App: Encodable {
        let id: String
        let name: String
        let platform: String
    }

    let project: String
    let number: String
    let name: String
    let profile: String
    let authorizedDomains: [String]
    let brandName: String?
    let brandColor: String?
    let senderAddress: String?
    let actionUrl: String?
    let passkeyRpId: String?
    let hasTenants: Bool
    let providers: [Provider]
    let apps: [App]

    init(_ configuration: ProjectConfiguration) {
        let project = configuration.realm.project
        self.project = project.id.rawValue
        number = String(project.number)
        name = configuration.name
        profile = project.profile.rawValue
        authorizedDomains = project.authorizedDomains
        brandName = project.brand.name
        brandColor = project.brand.color?.text
        senderAddress = project.emailSettings.senderAddress?.rawValue
        actionUrl = project.emailSettings.actionURL
        passkeyRpId = project.passkeys.isEnabled ? project.passkeys.rpID : nil
        hasTenants = project.hasTenants
        providers = configuration.realm.providers.map {
            Provider(
                providerId: $0.provider.rawValue, enabled: $0.isEnabled, clientIds: $0.clientIDs,
                hasSecret: $0.hasSecret)
        }
        apps = configuration.apps.map {
            App(id: $0.app.id.rawValue, name: $0.name, platform: $0.app.settings.platform.rawValue)
        }
    }

    /// The members as rows of a name and a value.
    var rows: [[String]] {
        [
            ["ID", project], ["NUMBER", number], ["NAME", name], ["PROFILE", profile],
            ["AUTHORIZED DOMAINS", authorizedDomains.joined(separator: ", ")],
            ["BRAND NAME", brandName ?? ""], ["BRAND COLOR", brandColor ?? ""],
            ["SENDER ADDRESS", senderAddress ?? ""], ["ACTION URL", actionUrl ?? ""],
            ["PASSKEY RP ID", passkeyRpId ?? ""], ["TENANTS", hasTenants ? "yes" : "no"],
        ]
            + providers.map { provider in
                let state = provider.enabled ? "enabled" : "disabled"
                return ["PROVIDER", "\(provider.providerId) (\(state)) \(provider.clientIds.joined(separator: ", "))"]
            } + apps.map { ["APP", "\($0.id) (\($0.platform)) \($0.name)"] }
    }
}
