internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let createApp = Command(
        words: ["apps", "create"],
        help: """
            apps create ID                  add an app to a project

            ID has at most 63 characters: a to z, 0 to 9 and hyphens. The app shows every way to sign in that the
            project has enabled; `projects apply` can say otherwise.
              --project ID   whose
              --name NAME    shown to operators; ID by default
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "name"])
        let project = try arguments.project()
        let id = try arguments.only("app id")
        guard ID<App>(id).canBeApp else {
            throw UsageError(message: "an app id has at most 63 characters, a-z, 0-9 and hyphens")
        }
        let name = arguments.value("name") ?? id
        try Administration.run { administration in
            let edit = try await administration.configurations.edit(ID(project), by: .commandLine, allowing: []) {
                configuration in
                guard configuration.app(ID(id)) == nil else { throw Failure(message: "there is an app \(id) already") }
                configuration.set(ConfiguredApp(app: App(id: ID(id)), name: name))
            }
            guard edit != nil else { throw Failure(message: "there is no project \(project)") }
            Terminal.writeLine("created app \(id)")
        }
    }

    static let listApps = Command(
        words: ["apps", "list"],
        help: """
            apps list                       show the apps of a project and how people sign in there

              --project ID   whose
            Reads DATABASE_URL.
            """
    ) { words in
        let id = try Arguments.project(words)
        try Administration.run { administration in
            let store = ProjectStore(pool: administration.pool)
            guard let project = try await store.project(id) else { throw Failure(message: "there is no project \(id)") }
            Terminal.table(
                [["ID", "NAME", "PLATFORM", "SIGN-IN METHODS"]]
                    + (try await store.apps(of: id)).map { configured in
                        let services = LoginServices(of: configured.app, in: project)
                        return [
                            configured.app.id.rawValue, configured.name, configured.app.settings.platform.rawValue,
                            services.methods.map(\.rawValue).joined(separator: ", "),
                        ]
                    })
        }
    }
}
