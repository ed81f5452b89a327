public import Crypto
public import EventLoop
public import Identity

extension Passwords {
    /// Argon2id on threads of its own, which also check what other systems hashed.
    ///
    /// Whatever is stored, each check does the work of one Argon2id of today's cost; a hash of another making costs its
    /// own work on top.
    ///
    /// - Parameter keys: where the secret keys of imported hashes are.
    /// - Throws: what Argon2id throws when there is no memory for a single hash.
    public static func argon2id(
        _ cost: PasswordHash.Cost, keys: PasswordKeys, on pool: FairPool
    ) throws -> Passwords {
        // Hashed once, so that checking against nothing costs what checking against something does.
        let nobodys = try PasswordHash.hash(Random.bytes(16), cost: cost)
        return Passwords(
            hash: { password, network in
                try await pool.hashing(for: network) { try PasswordHash.hash(password.bytes, cost: cost) }
            },
            check: { password, storedHash, network in
                let stored = storedHash ?? nobodys
                let foreign: ForeignPassword? =
                    PasswordHash.needsRehash(stored, cost: cost) ? try await ForeignPassword(stored, keys: keys) : nil
                return try await pool.hashing(for: network) {
                    guard let foreign else {
                        let isRight = PasswordHash.verify(password.bytes, against: stored)
                        return isRight && storedHash != nil ? .right(rehashed: nil) : .wrong
                    }
                    let isRight = try foreign.isMadeOf(password.bytes)
                    let rehashed = try PasswordHash.hash(password.bytes, cost: cost)
                    return isRight ? .right(rehashed: rehashed) : .wrong
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
