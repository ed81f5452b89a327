internal import Crypto
internal import Identity
internal import JSONText
internal import Storage

extension Command {
    static let createServiceKey = Command(
        words: ["keys", "create-service-key"],
        help: """
            keys create-service-key         make a backend's key and print it as JSON, this once

              --project ID        whose
              --name NAME         shown to operators
              --algorithm NAME    of its key pair: RS256 (default) or ES256
            Prints id, bearer secret and private key; of these only a hash and the public key are kept.
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "name", "algorithm"])
        try arguments.none()
        let project = ID<Project>(try arguments.required("project"))
        let name = try arguments.required("name")
        guard let algorithm = SignatureAlgorithm(rawValue: arguments.value("algorithm") ?? "RS256") else {
            throw UsageError(message: "--algorithm is ES256 or RS256")
        }
        try Administration.run { administration in
            let key = try PrivateKey.generate(algorithm)
            let id = Random.text(length: 16)
            let secret = "sks_" + Random.text(length: 48)
            guard
                try await ServiceKeyStore(pool: administration.pool).create(
                    id: id, name: name, secretHash: Digest.sha256(Array(secret.utf8)), publicKey: try key.publicKey.pem,
                    in: project, at: administration.clock.now())
            else { throw Failure(message: "there is no project \(project)") }
            let printed = PrintedServiceKey(
                projectId: project.rawValue, id: id, secret: secret, algorithm: algorithm.rawValue,
                privateKey: try key.pem)
            Terminal.say(String(decoding: try StrictJSON.encode(printed), as: UTF8.self))
        }
    }

    static let listServiceKeys = Command(
        words: ["keys", "list-service-keys"],
        help: """
            keys list-service-keys          show the service keys of a project

              --project ID   whose
            Reads DATABASE_URL.
            """
    ) { words in
        let project = try Arguments.project(words)
        try Administration.run { administration in
            let keys = try await ServiceKeyStore(pool: administration.pool).list(in: project)
            Terminal.table(
                [["ID", "NAME", "CREATED", "REVOKED"]]
                    + keys.map { [$0.id, $0.name, $0.createdAt.iso8601, $0.revokedAt?.iso8601 ?? ""] })
        }
    }

    static let revokeServiceKey = Command(
        words: ["keys", "revoke-service-key"],
        help: """
            keys revoke-service-key ID      end a service key; it stops working within seconds

              --project ID   whose
            Reads DATABASE_URL.
            """
    ) { words in
        try Administration.revoke(words, "service key") { id, project, administration in
            try await ServiceKeyStore(pool: administration.pool)
                .revoke(id, in: project, at: administration.clock.now())
        }
    }
}

private struct PrintedServiceKey: Encodable {
    let projectId: String
    let id: String
    let secret: String
    let algorithm: String
    let privateKey: String
}
