internal import API
internal import Encoding
internal import Gateway
internal import Identity

/// The options of `firebase auth:import` about password hashes.
enum UserArguments {
    static let hashing: Set<String> = [
        "hash-algo", "hash-key", "hash-key-file", "salt-separator", "rounds", "mem-cost", "parallelization",
        "block-size", "dk-len", "hash-input-order",
    ]

    static func scheme(_ arguments: Arguments) throws -> PasswordScheme {
        let key = try key(arguments)
        guard arguments.has("hash-algo") || key != nil else { return .selfDescribing }
        var input = PasswordScheme.Input(algorithm: (arguments.value("hash-algo") ?? "CRYPT").uppercased())
        input.key = key
        if let text = arguments.value("salt-separator") {
            guard let bytes = Base64.decode(text) else { throw UsageError(message: "--salt-separator is base64") }
            input.saltSeparator = bytes
        }
        input.rounds = try arguments.number("rounds", in: 0...Int.max)
        input.memoryCost = try arguments.number("mem-cost", in: 0...Int.max)
        input.parallelization = try arguments.number("parallelization", in: 0...Int.max)
        input.blockSize = try arguments.number("block-size", in: 0...Int.max)
        input.hashLength = try arguments.number("dk-len", in: 0...Int.max)
        input.order = try arguments.value("hash-input-order").map { name throws(UsageError) in
            switch name {
            case "SALT_FIRST": .saltFirst
            case "PASSWORD_FIRST": .passwordFirst
            default: throw UsageError(message: "--hash-input-order is SALT_FIRST or PASSWORD_FIRST")
            }
        }
        do {
            return try PasswordScheme(input)
        } catch {
            throw UsageError(message: "--hash-algo \(input.algorithm): \(error.problem)")
        }
    }

    /// From wherever it is given; in one place only.
    private static func key(_ arguments: Arguments) throws -> PasswordKey? {
        var reader = SettingsReader.live()
        let setting = reader.text(Settings.hashKey)
        try reader.finish()
        let file = try arguments.value("hash-key-file").map { path throws in
            guard let text = SettingsReader.contents(of: path) else {
                throw UsageError(message: "--hash-key-file: \(path) cannot be read")
            }
            return text
        }
        let given = [arguments.value("hash-key"), file, setting].compactMap(\.self)
        guard given.count < 2 else { throw UsageError(message: "the hash key is given in two places: use one") }
        guard let text = given.first else { return nil }
        let trimmed = text.filter { !$0.isWhitespace }
        guard let bytes = Base64.decode(trimmed) else { throw UsageError(message: "the hash key is no base64") }
        return PasswordKey(bytes)
    }
}
