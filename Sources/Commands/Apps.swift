internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let createApp = Command(
        words: ["apps", "create"],
        summary: "Add an app to a project",
        operand: Operand(placeholder: "APP_ID", noun: "app ID"),
        options: [.project, .text("name", "NAME", "name shown only to operators", defaultNote: "APP_ID")],
        details: [
            "APP_ID has 1 to 63 characters: a to z, 0 to 9 and hyphens, but no hyphen at the beginning; `account` and `console` are reserved. The app has the platform and distribution `other`, no bundle ID, and every sign-in method that the project enables; `sekisho projects apply` can change these settings."
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let project = try arguments.project()
        let id = arguments.operand
        guard ID<App>(id).isValidAppID else {
            throw UsageError(
                message:
                    "expected an app ID of at most 63 characters (a-z, 0-9 and hyphens, not beginning with a hyphen, neither account nor console), got \"\(id)\""
            )
        }
        let name = arguments.optionalText("name") ?? id
        try Administration.run { administration in
            let edit = try await administration.configurations.edit(ID(project), by: .commandLine, allowing: []) {
                configuration in
                guard configuration.app(ID(id)) == nil else { throw Failure(message: "app \(id) already exists") }
                configuration.set(ConfiguredApp(app: App(id: ID(id)), name: name))
            }
            guard let edit else { throw Failure(message: "project \(project) does not exist") }
            Terminal.writeLine("created app \(id)")
            edit.after.writeWarnings()
        }
    }

    static let deleteApp = Command(
        words: ["apps", "delete"],
        summary: "Delete an app and its API keys",
        operand: Operand(placeholder: "APP_ID", noun: "app ID"),
        options: [.project, .yes],
        details: ["Copies of the app that use one of its API keys stop working within seconds."],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let project = try arguments.project()
        let id = ID<App>(arguments.operand)
        try arguments.requireConfirmation("Delete the app \(id) of the project \(project) and its API keys?")
        try Administration.run { administration in
            let edit = try await administration.configurations.edit(ID(project), by: .commandLine, allowing: []) {
                configuration in
                guard configuration.app(id) != nil else {
                    throw Failure(message: "project \(project) has no app \(id)")
                }
                configuration.remove(id)
            }
            guard let edit else { throw Failure(message: "project \(project) does not exist") }
            Terminal.writeLine("deleted app \(id)")
            edit.after.writeWarnings()
        }
    }

    static let listApps = Command(
        words: ["apps", "list"],
        summary: "List the apps of a project and their sign-in methods",
        options: [.project, .json],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let id = try arguments.project()
        try Administration.run { administration in
            let store = administration.projects
            guard let realm = try await store.realm(ofProject: id) else {
                throw Failure(message: "project \(id) does not exist")
            }
            try Terminal.writeList(
                [["ID", "NAME", "PLATFORM", "SIGN-IN METHODS"]]
                    + (try await store.apps(of: id)).map { configured in
                        let services = LoginServices(of: configured.app, in: realm)
                        return [
                            configured.app.id.rawValue, configured.name, configured.app.settings.platform.rawValue,
                            services.methods.map(\.rawValue).joined(separator: ", "),
                        ]
                    }, arguments)
        }
    }
}
