internal import Crypto
internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let createAPIKey = Command(
        words: ["keys", "create-api-key"],
        summary: "Create an API key for an app and print it",
        options: [.project, .text("app", "ID", "app ID", default: "default")],
        details: [
            "An API key identifies an app; it is not a secret, because every copy of the app contains it. The gateway stores only a hash of the key, so the key cannot be printed again."
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let project = try arguments.project()
        let app = ID<App>(try arguments.text("app"))
        try Administration.run { administration in
            let key = "pk_" + Random.text(length: 36)
            guard
                try await APIKeyStore(pool: administration.pool).create(
                    id: Random.text(length: 8), hash: Digest.sha256(Array(key.utf8)), for: app, in: project,
                    at: administration.clock.now())
            else { throw Failure(message: "project \(project) has no app \(app)") }
            Terminal.writeLine(key)
        }
    }

    static let listAPIKeys = list(
        ["keys", "list-api-keys"], summary: "List the API keys of a project",
        heading: ["ID", "APP", "CREATED", "REVOKED"]
    ) { administration, project in
        try await APIKeyStore(pool: administration.pool).list(in: project).map {
            [$0.id, $0.app.rawValue, $0.createdAt.iso8601, $0.revokedAt?.iso8601 ?? ""]
        }
    }

    static let revokeAPIKey = Command(
        words: ["keys", "revoke-api-key"],
        summary: "Revoke an API key, which stops working within seconds",
        operand: .keyID,
        options: [.project],
        details: ["KEY_ID is the ID of the key, as `sekisho keys list-api-keys` prints it."],
        environment: ["DATABASE_URL"]
    ) { arguments in
        try Administration.revokeKey(arguments, kind: "API key") { id, project, administration in
            try await APIKeyStore(pool: administration.pool)
                .revoke(id, in: project, at: administration.clock.now())
        }
    }
}
