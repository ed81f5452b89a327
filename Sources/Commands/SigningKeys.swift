internal import Crypto
internal import FoundationEssentials
internal import Gateway
internal import Identity
internal import Storage
internal import Tokens

extension Command {
    static let listSigningKeys = list(
        ["keys", "list-signing-keys"], summary: "List the signing keys and the refresh keys of a project",
        details: [
            "A signing key (PURPOSE id-token) signs ID tokens and session cookies. A refresh key (PURPOSE refresh-token) authenticates refresh tokens.",
            "SIGNS FROM is the time from which new tokens are made with the key, instead of the older key of the same purpose. RETIRES is the time from which the tokens of the key are rejected; it is empty if no such time is set. Retired keys are not listed.",
        ],
        heading: ["ID", "PURPOSE", "ALGORITHM", "SIGNS FROM", "RETIRES"]
    ) { administration, project in
        try await SigningKeyStore(pool: administration.pool)
            .unretiredKeys(in: project, at: administration.clock.now())
            .map { [$0.id, $0.purpose.rawValue, $0.algorithm, $0.signsFrom.iso8601, $0.retiresAt?.iso8601 ?? ""] }
    }

    static let rotateSigningKey = Command(
        words: ["keys", "rotate-signing-key"],
        summary: "Rotate the key that signs the ID tokens and session cookies of a project",
        options: [
            .project,
            .choice(
                "algorithm", "NAME", ["ES256", "RS256"], "algorithm of the new key",
                defaultNote: "the algorithm of the current key"),
            .flag("now", "sign with the new key and reject the old keys at once; use this if a key has leaked"),
        ],
        details: [
            "Prints the ID of the new key. Without --now, the new key is published at once and signs after 15 minutes, because verifiers cache keys. After these 15 minutes, the old keys are accepted for 14 more days, until the last session cookie that they may have signed has expired.",
            "Refresh tokens stay valid, so apps stay signed in. With --now, apps have to refresh their ID tokens, and users with a session cookie have to sign in again.",
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let id = try arguments.project()
        let requested: SignatureAlgorithm? = arguments.optionalChoice("algorithm")
        let isImmediate = arguments.has("now")
        try Administration.runWithKeys { administration, masterKeys in
            guard try await administration.projects.realm(ofProject: id) != nil else {
                throw Failure(message: "project \(id) does not exist")
            }
            let store = SigningKeyStore(pool: administration.pool)
            let now = try await administration.databaseTime()
            let current = try await store.unretiredKeys(in: id, at: now).first { $0.purpose == .idToken }
            let algorithm = requested ?? current.flatMap { SignatureAlgorithm(rawValue: $0.algorithm) } ?? .es256
            let signsFrom = isImmediate ? now : now + KeyRing.publicationLead
            let key = try KeyGenerator(masterKeys: masterKeys)
                .idTokenKey(algorithm, in: id, at: now, signsFrom: signsFrom)
            let lastExpiry = signsFrom + SessionCookies.lifetimes.upperBound
            // Five minutes more, because a backend with a slow clock accepts the last session cookies for longer.
            let retirement = isImmediate ? now : lastExpiry + .seconds(300)
            try await store.add(key, othersRetireAt: retirement, in: id)
            Terminal.writeLine(key.id)
        }
    }

    static let rotateRefreshKey = Command(
        words: ["keys", "rotate-refresh-key"],
        summary: "Rotate the key that authenticates the refresh tokens of a project",
        options: [
            .project,
            .flag("now", "reject the old keys at once, which ends every session; use this if a key has leaked"),
        ],
        details: [
            "Prints the ID of the new key. Without --now, the new key is used after 30 seconds, when every process has loaded it. The old keys stay valid, because refresh tokens do not expire."
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let id = try arguments.project()
        let isImmediate = arguments.has("now")
        try Administration.runWithKeys { administration, masterKeys in
            guard try await administration.projects.realm(ofProject: id) != nil else {
                throw Failure(message: "project \(id) does not exist")
            }
            let now = try await administration.databaseTime()
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
            "First start every process of the gateway with the new key as SEKISHO_MASTER_KEY and the old key as SEKISHO_MASTER_KEY_PREVIOUS. Then run this command with the same variables; it may run more than once. Afterwards, restart every process without SEKISHO_MASTER_KEY_PREVIOUS."
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
