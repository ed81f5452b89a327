public import Crypto
internal import Encoding
public import Identity

extension PasswordHasher {
    /// Hashes with Argon2id on `threads`, and verifies hashes of other systems too.
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
        _ cost: PasswordHash.Cost, by argon2: Argon2, keys: PasswordKeys, replacesHashes: Bool = true,
        on threads: PasswordThreads
    ) throws -> PasswordHasher {
        let native = HashCost(cost)
        // The password for an unknown address is checked against this hash, so that the check takes as long as for a
        // known address.
        let dummyHash = try argon2.hash(Random.bytes(16), cost)
        return PasswordHasher(
            hash: { password, client in
                try await threads.run(for: client, cost: native, native: native) {
                    try argon2.hash(password.bytes, cost)
                }
            },
            check: { password, storedHash, client in
                let stored = storedHash ?? dummyHash
                let foreign =
                    stored.beginsExactly(with: "$argon2") ? nil : try await ForeignPassword(stored, keys: keys)
                let password = password.bytes
                let storedCost = foreign?.cost(passwordLength: password.count) ?? HashCost(ofArgon2: stored)
                return try await threads.run(for: client, cost: storedCost, native: native) {
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

extension Secret {
    fileprivate var bytes: [UInt8] { Array(expose().utf8) }
}
