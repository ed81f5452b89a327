public import Crypto
public import EventLoop
public import Identity

extension Passwords {
    /// Argon2id on threads of its own.
    ///
    /// - Throws: what Argon2id throws when there is no memory for a single hash.
    public static func argon2id(_ cost: PasswordHash.Cost, on pool: FairPool) throws -> Passwords {
        // Hashed once, so that checking against nothing costs what checking against something does.
        let nobodys = try PasswordHash.hash(Random.bytes(16), cost: cost)
        return Passwords(
            hash: { password, origin in
                try await pool.hashing(for: origin) { try PasswordHash.hash(password.bytes, cost: cost) }
            },
            check: { password, storedHash, origin in
                try await pool.hashing(for: origin) {
                    guard PasswordHash.verify(password.bytes, against: storedHash ?? nobodys), let storedHash else {
                        return .wrong
                    }
                    guard PasswordHash.needsRehash(storedHash, cost: cost) else { return .right(rehashed: nil) }
                    return .right(rehashed: try PasswordHash.hash(password.bytes, cost: cost))
                }
            })
    }
}

extension FairPool {
    fileprivate func hashing<Value: Sendable>(
        for origin: AddressPrefix, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await run(for: origin.rawValue, work)
        } catch is PoolIsFull {
            throw Overloaded()
        }
    }
}

extension Secret {
    fileprivate var bytes: [UInt8] { Array(expose().utf8) }
}
