internal import Gateway
internal import Postgres
internal import Storage

extension Command {
    static let migrate = Command(
        words: ["migrate"],
        summary: "Apply the missing migrations to the database",
        details: [
            "Each migration is applied once, even if several processes run this command at the same time. Run the command before you start the new release; the previous release keeps working meanwhile."
        ],
        environment: ["DATABASE_URL"]
    ) { _ in
        try Administration.runWithoutMigrationCheck { administration in
            let applied = try await Schema.migrate(administration.pool)
            for name in applied { Terminal.writeLine("applied \(name)") }
            if applied.isEmpty { Terminal.writeLine("nothing to apply") }
        }
    }
}
