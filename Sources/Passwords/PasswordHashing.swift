public import Crypto
public import EventLoop
public import Identity

extension PasswordHasher {
    /// Hashes with Argon2id on the threads of `pool`, and verifies hashes of other systems too.
    ///
    /// A wrong password and an unknown address cost the same Argon2 work, even if the stored hash has a lower cost, so
    /// that response times do not disclose accounts. A hash of another system, or of a higher cost, takes additional
    /// time. Only a correct password is hashed again.
    ///
    /// - Parameters:
    ///   - keys: finds the secret keys of imported hashes.
    ///   - replacesHashes: whether a hash of another system or cost is replaced after a correct password. It is `false`
    ///     in dev mode, because the low cost of dev mode would weaken the hashes.
    /// - Throws: the error of Argon2id if there is no memory for a single hash.
    public static func argon2id(
        _ cost: PasswordHash.Cost, by argon2: Argon2, keys: PasswordKeys, replacesHashes: Bool = true, on pool: FairPool
    ) throws -> PasswordHasher {
        // The password for an unknown address is checked against this hash, so that the check takes as long as for a
        // known address.
        let dummyHash = try argon2.hash(Random.bytes(16), cost)
        return PasswordHasher(
            hash: { password, network in
                try await pool.runHashing(for: network) { try argon2.hash(password.bytes, cost) }
            },
            check: { password, storedHash, network in
                let stored = storedHash ?? dummyHash
                let foreign = stored.hasPrefix("$argon2") ? nil : try await ForeignPassword(stored, keys: keys)
                return try await pool.runHashing(for: network) {
                    let password = password.bytes
                    let isRight = try foreign?.matches(password) ?? argon2.verify(password, stored)
                    guard isRight, storedHash != nil else {
                        if let missing = PasswordHash.workMissing(in: stored, comparedWith: cost) {
                            _ = try argon2.hash(password, missing)
                        }
                        return .wrong
                    }
                    let needsRehash = replacesHashes && PasswordHash.needsRehash(stored, cost: cost)
                    return .right(rehashed: needsRehash ? try argon2.hash(password, cost) : nil)
                }
            })
    }
}

extension FairPool {
    /// Runs `work` in the queue of a client network, so that one network cannot delay the others.
    ///
    /// - Throws: ``Overloaded`` if the queue is full.
    fileprivate func runHashing<Value: Sendable>(
        for network: ClientNetwork, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await run(for: network.levels.reversed().map(\.prefix), work)
        } catch is PoolRejection {
            throw Overloaded()
        }
    }
}

extension Secret {
    fileprivate var bytes: [UInt8] { Array(expose().utf8) }
}
