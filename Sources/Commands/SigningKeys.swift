internal import Crypto
internal import FoundationEssentials
internal import Gateway
internal import Identity
internal import Storage
internal import Tokens

extension Command {
    package static let listSigningKeys = Command(
        words: ["keys", "list-signing-keys"],
        help: """
            keys list-signing-keys          show the keys of a project's tokens

              --project ID   whose
            Reads DATABASE_URL.
            """
    ) { words in
        let project = try Arguments.project(words)
        try Administration.run { administration in
            let keys = try await SigningKeyStore(pool: administration.pool)
                .live(in: project, at: administration.clock.now())
            Terminal.table(
                [["ID", "PURPOSE", "ALGORITHM", "SIGNS FROM", "RETIRES"]]
                    + keys.map {
                        [$0.id, $0.purpose.rawValue, $0.algorithm, $0.signsFrom.iso8601, $0.retiresAt?.iso8601 ?? ""]
                    })
        }
    }

    static let rotateSigningKeys = Command(
        words: ["keys", "rotate-signing-key"],
        help: """
            keys rotate-signing-key         give a project a new key for its ID tokens

              --project ID        whose
              --algorithm NAME    ES256 or RS256; as the present key unless told
              --now               sign with it at once and stop believing the old ones: for a key that leaked
            The new key is published now and signs from a quarter of an hour on, when every verifier has fetched it;
            the old ones are believed until the last token they signed has expired, session cookies after 14 days.
            Nobody is signed out, except with --now, where clients refresh sooner than they would and session
            cookies end.
            Reads DATABASE_URL and SEKISHO_MASTER_KEY.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "algorithm"], switches: ["now"])
        try arguments.none()
        let id = try arguments.project()
        let asked = try arguments.value("algorithm").map { name throws(UsageError) in
            guard let algorithm = SignatureAlgorithm(rawValue: name) else {
                throw UsageError(message: "--algorithm is ES256 or RS256")
            }
            return algorithm
        }
        let isUrgent = arguments.has("now")
        try Administration.runWithKeys { administration, masterKeys in
            guard try await ProjectStore(pool: administration.pool).project(id) != nil else {
                throw Failure(message: "there is no project \(id)")
            }
            let store = SigningKeyStore(pool: administration.pool)
            let now = administration.clock.now()
            let present = try await store.live(in: id, at: now).first { $0.purpose == .idToken }
            let algorithm = asked ?? present.flatMap { SignatureAlgorithm(rawValue: $0.algorithm) } ?? .es256
            let signsFrom = isUrgent ? now : now + KeyRing.publicationLead
            let key = try KeyGenerator(masterKeys: masterKeys)
                .idTokenKey(algorithm, in: id, at: now, signsFrom: signsFrom)
            let retirement = isUrgent ? now : signsFrom + SessionCookies.lifetimes.upperBound + .seconds(300)
            try await store.add(key, othersRetireAt: retirement, in: id)
            Terminal.writeLine(key.id)
        }
    }

    static let rotateRefreshKey = Command(
        words: ["keys", "rotate-refresh-key"],
        help: """
            keys rotate-refresh-key         give a project a new key for its refresh tokens

              --project ID   whose
              --now          stop believing the old ones at once: for a key that leaked; ends every session
            The new key signs from half a minute on, when every process knows it. Without --now the old ones go on
            being believed: refresh tokens do not expire.
            Reads DATABASE_URL and SEKISHO_MASTER_KEY.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project"], switches: ["now"])
        try arguments.none()
        let id = try arguments.project()
        let isUrgent = arguments.has("now")
        try Administration.runWithKeys { administration, masterKeys in
            guard try await ProjectStore(pool: administration.pool).project(id) != nil else {
                throw Failure(message: "there is no project \(id)")
            }
            let now = administration.clock.now()
            let key = try KeyGenerator(masterKeys: masterKeys)
                .refreshTokenKey(in: id, at: now, signsFrom: isUrgent ? now : now + .seconds(30))
            try await SigningKeyStore(pool: administration.pool)
                .add(key, othersRetireAt: isUrgent ? now : nil, in: id)
            Terminal.writeLine(key.id)
        }
    }

    static let rewrap = Command(
        words: ["keys", "rewrap"],
        help: """
            keys rewrap                     seal every secret under the current master key

            After SEKISHO_MASTER_KEY was changed and the old one became SEKISHO_MASTER_KEY_PREVIOUS. May be run
            while the gateway runs, and again. Once it is done the previous key is not needed any more.
            Reads DATABASE_URL, SEKISHO_MASTER_KEY and SEKISHO_MASTER_KEY_PREVIOUS.
            """
    ) { words in
        try Arguments(words, options: []).none()
        try Administration.runWithKeys { administration, masterKeys in
            let store = SigningKeyStore(pool: administration.pool)
            var count = 0
            for (project, key) in try await store.all() {
                guard let sealed = try key.rewrapped(in: project, under: masterKeys) else { continue }
                try await store.reseal(key, as: sealed, in: project)
                count += 1
            }
            count += try await ProviderSecretStore(pool: administration.pool).rewrap(under: masterKeys)
            count += try await PasswordSchemeStore(pool: administration.pool).rewrap(under: masterKeys)
            count += try await EncryptedEmails(pool: administration.pool).rewrap(under: masterKeys)
            try await Canary.rewrap(administration.pool, under: masterKeys)
            Terminal.writeLine("rewrapped \(count) \(count == 1 ? "secret" : "secrets")")
        }
    }

    static let generateMasterKey = Command(
        words: ["keys", "generate-master-key"],
        help: """
            keys generate-master-key        print a fresh value for SEKISHO_MASTER_KEY
            """
    ) { words in
        try Arguments(words, options: []).none()
        Terminal.writeLine(Data(Random.bytes(32)).base64EncodedString())
    }
}

extension Arguments {
    /// For commands that take nothing but `--project`.
    static func project(_ words: [String]) throws(UsageError) -> ID<Project> {
        let arguments = try Arguments(words, options: ["project"])
        try arguments.none()
        return try arguments.project()
    }
}
