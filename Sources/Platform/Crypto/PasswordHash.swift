internal import CSystem

/// Password hashes by Argon2id (RFC 9106). A hash takes tens of milliseconds of CPU time: never call this on an event
/// loop.
public enum PasswordHash {
    /// The cost of computing one hash, for the gateway and for an attacker.
    public struct Cost: Hashable, Sendable {
        /// In KiB.
        public static let memoryRange = 8...1_048_576
        public static let iterationsRange = 1...16

        public let memoryKiB: Int
        public let iterations: Int

        /// - Throws: ``CostOutOfRange`` outside ``memoryRange`` and ``iterationsRange``.
        public init(memoryKiB: Int, iterations: Int) throws(CostOutOfRange) {
            guard Self.memoryRange.contains(memoryKiB), Self.iterationsRange.contains(iterations) else {
                throw CostOutOfRange()
            }
            self.memoryKiB = memoryKiB
            self.iterations = iterations
        }
    }

    public struct CostOutOfRange: Error {}

    /// - Returns: a PHC string with a fresh salt, one lane, at most 127 characters.
    /// - Throws: ``LibraryFault`` if there is not enough memory.
    public static func hash(_ password: [UInt8], cost: Cost) throws(LibraryFault) -> String {
        Sodium.prepare()
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let code = crypto_pwhash_str_alg(
            &text, password, UInt64(password.count), UInt64(cost.iterations), cost.memoryKiB * 1024,
            crypto_pwhash_ALG_ARGON2ID13)
        guard code == 0 else { throw LibraryFault("crypto_pwhash_str_alg") }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether `phc` is a hash of `password`.
    ///
    /// - Parameter phc: a stored string of Argon2id or Argon2i. For any other string, for costs outside the ranges of
    ///   ``Cost``, and for more than 16 lanes, the result is `false` without any hashing.
    public static func verify(_ password: [UInt8], against phc: String) -> Bool {
        guard Argon2Parameters(phc: phc) != nil else { return false }
        Sodium.prepare()
        return crypto_pwhash_str_verify(phc, password, UInt64(password.count)) == 0
    }

    /// The cost of verifying `phc`; `nil` for a string that ``verify(_:against:)`` rejects without any hashing.
    public static func cost(of phc: String) -> Cost? { Argon2Parameters(phc: phc)?.cost }

    /// Whether `phc` differs in variant, cost or lanes from what ``hash(_:cost:)`` would produce, or is not an Argon2
    /// hash.
    public static func needsRehash(_ phc: String, cost: Cost) -> Bool {
        Argon2Parameters(phc: phc) != Argon2Parameters(cost: cost, lanes: 1)
    }

    /// Returns the cost of an additional hash to compute after a failed verification of `phc`, so that the time of the
    /// response does not reveal which hash is stored. The verification and the additional hash take about as much work
    /// as one hash of `cost`. Work is memory times iterations.
    ///
    /// - Parameter phc: as for ``verify(_:against:)``. For any other string, the work of the verification counts as 0.
    /// - Returns: `nil` if the verification alone takes as much work, or if the smallest possible hash would add too
    ///   much work.
    public static func workMissing(in phc: String, comparedWith cost: Cost) -> Cost? {
        let missing = cost.work - (Argon2Parameters(phc: phc)?.cost.work ?? 0)
        let iterations = max(1, (missing + cost.memoryKiB - 1) / cost.memoryKiB)
        // A cost out of range means less work than that of the smallest possible hash, so no hash is added.
        return try? Cost(memoryKiB: missing / iterations, iterations: iterations)
    }
}

extension PasswordHash.Cost {
    fileprivate var work: Int { memoryKiB * iterations }
}
