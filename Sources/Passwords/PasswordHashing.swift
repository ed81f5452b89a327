public import Crypto
public import EventLoop
public import Identity

extension PasswordHasher {
    /// Argon2id on threads of its own, which also check what other systems hashed.
    ///
    /// A wrong password costs as much Argon2 work as an unknown address does, so that timing does not tell them apart, even
    /// while hashes of an older, lower cost are stored. A hash made by another system, or at a higher cost, costs its own
    /// work on top. Only a right password is hashed anew.
    ///
    /// - Parameter keys: where the secret keys of imported hashes are.
    /// - Throws: what Argon2id throws when there is no memory for a single hash.
    public static func argon2id(
        _ cost: PasswordHash.Cost, by argon2: Argon2, keys: PasswordKeys, on pool: FairPool
    ) throws -> PasswordHasher {
        // Hashed once, so that checking against nothing costs what checking against something does.
        let nobodys = try argon2.hash(Random.bytes(16), cost)
        return PasswordHasher(
            hash: { password, network in
                try await pool.hashing(for: network) { try argon2.hash(password.bytes, cost) }
            },
            check: { password, storedHash, network in
                let stored = storedHash ?? nobodys
                let foreign = stored.hasPrefix("$argon2") ? nil : try await ForeignPassword(stored, keys: keys)
                return try await pool.hashing(for: network) {
                    let password = password.bytes
                    let isRight = try foreign?.isMadeOf(password) ?? argon2.verify(password, stored)
                    guard isRight, storedHash != nil else {
                        if let missing = PasswordHash.workMissing(in: stored, comparedWith: cost) {
                            _ = try argon2.hash(password, missing)
                        }
                        return .wrong
                    }
                    let isOld = PasswordHash.needsRehash(stored, cost: cost)
                    return .right(rehashed: isOld ? try argon2.hash(password, cost) : nil)
                }
            })
    }
}

extension FairPool {
    fileprivate func hashing<Value: Sendable>(
        for network: ClientNetwork, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await run(for: network.levels.reversed().map(\.prefix), work)
        } catch is PoolIsFull {
            throw Overloaded()
        }
    }
}

extension Secret {
    fileprivate var bytes: [UInt8] { Array(expose().utf8) }
}
