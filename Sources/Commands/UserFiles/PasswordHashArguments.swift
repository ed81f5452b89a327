internal import API
internal import Encoding
internal import Gateway
internal import Identity

/// The options about password hashes. All but `--hash-key-file` have the names that `firebase auth:import` uses.
enum PasswordHashArguments {
    static let options: [Option] = [
        .text(
            "hash-algo", "NAME",
            "algorithm of the password hashes, from the table below",
            defaultNote: "CRYPT"),
        .text("hash-key", "KEY", "hash key in base64; for SCRYPT, Firebase's signer key"),
        .text("hash-key-file", "PATH", "file with the hash key in base64, instead of --hash-key"),
        .text("salt-separator", "TEXT", "salt separator of SCRYPT in base64", defaultNote: "empty"),
        .number("rounds", "N", in: 0...Int.max, "number of rounds"),
        .number("mem-cost", "N", in: 0...Int.max, "memory cost of SCRYPT and STANDARD_SCRYPT"),
        .number("parallelization", "N", in: 0...Int.max, "parallelization of STANDARD_SCRYPT"),
        .number("block-size", "N", in: 0...Int.max, "block size of STANDARD_SCRYPT"),
        .number(
            "dk-len", "N", in: 0...Int.max, "length in bytes of the key that STANDARD_SCRYPT derives",
            defaultNote: "the length of each hash"),
        .choice(
            "hash-input-order", "NAME", ["SALT_FIRST", "PASSWORD_FIRST"],
            "order of salt and password in the input of HMAC_*, SHA* and MD5",
            defaultNote: "SALT_FIRST, but PASSWORD_FIRST for HMAC_*"),
    ]

    /// The values of `--hash-algo`, with the options that each requires.
    static let algorithms: [(term: String, description: String)] = [
        ("SCRYPT", "Firebase's variant of scrypt, for exports of Firebase; requires --hash-key, --rounds, --mem-cost"),
        ("STANDARD_SCRYPT", "requires --mem-cost, --parallelization, --block-size"),
        ("PBKDF2_SHA256, PBKDF_SHA1", "require --rounds"),
        ("SHA512, SHA256, SHA1, MD5", "require --rounds"),
        ("HMAC_SHA512, HMAC_SHA256", "require --hash-key"),
        ("HMAC_SHA1, HMAC_MD5", "require --hash-key"),
        ("BCRYPT", "only hashes that begin with $2"),
        ("CRYPT", "only hashes that name their own algorithm"),
    ]

    /// Returns the scheme that the options describe. Without `--hash-algo` and without a hash key, every hash must
    /// name its own algorithm.
    static func scheme(_ arguments: Arguments) throws -> PasswordScheme {
        let key = try key(arguments)
        guard arguments.has("hash-algo") || key != nil else { return .selfDescribing }
        var input = PasswordScheme.Input(algorithm: (arguments.optionalText("hash-algo") ?? "CRYPT").uppercased())
        input.key = key
        if let text = arguments.optionalText("salt-separator") {
            guard let bytes = Base64.decode(text) else {
                throw UsageError(message: "--salt-separator: expected base64, got \"\(text)\"")
            }
            input.saltSeparator = bytes
        }
        input.rounds = arguments.optionalNumber("rounds")
        input.memoryCost = arguments.optionalNumber("mem-cost")
        input.parallelization = arguments.optionalNumber("parallelization")
        input.blockSize = arguments.optionalNumber("block-size")
        input.hashLength = arguments.optionalNumber("dk-len")
        input.order = arguments.optionalText("hash-input-order").map {
            $0 == "SALT_FIRST" ? .saltFirst : .passwordFirst
        }
        do {
            return try PasswordScheme(input)
        } catch {
            throw UsageError(message: "--hash-algo \(input.algorithm): \(error.problem)")
        }
    }

    /// Returns the hash key from `--hash-key`, `--hash-key-file` or the environment; `nil` if none of them is set.
    ///
    /// - Throws: ``UsageError`` if more than one of them is set, or if the key is not valid base64.
    private static func key(_ arguments: Arguments) throws -> PasswordKey? {
        var reader = SettingsReader.live()
        let setting = reader.text(Settings.hashKey)
        try reader.requireNoProblems()
        let file = try arguments.file("hash-key-file", InputFile.text(of:))
        let given = [arguments.optionalText("hash-key"), file, setting].compactMap(\.self)
        guard given.count < 2 else {
            throw UsageError(
                message:
                    "the hash key is given more than once: use only one of --hash-key, --hash-key-file and SEKISHO_HASH_KEY"
            )
        }
        guard let text = given.first else { return nil }
        let trimmed = text.filter { !$0.isWhitespace }
        guard let bytes = Base64.decode(trimmed) else {
            throw UsageError(message: "the hash key is not valid base64")
        }
        return PasswordKey(bytes)
    }
}
