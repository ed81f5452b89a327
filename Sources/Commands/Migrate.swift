internal import Gateway
internal import Postgres
internal import Storage

extension Command {
    static let migrate = Command(
        words: ["migrate"],
        summary: "Apply the missing migrations to the database",
        details: [
            "Each migration is applied once, even if several processes run this command at the same time. Run the command before you start the new release; the previous release keeps working meanwhile.",
            "A migration that needs a lock waits for it at most two seconds, so that requests do not wait longer behind it, and is then tried again for at most an hour. If `sekisho serve` uses a connection pooler such as PgBouncer, give this command a DATABASE_URL that leads to PostgreSQL itself.",
        ],
        environment: ["DATABASE_URL"]
    ) { _ in
        try Administration.runWithoutMigrationCheck { administration in
            let applied = try await Schema.migrate(administration.pool) {
                Terminal.writeError("\($0) waits for a lock that another transaction holds; trying again")
            }
            for name in applied { Terminal.writeLine("applied \(name)") }
            if applied.isEmpty { Terminal.writeLine("nothing to apply") }
        }
    }
}
