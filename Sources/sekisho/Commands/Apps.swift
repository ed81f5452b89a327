internal import Identity
internal import Storage

extension Command {
    static let createApp = Command(
        words: ["apps", "create"],
        help: """
            apps create ID                  add an app to a project

            ID has at most 63 characters: a to z, 0 to 9 and hyphens.
              --project ID   whose
              --name NAME    shown to operators; ID by default
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "name"])
        let project = ID<Project>(try arguments.required("project"))
        let id = try arguments.only("app id")
        guard id.wholeMatch(of: #/[a-z0-9][a-z0-9-]{0,62}/#) != nil else {
            throw UsageError(message: "an app id has at most 63 characters, a-z, 0-9 and hyphens")
        }
        let name = arguments.value("name") ?? id
        try Administration.run { administration in
            let isAdded = try await ProjectStore(pool: administration.pool)
                .add(App(id: ID(id)), name: name, to: project, at: administration.clock.now())
            guard isAdded else { throw Failure(message: "no project \(project), or it has an app \(id) already") }
            Terminal.say("created app \(id)")
        }
    }

    static let listApps = Command(
        words: ["apps", "list"],
        help: """
            apps list                       show the apps of a project

              --project ID   whose
            Reads DATABASE_URL.
            """
    ) { words in
        let project = try Arguments.project(words)
        try Administration.run { administration in
            let apps = try await ProjectStore(pool: administration.pool).apps(of: project)
            Terminal.table([["ID", "NAME"]] + apps.map { [$0.app.id.rawValue, $0.name] })
        }
    }
}
