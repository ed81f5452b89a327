internal import Crypto
internal import Gateway
internal import Identity
internal import JOSE
internal import Storage

extension Command {
    static let createAPIKey = Command(
        words: ["keys", "create-api-key"],
        help: """
            keys create-api-key             make an API key of an app and print it, this once

              --project ID   whose
              --app ID       which app; "default" unless told
            An API key names an app; it is not a secret, but only its hash is kept.
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "app"])
        try arguments.none()
        let project = try arguments.project()
        let app = ID<App>(arguments.value("app") ?? "default")
        try Administration.run { administration in
            let key = APIKey.generate()
            guard
                try await APIKeyStore(pool: administration.pool).create(
                    id: Random.text(length: 8), hash: key.hash, for: app, in: project, at: administration.clock.now())
            else { throw Failure(message: "there is no app \(app) in a project \(project)") }
            Terminal.writeLine(key.text)
        }
    }

    static let listAPIKeys = Command(
        words: ["keys", "list-api-keys"],
        help: """
            keys list-api-keys              show the API keys of a project

              --project ID   whose
            Reads DATABASE_URL.
            """
    ) { words in
        let project = try Arguments.project(words)
        try Administration.run { administration in
            let keys = try await APIKeyStore(pool: administration.pool).list(in: project)
            Terminal.table(
                [["ID", "APP", "CREATED", "REVOKED"]]
                    + keys.map { [$0.id, $0.app.rawValue, $0.createdAt.iso8601, $0.revokedAt?.iso8601 ?? ""] })
        }
    }

    static let revokeAPIKey = Command(
        words: ["keys", "revoke-api-key"],
        help: """
            keys revoke-api-key ID          end an API key; it stops working within seconds

              --project ID   whose
            Reads DATABASE_URL.
            """
    ) { words in
        try Administration.revoke(words, "API key") { id, project, administration in
            try await APIKeyStore(pool: administration.pool)
                .revoke(id, in: project, at: administration.clock.now())
        }
    }
}
