internal import Crypto
internal import Gateway
internal import Identity
internal import JSON
internal import Storage

extension Command {
    static let createServiceKey = Command(
        words: ["keys", "create-service-key"],
        help: """
            keys create-service-key         make a backend's key and print it as JSON, this once

              --project ID        whose
              --name NAME         shown to operators
              --scopes LIST       what it may do, with commas between: \(ServiceKeyScopes.allNames.joined(separator: ", "))
                                  (without it: all)
              --expires-in DAYS   1 to 3650; without it the key works until it is revoked
              --algorithm NAME    of its key pair: RS256 (default) or ES256
            Prints id, bearer secret and private key; of these only a hash and the public key are kept.
            These scopes let a key become any user: users.link; tokens.mint (custom tokens, session cookies, email
            links); config with trust (issuers, client IDs, secrets, authorized domains, link targets). A key with
            users.write can set any user's password.
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "name", "algorithm", "scopes", "expires-in"])
        try arguments.none()
        let project = try arguments.project()
        let name = try arguments.required("name")
        guard let algorithm = SignatureAlgorithm(rawValue: arguments.value("algorithm") ?? "RS256") else {
            throw UsageError(message: "--algorithm is ES256 or RS256")
        }
        guard let scopes = arguments.value("scopes").map(ServiceKeyScopes.init(parsing:)) ?? .all else {
            throw UsageError(
                message: "--scopes takes of \(ServiceKeyScopes.allNames.joined(separator: ", ")), with commas between")
        }
        let days = try arguments.number("expires-in", in: 1...3650)
        try Administration.run { administration in
            let key = try PrivateKey.generate(algorithm)
            let id = Random.text(length: 16)
            let secret = "sks_" + Random.text(length: 48)
            let now = administration.clock.now()
            let draft = ServiceKeyStore.Draft(
                id: id, name: name, secretHash: Digest.sha256(Array(secret.utf8)), publicKey: try key.publicKey.pem,
                scopes: scopes, expiresAt: days.map { now + .seconds($0 * 86_400) })
            guard try await ServiceKeyStore(pool: administration.pool).create(draft, in: project, at: now) else {
                throw Failure(message: "there is no project \(project)")
            }
            let printed = PrintedServiceKey(
                projectId: project.rawValue, id: id, secret: secret, algorithm: algorithm.rawValue,
                scopes: scopes.names, expiresAt: draft.expiresAt?.iso8601, privateKey: try key.pem)
            Terminal.writeLine(String(decoding: try StrictJSON.encode(printed), as: UTF8.self))
        }
    }

    static let listServiceKeys = Command(
        words: ["keys", "list-service-keys"],
        help: """
            keys list-service-keys          show the service keys of a project, what they may do, and their last use

              --project ID   whose
            The last use is some minutes behind.
            Reads DATABASE_URL.
            """
    ) { words in
        let project = try Arguments.project(words)
        try Administration.run { administration in
            let keys = try await ServiceKeyStore(pool: administration.pool).list(in: project)
            Terminal.table(
                [["ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "REVOKED"]]
                    + keys.map {
                        [
                            $0.id, $0.name, $0.scopes.names.joined(separator: ","), $0.createdAt.iso8601,
                            $0.expiresAt?.iso8601 ?? "", $0.lastUsedAt?.iso8601 ?? "", $0.revokedAt?.iso8601 ?? "",
                        ]
                    })
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
    let scopes: [String]
    let expiresAt: String?
    let privateKey: String
}
