internal import Encoding
internal import Identity

/// The password hashing scheme of an import, unchecked. A number may be a JSON number, or text, as Firebase's command
/// line sends it. Decoding converts JSON numbers to text.
struct PasswordSchemeInput: Decodable {
    let hashAlgorithm: String?
    let signerKey: String?
    let saltSeparator: String?
    let rounds: String?
    let memoryCost: String?
    let cpuMemCost: String?
    let parallelization: String?
    let blockSize: String?
    let dkLen: String?
    let passwordHashOrder: Order?
    let argon2Parameters: Argon2?

    enum Order: String, WireEnum {
        case unspecified = "UNSPECIFIED_ORDER"
        case saltFirst = "SALT_AND_PASSWORD"
        case passwordFirst = "PASSWORD_AND_SALT"
    }

    struct Argon2: Decodable {
        let hashLengthBytes: String?
        let hashType: String?
        let parallelism: String?
        let iterations: String?
        let memoryCostKib: String?
        let version: String?
        let associatedData: String?
    }

    /// - Throws: ``RequestRefusal`` or ``PasswordHashRefusal`` for invalid parameters.
    func scheme() throws -> PasswordScheme {
        // Without an algorithm, every hash must name its own, as in `$2b$…`.
        guard let algorithm = hashAlgorithm.nonEmpty else { return .selfDescribing }
        var input = PasswordScheme.Input(algorithm: algorithm)
        input.key = try Self.bytes(signerKey, "/signerKey").map(PasswordKey.init)
        input.saltSeparator = try Self.bytes(saltSeparator, "/saltSeparator") ?? []
        input.rounds = try Self.number(rounds, "/rounds")
        // The algorithm determines which of the two members the client sends.
        let (standardScryptCost, firebaseScryptCost) = (
            try Self.number(cpuMemCost, "/cpuMemCost"), try Self.number(memoryCost, "/memoryCost")
        )
        input.memoryCost = standardScryptCost ?? firebaseScryptCost
        input.parallelization = try Self.number(parallelization, "/parallelization")
        input.blockSize = try Self.number(blockSize, "/blockSize")
        input.hashLength = try Self.number(dkLen, "/dkLen")
        input.order =
            switch passwordHashOrder {
            case nil, .unspecified: nil
            case .saltFirst: .saltFirst
            case .passwordFirst: .passwordFirst
            }
        input.argon2 = try argon2Parameters?.input()
        return try PasswordScheme(input)
    }

    fileprivate static func number(_ text: String?, _ pointer: String) throws(RequestRefusal) -> Int? {
        guard let text = text.nonEmpty else { return nil }
        guard let number = Int(text) else { throw .invalidField(pointer, "must be an integer") }
        return number
    }

    private static func bytes(_ text: String?, _ pointer: String) throws(RequestRefusal) -> [UInt8]? {
        guard let text = text.nonEmpty else { return nil }
        guard let bytes = Base64.decode(text) else { throw .invalidField(pointer, "must be base64") }
        return bytes
    }
}

extension PasswordSchemeInput.Argon2 {
    fileprivate func input() throws(RequestRefusal) -> PasswordScheme.Argon2 {
        func number(_ text: String?, _ name: String) throws(RequestRefusal) -> Int? {
            try PasswordSchemeInput.number(text, "/argon2Parameters/\(name)")
        }
        return PasswordScheme.Argon2(
            type: hashType ?? "", hashLength: try number(hashLengthBytes, "hashLengthBytes"),
            parallelism: try number(parallelism, "parallelism") ?? 0,
            iterations: try number(iterations, "iterations") ?? 0,
            memoryKiB: try number(memoryCostKib, "memoryCostKib") ?? 0,
            isVersion13WithoutAssociatedData: associatedData.nonEmpty == nil
                && ["VERSION_13", "VERSION_UNSPECIFIED"].contains(version ?? "VERSION_13")
        )
    }
}
