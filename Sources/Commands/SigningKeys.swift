internal import Crypto
internal import FoundationEssentials
internal import Gateway
internal import Identity
internal import Storage
internal import Tokens

extension Command {
    static let listSigningKeys = Command(
        words: ["keys", "list-signing-keys"],
        summary: "List the signing keys of a project",
        options: [.project],
        details: ["Lists the keys of ID tokens, session cookies and refresh tokens. Retired keys are not listed."],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let project = try arguments.project()
        try Administration.run { administration in
            let keys = try await SigningKeyStore(pool: administration.pool)
                .unretiredKeys(in: project, at: administration.clock.now())
            Terminal.table(
                [["ID", "PURPOSE", "ALGORITHM", "SIGNS FROM", "RETIRES"]]
                    + keys.map {
                        [$0.id, $0.purpose.rawValue, $0.algorithm, $0.signsFrom.iso8601, $0.retiresAt?.iso8601 ?? ""]
                    })
        }
    }

    static let rotateSigningKeys = Command(
        words: ["keys", "rotate-signing-key"],
        summary: "Rotate the key that signs the ID tokens and session cookies of a project",
        options: [
            .project,
            .choice(
                "algorithm", "NAME", ["ES256", "RS256"], "algorithm of the new key",
                defaultNote: "the algorithm of the current key"),
            .flag("now", "sign with the new key at once and reject the old keys, for a key that leaked"),
        ],
        details: [
            "The new key is published now and signs after 15 minutes, because verifiers cache keys. The old keys are accepted until the last session cookie that they may have signed has expired, after 14 days.",
            "Refresh tokens stay valid, so apps stay signed in. With --now, apps refresh their ID tokens early, and users with a session cookie have to sign in again.",
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let id = try arguments.project()
        let requested: SignatureAlgorithm? = arguments.optionalChoice("algorithm")
        let isImmediate = arguments.has("now")
        try Administration.runWithKeys { administration, masterKeys in
            guard try await ProjectStore(pool: administration.pool).project(id) != nil else {
                throw Failure(message: "project \(id) does not exist")
            }
            let store = SigningKeyStore(pool: administration.pool)
            let now = administration.clock.now()
            let current = try await store.unretiredKeys(in: id, at: now).first { $0.purpose == .idToken }
            let algorithm = requested ?? current.flatMap { SignatureAlgorithm(rawValue: $0.algorithm) } ?? .es256
            let signsFrom = isImmediate ? now : now + KeyRing.publicationLead
            let key = try KeyGenerator(masterKeys: masterKeys)
                .idTokenKey(algorithm, in: id, at: now, signsFrom: signsFrom)
            let retirement = isImmediate ? now : signsFrom + SessionCookies.lifetimes.upperBound + .seconds(300)
            try await store.add(key, othersRetireAt: retirement, in: id)
            Terminal.writeLine(key.id)
        }
    }

    static let rotateRefreshKey = Command(
        words: ["keys", "rotate-refresh-key"],
        summary: "Rotate the key that authenticates the refresh tokens of a project",
        options: [
            .project,
            .flag("now", "reject the old keys at once, for a key that leaked; this ends every session"),
        ],
        details: [
            "Without --now, the new key is used after 30 seconds, when every process has loaded it, and the old keys stay valid, because refresh tokens do not expire."
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let id = try arguments.project()
        let isImmediate = arguments.has("now")
        try Administration.runWithKeys { administration, masterKeys in
            guard try await ProjectStore(pool: administration.pool).project(id) != nil else {
                throw Failure(message: "project \(id) does not exist")
            }
            let now = administration.clock.now()
            let key = try KeyGenerator(masterKeys: masterKeys)
                .refreshTokenKey(in: id, at: now, signsFrom: isImmediate ? now : now + .seconds(30))
            try await SigningKeyStore(pool: administration.pool)
                .add(key, othersRetireAt: isImmediate ? now : nil, in: id)
            Terminal.writeLine(key.id)
        }
    }

    static let rewrap = Command(
        words: ["keys", "rewrap"],
        summary: "Encrypt every secret again under the current master key",
        details: [
            "Run the command after you have moved the old key to SEKISHO_MASTER_KEY_PREVIOUS and set a new SEKISHO_MASTER_KEY. The command may run while the gateway runs, and more than once. Afterwards the previous key is no longer needed."
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY", "SEKISHO_MASTER_KEY_PREVIOUS"]
    ) { _ in
        try Administration.runWithKeys { administration, masterKeys in
            let count = try await Reencryption.run(on: administration.pool, under: masterKeys)
            Terminal.writeLine("rewrapped \(count) \(count == 1 ? "secret" : "secrets")")
        }
    }

    static let generateMasterKey = Command(
        words: ["keys", "generate-master-key"],
        summary: "Print a new value for SEKISHO_MASTER_KEY"
    ) { _ in
        Terminal.writeLine(Data(Random.bytes(32)).base64EncodedString())
    }
}
