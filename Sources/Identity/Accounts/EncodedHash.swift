internal import Encoding

/// A self-describing password hash of Argon2, bcrypt, SHA-crypt or yescrypt.
public struct EncodedHash: Hashable, Sendable {
    public enum Family: Sendable {
        case argon2
        case bcrypt
        /// Other formats of crypt(3): SHA-crypt and yescrypt.
        case crypt
    }

    public let family: Family
    public let text: String
    private let parameters: Parameters

    /// The parameters on which the cost of a check depends.
    private enum Parameters: Hashable {
        /// - Parameter logRounds: the binary logarithm of the number of rounds.
        case bcrypt(logRounds: Int)
        case argon2(memoryKiB: Int, iterations: Int)
        case shaCrypt(rounds: Int)
        case yescrypt(cost: Int, blockSize: Int)
    }

    private static let lengthLimit = 256
    /// Binary logarithm of the cost. With a higher cost, a check could take more than a second.
    private static let bcryptCost = 4...14
    /// The maximum is the highest default of other software: that of passlib for SHA-512. Each round hashes the
    /// password again, so a million rounds over the longest password would take some three seconds.
    private static let shaCryptRounds = 1000...656_000
    private static let shaCryptDefaultRounds = 5000
    /// In bytes. libcrypt hashes no longer password.
    private static let longestPassword = 511
    private static let argon2MemoryKiB = 8...131_072
    private static let argon2Iterations = 1...16
    private static let argon2Lanes = 1...16
    /// The maximum of the memory in KiB multiplied by the number of iterations.
    private static let argon2Work = 1_048_576

    /// - Throws: ``PasswordHashRefusal/unreadable``, or another case if a parameter is unsupported or out of bounds. A
    ///   case with a range names the parameter and the accepted values.
    public init(_ text: String) throws(PasswordHashRefusal) {
        guard text.isVisibleASCII(1...Self.lengthLimit) else { throw .unreadable }
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count >= 4, fields[0].isEmpty else { throw .unreadable }
        switch fields[1] {
        case "2a", "2b", "2y":
            parameters = try Self.bcryptParameters(fields)
            family = .bcrypt
        case "argon2id", "argon2i":
            parameters = try Self.argon2Parameters(fields)
            family = .argon2
        case "5", "6":
            parameters = try Self.shaCryptParameters(fields)
            family = .crypt
        case "y":
            parameters = try Self.yescryptParameters(fields)
            family = .crypt
        default: throw .unreadable
        }
        self.text = text
    }

    /// Checks `$2b$cost$` and 53 characters: 22 of the salt and 31 of the hash.
    private static func bcryptParameters(_ fields: [Substring]) throws(PasswordHashRefusal) -> Parameters {
        guard fields.count == 4, fields[2].utf8.count == 2, let cost = Int(fields[2]), fields[3].utf8.count == 53,
            fields[3].isCryptBase64
        else { throw .unreadable }
        guard bcryptCost.contains(cost) else { throw .rounds(bcryptCost) }
        return .bcrypt(logRounds: cost)
    }

    private static func shaCryptParameters(_ fields: [Substring]) throws(PasswordHashRefusal) -> Parameters {
        var remaining = fields.dropFirst(2)
        var rounds = shaCryptDefaultRounds
        let prefix = "rounds="
        if remaining.first?.beginsExactly(with: prefix) == true {
            guard let stated = Int(remaining.removeFirst().dropFirst(prefix.count)) else { throw .unreadable }
            guard shaCryptRounds.contains(stated) else { throw .rounds(shaCryptRounds) }
            rounds = stated
        }
        // Scheme 5 is SHA-256, scheme 6 is SHA-512. A character encodes 6 bits.
        let length = fields[1] == "5" ? 43 : 86
        guard remaining.count == 2, let salt = remaining.first, salt.utf8.count <= 16, let hash = remaining.last,
            hash.utf8.count == length, hash.isCryptBase64
        else { throw .unreadable }
        return .shaCrypt(rounds: rounds)
    }

    /// Checks `$y$j9T$salt$hash`. The characters of `j9T` stand for the variant, for the binary logarithm of the cost
    /// less 1, and for the block size less 1.
    private static func yescryptParameters(_ fields: [Substring]) throws(PasswordHashRefusal) -> Parameters {
        guard fields.count == 5, fields[2].utf8.count == 3, fields[2].first == "j", fields[3].isCryptBase64,
            fields[4].isCryptBase64, fields[4].utf8.count == 43
        else { throw .unreadable }
        let numbers = fields[2].utf8.dropFirst().map { cryptAlphabet.firstIndex(of: $0) ?? 64 }
        // yescrypt writes numbers from 48 on with several characters. The bound of 32 also rejects 64, which stands for
        // a character outside the alphabet.
        guard numbers.allSatisfy({ $0 < 32 }) else { throw .memory(limitKiB: HashMethod.scryptMemoryKiB) }
        let (cost, blockSize) = (1 << (numbers[0] + 1), numbers[1] + 1)
        guard HashMethod.scryptMemoryKiB(cost, blockSize) <= HashMethod.scryptMemoryKiB else {
            throw .memory(limitKiB: HashMethod.scryptMemoryKiB)
        }
        return .yescrypt(cost: cost, blockSize: blockSize)
    }

    private static func argon2Parameters(_ fields: [Substring]) throws(PasswordHashRefusal) -> Parameters {
        let names = ["m", "t", "p"]
        let parameters = fields[3].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 6, parameters.count == 3 else { throw .unreadable }
        // Hashes of Argon2 version 1.0 have no version field, and libsodium does not support them.
        guard fields[2] == "v=19" else { throw .algorithmIsUnsupported }
        let numbers = zip(names, parameters).compactMap { name, parameter in
            parameter.beginsExactly(with: name + "=") ? Int(parameter.dropFirst(2)) : nil
        }
        guard numbers.count == 3, let salt = Base64.decode(String(fields[4])),
            let hash = Base64.decode(String(fields[5]))
        else { throw .unreadable }
        guard argon2MemoryKiB.contains(numbers[0]) else { throw .memoryCost(argon2MemoryKiB) }
        guard argon2Iterations.contains(numbers[1]) else { throw .rounds(argon2Iterations) }
        guard argon2Lanes.contains(numbers[2]) else { throw .parallelization(argon2Lanes) }
        // Argon2 needs 8 KiB for each lane (RFC 9106 §3.1).
        let minimumKiB = 8 * numbers[2]
        guard numbers[0] >= minimumKiB else { throw .memoryCost(minimumKiB...argon2MemoryKiB.upperBound) }
        guard numbers[0] * numbers[1] <= argon2Work else { throw .argon2Work(limit: argon2Work) }
        guard (8...64).contains(salt.count) else { throw .saltLength(8...64) }
        guard (16...64).contains(hash.count) else { throw .hashLength(16...64) }
        return .argon2(memoryKiB: numbers[0], iterations: numbers[1])
    }

    fileprivate static let cryptAlphabet = Array(
        "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
}

extension EncodedHash {
    /// - Parameter passwordLength: in bytes.
    public func cost(passwordLength: Int) -> HashCost {
        switch parameters {
        case .bcrypt(let logRounds): HashCost(work: 113 << logRounds, memoryKiB: 4)
        case .argon2(let memoryKiB, let iterations): .argon2(memoryKiB: memoryKiB, iterations: iterations)
        // Each round hashes the password again.
        case .shaCrypt(let rounds) where passwordLength <= Self.longestPassword:
            HashCost(work: rounds * (40 + passwordLength) / 88, memoryKiB: 0)
        case .shaCrypt: HashCost(work: 0, memoryKiB: 0)
        case .yescrypt(let cost, let blockSize):
            HashCost(work: cost * blockSize * 3 / 10, memoryKiB: HashMethod.scryptMemoryKiB(cost, blockSize))
        }
    }
}

extension Substring {
    fileprivate var isCryptBase64: Bool { utf8.allSatisfy { EncodedHash.cryptAlphabet.contains($0) } }
}
