internal import EventLoop
internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let importUsers = Command(
        words: ["users", "import"],
        help: """
            users import FILE               bring accounts in, as `firebase auth:export` wrote them

              --project ID              into which project
              --tenant ID               into a tenant of it
              --format NAME             json or csv; by default what the name of FILE ends in
              --hash-algo NAME          how passwords were hashed: SCRYPT (Firebase's own), STANDARD_SCRYPT, BCRYPT,
                                        PBKDF2_SHA256, PBKDF_SHA1, HMAC_SHA512, HMAC_SHA256, HMAC_SHA1, HMAC_MD5,
                                        SHA512, SHA256, SHA1, MD5, or CRYPT for $2b$, $5$, $6$, $y$ and $argon2id$,
                                        which are known under any other name, too
              --hash-key KEY            base64 signer key; better in SEKISHO_HASH_KEY or SEKISHO_HASH_KEY_FILE, for
                                        others on this machine can see how a command was called
              --hash-key-file PATH      the same, from a file
              --salt-separator TEXT     in base64
              --rounds N  --mem-cost N  --parallelization N  --block-size N  --dk-len N
              --hash-input-order NAME   SALT_FIRST or PASSWORD_FIRST
              --resume                  pass over accounts whose ids are there already
              --errors PATH             where refused rows go, as lines of JSON; else to standard error
            FILE may be - for standard input. Ids, claims, providers, phone numbers and times are kept. A row that will
            not do is told with its line and changes nothing else: exit status 1. Rows are stored some thousands at a
            time, each such lot whole or not at all, so it may be interrupted and run again with --resume.
            Addresses are verified where the file says so. Identities are linked for Apple, Google and OpenID Connect
            providers; what the providers said of their addresses is not trusted until the next sign-in with them.
            Passwords become Argon2id when their owners sign in.
            Reads DATABASE_URL, and SEKISHO_MASTER_KEY where a key is given.
            """
    ) { words in
        let arguments = try Arguments(
            words, options: UserArguments.hashing.union(["project", "tenant", "format", "errors"]), switches: ["resume"]
        )
        let path = try arguments.only("file")
        let id = try arguments.realm()
        let format = try UserFormat(arguments.value("format"), path: path)
        let scheme = try UserArguments.scheme(arguments)
        let (resumes, errors) = (arguments.has("resume"), arguments.value("errors"))
        // May be interrupted at any moment: what is not committed is not there.
        Signals.unblock()
        // Stopped from here: which loop the work ends on is not for us to say.
        let reader = try Loop(name: "reader")
        defer { reader.stop() }
        try Administration.run(sealing: scheme.key) { administration, keys in
            let project = try await administration.realm(id)
            let key = if let key = scheme.key { try await keys?.keep(key, id) } else { ID<PasswordKey>?.none }
            let file = try UserFile(reading: path)
            let now = administration.clock.now()
            let report = ImportReport(size: file.size, errors: try errors.map { try NewFile(writing: $0) })
            let source = UserSource(
                file, format, hashed: KeptPasswordScheme(scheme, key: key), for: project.tenant, now: now, on: reader)
            let run = UserImport(
                source: source, store: PostgresAdministrationStore(pool: administration.pool), realm: id,
                resumes: resumes, now: now)
            let result: Result<Void, any Error>
            do { result = .success(try await run.run(report)) } catch { result = .failure(error) }
            if case .failure(let error) = result { Terminal.writeError("\((error as? Failure)?.message ?? "\(error)")") }
            try report.finish()
            if case .failure = result { throw Failure(message: "the import is not complete; --resume goes on with it") }
        }
    }

    static let exportUsers = Command(
        words: ["users", "export"],
        help: """
            users export FILE               write all accounts as `firebase auth:export` does

              --project ID     of which project
              --tenant ID      of a tenant of it
              --format NAME    json or csv; by default what the name of FILE ends in
            FILE may be - for standard output; another is there under its name once it is whole, for its owner alone to
            read: it holds password hashes. They are strings that tell how they were made, in base64, which users import
            reads again; those that need a secret key, which is not written, need it again as --hash-key. CSV has
            columns for some providers only.
            Reads DATABASE_URL.
            """
    ) { words in
        let arguments = try Arguments(words, options: ["project", "tenant", "format"])
        let path = try arguments.only("file")
        let id = try arguments.realm()
        let format = try UserFormat(arguments.value("format"), path: path)
        Signals.unblock()
        try Administration.run { administration in
            _ = try await administration.realm(id)
            let export = UserExport(
                store: PostgresAdministrationStore(pool: administration.pool), realm: id, format: format)
            let counts = try await export.run(into: try NewFile(writing: path))
            if counts.identitiesWithoutColumns > 0 {
                Terminal.writeError("CSV has no columns for \(counts.identitiesWithoutColumns) identities; JSON has")
            }
            if path != "-" { Terminal.writeLine("exported \(counts.users) \(counts.users == 1 ? "account" : "accounts")") }
        }
    }
}
