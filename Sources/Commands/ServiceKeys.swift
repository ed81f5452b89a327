internal import Crypto
internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let createServiceKey = Command(
        words: ["keys", "create-service-key"],
        summary: "Create a service key for a backend and print it as JSON",
        options: [
            .project,
            .text("name", "NAME", "name shown only to operators", isRequired: true),
            .text(
                "scopes", "LIST",
                "comma-separated list of scopes from the table below, or all", defaultNote: "all"),
            .number("expires-in", "DAYS", in: 1...3650, "lifetime in days", defaultNote: "until it is revoked"),
            .choice(
                "algorithm", "NAME", ["RS256", "ES256"], "algorithm of the key pair for custom tokens",
                default: "RS256"),
        ],
        details: [
            "Prints the ID, the secret and the private key. The backend sends the secret as the bearer token of its requests, and signs custom tokens with the private key. The gateway stores only the public key and a hash of the secret, so neither the secret nor the private key can be printed again.",
            "A key can act as any user if it has the scope users.link, the scope users.write (which can set passwords), the scope tokens.mint, or both scopes config and trust.",
        ],
        tables: [
            HelpTable(title: "Scopes", rows: ServiceKeyScope.allCases.map { ($0.rawValue, $0.help) })
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let project = try arguments.project()
        let name = try arguments.text("name")
        let algorithm: SignatureAlgorithm = try arguments.choice("algorithm")
        let scopes = try ServiceKeyScopes(arguments)
        let days = arguments.optionalNumber("expires-in")
        try Administration.run { administration in
            let key = try PrivateKey.generate(algorithm)
            let id = Random.text(length: 16)
            let secret = "sks_" + Random.text(length: 48)
            let now = administration.clock.now()
            let draft = ServiceKeyStore.Draft(
                id: id, name: name, secretHash: Digest.sha256(Array(secret.utf8)), publicKey: try key.publicKey.pem,
                scopes: scopes, expiresAt: days.map { now + .seconds($0 * 86_400) })
            guard try await ServiceKeyStore(pool: administration.pool).create(draft, in: project, at: now) else {
                throw Failure(message: "project \(project) does not exist")
            }
            let printed = PrintedServiceKey(
                projectId: project.rawValue, id: id, secret: secret, algorithm: algorithm.rawValue,
                scopes: scopes.names, expiresAt: draft.expiresAt?.iso8601, privateKey: try key.pem)
            try Terminal.writeJSON(printed)
        }
    }

    static let listServiceKeys = list(
        ["keys", "list-service-keys"], summary: "List the service keys of a project with their scopes and last use",
        details: ["LAST USED can be a few minutes earlier than the actual last use."],
        heading: ["ID", "NAME", "SCOPES", "CREATED", "EXPIRES", "LAST USED", "REVOKED"]
    ) { administration, project in
        try await ServiceKeyStore(pool: administration.pool).list(in: project).map {
            [
                $0.id, $0.name, $0.scopes.names.joined(separator: ","), $0.createdAt.iso8601,
                $0.expiresAt?.iso8601 ?? "", $0.lastUsedAt?.iso8601 ?? "", $0.revokedAt?.iso8601 ?? "",
            ]
        }
    }

    static let revokeServiceKey = Command(
        words: ["keys", "revoke-service-key"],
        summary: "Revoke a service key, which stops working within seconds",
        operand: .keyID,
        options: [.project],
        details: ["KEY_ID is the ID of the key, as `sekisho keys list-service-keys` prints it."],
        environment: ["DATABASE_URL"]
    ) { arguments in
        try Administration.revokeKey(arguments, kind: "service key") { id, project, administration in
            try await ServiceKeyStore(pool: administration.pool)
                .revoke(id, in: project, at: administration.clock.now())
        }
    }
}

extension ServiceKeyScope {
    fileprivate var help: String {
        switch self {
        case .readUsers: "read accounts and their identities"
        case .writeUsers: "create, import, change and delete accounts; send emails with action codes"
        case .supportUsers:
            "disable and enable accounts, end their sessions, and send emails that verify an address or reset a password; users.write includes it"
        case .linkUsers: "link, unlink and move identities; merge accounts"
        case .config: "read the configuration, tenants and apps; change settings that do not need the scope trust"
        case .readConfig: "read the configuration, tenants and apps; config includes it"
        case .trust:
            "together with config: also change the settings that decide whose tokens are accepted, and where codes, links and results of browser sign-ins are sent, such as issuers, client IDs, secrets, event endpoints, authorized domains, redirect URIs, the sender of emails, and policy settings such as requiresNonce"
        case .mintTokens: "create custom tokens, session cookies and links with email action codes"
        case .readAudit: "read the audit trail"
        case .readEvents: "read the feed of events"
        case .writeAdministrators: "invite and remove administrators of the console, and change their roles"
        }
    }
}

extension ServiceKeyScopes {
    fileprivate init(_ arguments: Arguments) throws(UsageError) {
        guard let text = arguments.optionalText("scopes") else {
            self = .all
            return
        }
        guard let scopes = ServiceKeyScopes(parsing: text) else {
            let names = Self.allNames.joined(separator: ", ")
            throw UsageError(message: "--scopes: expected a comma-separated list of \(names), got \"\(text)\"")
        }
        self = scopes
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
