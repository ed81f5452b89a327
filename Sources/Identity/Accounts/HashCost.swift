/// What one check of a password against a stored hash costs, estimated from the parameters of the hash.
public struct HashCost: Hashable, Sendable {
    /// In the time in which Argon2 passes once over 1 KiB of memory. The factors of the other algorithms were measured
    /// on one machine (OpenSSL, libcrypt and libsodium; 2,650 units took a millisecond), so on another machine they may
    /// be wrong by a factor of two.
    public let work: Int
    public let memoryKiB: Int

    public init(work: Int, memoryKiB: Int) {
        self.work = work
        self.memoryKiB = memoryKiB
    }

    public static func argon2(memoryKiB: Int, iterations: Int) -> HashCost {
        HashCost(work: memoryKiB * iterations, memoryKiB: memoryKiB)
    }

    public static func + (first: HashCost, second: HashCost) -> HashCost {
        HashCost(work: first.work + second.work, memoryKiB: max(first.memoryKiB, second.memoryKiB))
    }
}

extension HashMethod {
    /// - Parameters:
    ///   - hashLength: in bytes.
    ///   - passwordLength: in bytes.
    public func cost(hashLength: Int, passwordLength: Int) -> HashCost {
        switch self {
        // A further round of MD5 hashes the password again.
        case .digest(.md5, let rounds, _): HashCost(work: (rounds + 1) * (300 + passwordLength) / 300, memoryKiB: 0)
        case .digest(_, let rounds, _): HashCost(work: rounds + 1, memoryKiB: 0)
        case .hmac: HashCost(work: 1, memoryKiB: 0)
        case .pbkdf2(let function, let iterations):
            HashCost(work: iterations * function.blocks(in: hashLength) * function.codeWork / 4, memoryKiB: 0)
        case .scrypt(let cost, let blockSize, let parallelization):
            HashCost(
                work: cost * blockSize * parallelization * 3 / 4, memoryKiB: Self.scryptMemoryKiB(cost, blockSize))
        case .firebaseScrypt(let memoryCost, let rounds):
            HashMethod.scrypt(cost: 1 << memoryCost, blockSize: rounds, parallelization: 1)
                .cost(hashLength: hashLength, passwordLength: passwordLength)
        }
    }

    /// The memory of scrypt. The lanes are computed one after the other in the same memory.
    static func scryptMemoryKiB(_ cost: Int, _ blockSize: Int) -> Int { cost * blockSize / 8 }
}

extension HashMethod.Function {
    /// The number of blocks of PBKDF2 in a key of `length` bytes (RFC 8018 §5.2).
    func blocks(in length: Int) -> Int { (length + self.length - 1) / self.length }

    /// The work for one HMAC of a block, in quarters of a unit.
    fileprivate var codeWork: Int {
        switch self {
        case .sha1, .sha256: 2
        case .md5: 3
        case .sha512: 4
        }
    }
}
