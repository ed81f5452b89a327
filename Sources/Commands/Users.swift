internal import API
internal import EventLoop
internal import Gateway
internal import Identity
internal import Storage

extension Command {
    static let importUsers = Command(
        words: ["users", "import"],
        summary: "Import accounts from a file of `firebase auth:export`",
        operand: .file,
        options: [.project, .tenant, .userFormat] + PasswordHashArguments.options + [
            .flag("resume", "skip accounts whose IDs already exist"),
            .flag(
                "with-secrets",
                "import telephone numbers as second factors, and one-time passwords with the secrets that the file has"),
            .flag(
                "without-second-factors",
                "import accounts with second factors without them; with --with-secrets: leave out one-time passwords without a secret"
            ),
            .flag("without-passkeys", "import accounts without their passkeys"),
            .text(
                "errors", "PATH", "file for rejected and changed rows, one JSON object per line",
                defaultNote: "text on standard error"),
        ],
        details: [
            "FILE may be `-` for standard input. IDs, claims, phone numbers and times are kept. An invalid row is skipped and reported with its line number; the exit status is then 1. Rows are stored in batches of about 1000, up to two batches at the same time. Each batch is one transaction, so an interrupted import can be continued with --resume. If rows conflict with each other, the first row is stored.",
            "These parts of an account are changed or left out, which is reported for its line: line breaks in names become spaces; names are cut at 1024 characters; a photo URL of more than 4096 bytes, claims with reserved names, and an email address that is not ASCII are left out, unless only its domain is not ASCII. An account with second factors is rejected, unless --with-secrets or --without-second-factors is given.",
            "Passkeys are imported with their public keys, so users sign in with the same devices. The project must have the RP ID of the passkeys, because a device uses a passkey only for its RP ID. Otherwise the account is rejected, unless --without-passkeys is given.",
            "CSV may be separated by commas, semicolons or tabs. A row needs 28 columns, and four more for each further provider, or as many as the first row.",
            "An email address counts as verified if emailVerified is true. If only emailVouched is true, tokens say that it is verified, as a blocking function has said before, and the owner of the mailbox can still reclaim the account. Identities are linked for \(ProviderNames.all(beforeLast: "and", and: ["OpenID Connect providers"])); an email address from a provider is not trusted until the next sign-in with that provider. When a user signs in with the password, an Argon2id hash replaces an imported hash of another algorithm.",
            "A hash names its own algorithm if it begins with $2a$, $2b$, $2y$, $5$, $6$, $y$, $argon2i$ or $argon2id$, or if `users export` has written it. With any --hash-algo except BCRYPT, such hashes are accepted too.",
            "Other users of this machine can see command lines: prefer --hash-key-file or the variable SEKISHO_HASH_KEY to --hash-key.",
        ],
        tables: [HelpTable(title: "Algorithms of password hashes", rows: PasswordHashArguments.algorithms)],
        environment: [
            "DATABASE_URL", "SEKISHO_HASH_KEY (optional)",
            "SEKISHO_MASTER_KEY (required only with a hash key or --with-secrets)",
        ]
    ) { arguments in
        let path = arguments.operand
        let realm = try arguments.realm()
        let format = UserFormat(arguments.optionalChoice("format"), path: path)
        let scheme = try PasswordHashArguments.scheme(arguments)
        let (resumes, errors) = (arguments.has("resume"), arguments.optionalText("errors"))
        let (storesFactors, dropsFactors) = (arguments.has("with-secrets"), arguments.has("without-second-factors"))
        let dropsPasskeys = arguments.has("without-passkeys")
        // The command may be interrupted at any moment, because each batch is one transaction.
        Signals.unblock()
        // Created outside of `runWithFileSecrets`, because a loop must not be stopped on its own thread.
        let readerLoop = try Loop(name: "reader")
        defer { readerLoop.stop() }
        try Administration.runWithFileSecrets(ifNeeded: scheme.key != nil || storesFactors) { administration, secrets in
            let configured = try await administration.requireRealm(realm)
            let keys = secrets?.passwordKeys
            let keyID = if let key = scheme.key { try await keys?.store(key, realm) } else { ID<PasswordKey>?.none }
            let factors: ImportedUser.FactorTreatment =
                storesFactors
                ? .stored(
                    dropsWithoutSecret: dropsFactors, isDemanded: configured.policy.secondFactors.state != .disabled)
                : dropsFactors ? .dropped : .rejected
            let passkeys: ImportedUser.PasskeyTreatment =
                dropsPasskeys
                ? .dropped
                : .stored(rpID: configured.project.passkeys.rpID, algorithm: PasskeyVerifier.algorithm(of:))
            let file = try UserFile(reading: path)
            let now = administration.clock.now()
            let report = ImportReport(size: file.size, errors: try errors.map { try NewFile(writing: $0) })
            let source = UserSource(
                file, format, hashed: StoredPasswordScheme(scheme, key: keyID), for: configured.tenant,
                factors: factors, passkeys: passkeys, sealedBy: secrets?.factors, in: realm, now: now,
                on: readerLoop)
            let userImport = UserImport(
                source: source, store: PostgresAccountStore(pool: administration.pool), realm: realm,
                resumes: resumes, now: now)
            do {
                try await userImport.run(report)
            } catch {
                Terminal.writeError(Failure(explaining: error).message)
                try report.finish()
                guard report.isPartial else { throw Failure(message: "the import failed") }
                throw Failure(message: "the import is incomplete: run it again with --resume")
            }
            try report.finish()
        }
    }

    static let exportUsers = Command(
        words: ["users", "export"],
        summary: "Export all accounts in the format of `firebase auth:export`",
        operand: .file,
        options: [
            .project, .tenant, .userFormat,
            .flag("with-secrets", "also export the secrets of one-time passwords, which needs the format json"),
        ],
        details: [
            "FILE may be `-` for standard output. A file is written atomically with mode 0600, because it contains password hashes. With the secrets of one-time passwords, whoever reads the file can compute the codes of the accounts.",
            "Password hashes are exported in base64, as strings that name their algorithm; `sekisho users import` reads them. A hash that was computed with a hash key can be imported only with the same --hash-key, because the key is not exported. CSV has no columns for `oidc.` providers and passkeys. Use JSON to export all identities, and the public keys of passkeys.",
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY (required only with --with-secrets)"]
    ) { arguments in
        let path = arguments.operand
        let realm = try arguments.realm()
        let format = UserFormat(arguments.optionalChoice("format"), path: path)
        let hasSecrets = arguments.has("with-secrets")
        guard !hasSecrets || format == .json else {
            throw UsageError(message: "--with-secrets requires --format json: CSV has no columns for second factors")
        }
        Signals.unblock()
        try Administration.runWithFileSecrets(ifNeeded: hasSecrets) { administration, secrets in
            try await administration.requireRealm(realm)
            let export = UserExport(
                store: PostgresAccountStore(pool: administration.pool),
                passkeys: PostgresPasskeyStore(pool: administration.pool),
                sealedSecrets: EncryptedFactorSecrets(pool: administration.pool), secrets: secrets?.factors,
                realm: realm, format: format)
            let counts = try await export.run(into: try NewFile(writing: path))
            if counts.withoutSecrets > 0 {
                let noun = counts.withoutSecrets == 1 ? "account" : "accounts"
                Terminal.writeError(
                    "the file has no secrets of the one-time passwords of \(counts.withoutSecrets) \(noun); use --format json --with-secrets to export them"
                )
            }
            if counts.identitiesWithoutColumns > 0 {
                let noun = counts.identitiesWithoutColumns == 1 ? "identity" : "identities"
                Terminal.writeError(
                    "CSV has no columns for \(counts.identitiesWithoutColumns) \(noun) of the accounts; use --format json to export all identities"
                )
            }
            if counts.withoutPasskeys > 0 {
                let noun = counts.withoutPasskeys == 1 ? "account" : "accounts"
                Terminal.writeError(
                    "CSV has no columns for the passkeys of \(counts.withoutPasskeys) \(noun); use --format json to export them"
                )
            }
            if path != "-" {
                Terminal.writeLine("exported \(counts.users) \(counts.users == 1 ? "account" : "accounts")")
            }
        }
    }
}
