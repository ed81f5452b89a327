internal import Crypto
internal import Identity

/// A stored password hash of an algorithm other than Argon2, with the secret key of its former system if the algorithm
/// needs one.
struct ForeignPassword: Sendable {
    /// The hash needs a key that is not stored, so no password can be compared with it.
    struct MissingKey: Error {}

    private enum Hash: Sendable {
        /// A hash that the gateway stores with its algorithm and parameters, because the hash itself does not name
        /// them.
        case withParameters(ForeignHash, PasswordKey?)
        /// A hash in the format of the function `crypt`. Such a hash names its algorithm and parameters itself.
        case crypt(EncodedHash)
        /// An invalid, unsupported or too expensive hash, which matches no password.
        case none
    }

    private let hash: Hash

    /// - Parameter storedHash: a hash of any algorithm except Argon2.
    /// - Throws: ``MissingKey``, or an error of `keys`.
    init(_ storedHash: String, keys: PasswordKeys) async throws {
        if let foreign = ForeignHash(text: storedHash) {
            var key: PasswordKey?
            if let id = foreign.key {
                key = try await keys.find(id)
                guard key != nil else { throw MissingKey() }
            }
            hash = .withParameters(foreign, key)
        } else {
            hash = (try? EncodedHash(storedHash)).map(Hash.crypt) ?? .none
        }
    }

    /// The cost of ``matches(_:)`` for a password of `length` bytes.
    func cost(passwordLength length: Int) -> HashCost {
        switch hash {
        case .withParameters(let foreign, _):
            foreign.method.cost(hashLength: foreign.hash.count, passwordLength: length)
        case .crypt(let encoded): encoded.cost(passwordLength: length)
        case .none: HashCost(work: 0, memoryKiB: 0)
        }
    }

    func matches(_ password: [UInt8]) throws -> Bool {
        switch hash {
        case .withParameters(let foreign, let key):
            constantTimeEquals(try foreign.hash(of: password, key: key?.bytes ?? []), foreign.hash)
        case .crypt(let encoded): CryptHash.verify(password, against: encoded.text)
        case .none: false
        }
    }
}

extension ForeignHash {
    fileprivate func hash(of password: [UInt8], key: [UInt8]) throws(LibraryFault) -> [UInt8] {
        switch method {
        case .digest(let function, let rounds, let order):
            try function.digest(password, salt, rounds: rounds, order: order)
        case .hmac(let function, let order):
            try HMAC.code(of: order.joined(password, salt), key: key, by: function.algorithm)
        case .pbkdf2(let function, let iterations):
            try KeyDerivation.pbkdf2(
                password, salt: salt, iterations: iterations, by: function.algorithm, count: hash.count)
        case .scrypt(let cost, let blockSize, let parallelization):
            try KeyDerivation.scrypt(
                password, salt: salt, cost: cost, blockSize: blockSize, parallelization: parallelization,
                count: hash.count)
        case .firebaseScrypt(let memoryCost, let rounds):
            try FirebaseScrypt.hash(password, salt: salt, signerKey: key, memoryCost: memoryCost, rounds: rounds)
        }
    }
}

extension HashMethod.Order {
    /// Returns the bytes that are hashed.
    fileprivate func joined(_ password: [UInt8], _ salt: [UInt8]) -> [UInt8] {
        self == .saltFirst ? salt + password : password + salt
    }
}

extension HashMethod.Function {
    fileprivate var algorithm: DigestAlgorithm {
        switch self {
        case .md5: .md5
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }

    /// Repeats the digest like Firebase: see ``HashMethod/digest(_:rounds:order:)``.
    fileprivate func digest(
        _ password: [UInt8], _ salt: [UInt8], rounds: Int, order: HashMethod.Order
    ) throws(LibraryFault) -> [UInt8] {
        var digest = try Digest.of(order.joined(password, salt), by: algorithm)
        let additionalRounds = self == .md5 ? rounds : max(rounds, 1) - 1
        for _ in 0..<additionalRounds {
            digest = try Digest.of(self == .md5 ? digest + password : digest, by: algorithm)
        }
        return digest
    }
}
