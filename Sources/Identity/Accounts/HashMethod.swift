/// How another system computed a password hash, apart from the salt and the secret key.
public enum HashMethod: Hashable, Sendable {
    /// A repeated digest. The first digest is computed from salt and password, each further digest from the previous
    /// digest. There are `rounds` digests in total, but at least one. MD5 differs: `rounds` further digests follow the
    /// first one, each computed from the previous digest and the password.
    case digest(Function, rounds: Int, order: Order)
    case hmac(Function, order: Order)
    case pbkdf2(Function, iterations: Int)
    case scrypt(cost: Int, blockSize: Int, parallelization: Int)
    /// Firebase's modified scrypt. The salt ends with the salt separator.
    case firebaseScrypt(memoryCost: Int, rounds: Int)

    public enum Function: String, CaseIterable, Sendable {
        case md5, sha1, sha256, sha512

        /// The length of a digest in bytes.
        public var length: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    public enum Order: String, Sendable {
        case saltFirst = "sp"
        case passwordFirst = "ps"
    }

    public var needsKey: Bool {
        switch self {
        case .hmac, .firebaseScrypt: true
        case .digest, .pbkdf2, .scrypt: false
        }
    }
}

extension HashMethod {
    static let digestRounds = 0...8192
    /// The maximum number of HMAC computations for one hash, which take about a second.
    static let pbkdf2Work = 2_000_000
    static let scryptCost = 2...1_048_576
    static let scryptCostOfBlockSize1 = 2...32_768
    /// The maximum memory of scrypt (128 MiB): cost times block size, divided by 8.
    static let scryptMemoryKiB = 131_072
    /// The maximum of cost times block size times parallelization, which takes about half a second.
    static let scryptWork = 1_048_576
    static let scryptBlockSize = 1...64
    static let scryptParallelization = 1...64
    static let firebaseMemoryCost = 1...14
    static let firebaseRounds = 1...8
    /// In bytes, like the two following lengths.
    static let keyLength = 1...1024
    static let saltLength = 0...256
    /// A wrong password could match a shorter hash by chance.
    static let hashLength = 16...256

    /// Throws if a parameter is out of bounds. The bounds limit the cost of checking an imported hash to what one
    /// sign-in may cost. They include the defaults of other systems.
    ///
    /// - Parameter count: the length of the hash in bytes.
    func check(hashLength count: Int) throws(PasswordHashRefusal) {
        guard Self.hashLength.contains(count) else { throw .hashLength(Self.hashLength) }
        switch self {
        case .digest(let function, let rounds, _):
            guard Self.digestRounds.contains(rounds) else { throw .rounds(Self.digestRounds) }
            guard count == function.length else { throw .hashLength(function.length...function.length) }
        case .hmac(let function, _):
            guard count == function.length else { throw .hashLength(function.length...function.length) }
        case .pbkdf2(let function, let iterations):
            let limit = Self.pbkdf2Work / function.blocks(in: count)
            guard (1...limit).contains(iterations) else { throw .rounds(1...limit) }
        case .scrypt(let cost, let blockSize, let parallelization):
            guard Self.scryptCost.contains(cost) else { throw .memoryCost(Self.scryptCost) }
            guard cost & (cost - 1) == 0 else { throw .costIsNotPowerOfTwo }
            guard Self.scryptBlockSize.contains(blockSize) else { throw .blockSize(Self.scryptBlockSize) }
            // RFC 7914 §2: the cost is below 2 to the power of 16 times the block size.
            guard blockSize > 1 || cost <= Self.scryptCostOfBlockSize1.upperBound else {
                throw .memoryCost(Self.scryptCostOfBlockSize1)
            }
            guard Self.scryptParallelization.contains(parallelization) else {
                throw .parallelization(Self.scryptParallelization)
            }
            guard Self.scryptMemoryKiB(cost, blockSize) <= Self.scryptMemoryKiB else {
                throw .memory(limitKiB: Self.scryptMemoryKiB)
            }
            guard cost * blockSize * parallelization <= Self.scryptWork else {
                throw .scryptWork(limit: Self.scryptWork)
            }
        case .firebaseScrypt(let memoryCost, let rounds):
            guard Self.firebaseRounds.contains(rounds) else { throw .rounds(Self.firebaseRounds) }
            guard Self.firebaseMemoryCost.contains(memoryCost) else { throw .memoryCost(Self.firebaseMemoryCost) }
        }
    }
}
