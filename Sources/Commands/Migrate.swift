internal import Gateway
internal import Postgres
internal import Storage

extension Command {
    static let migrate = Command(
        words: ["migrate"],
        help: """
            migrate                         bring the database up to this release

            Applies the migrations that are missing, in order, each once, however many do so at the same time.
            Run it before the new release is started; the release before goes on working beside it.
            Reads DATABASE_URL.
            """
    ) { words in
        try Arguments(words, options: []).none()
        try Administration.runUnmigrated { administration in
            let applied = try await Schema.migrate(administration.pool)
            for name in applied { Terminal.writeLine("applied \(name)") }
            if applied.isEmpty { Terminal.writeLine("nothing to apply") }
        }
    }
}
