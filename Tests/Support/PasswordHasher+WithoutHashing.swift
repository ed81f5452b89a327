import Identity
import Synchronization

extension PasswordHasher {
    /// Compares passwords without hashing, for tests that are not about hashing.
    static let withoutHashing = PasswordHasher(
        hash: { password, _ in "hash of \(password.expose())" },
        check: { password, stored, _ in
            stored == "hash of \(password.expose())" ? .right(rehashed: nil) : .wrong
        })

    /// ``withoutHashing``, which also records each check.
    static func recording(_ checks: PasswordChecks) -> PasswordHasher {
        PasswordHasher(
            hash: PasswordHasher.withoutHashing.hash,
            check: { password, stored, network in
                checks.recorded.withLock { $0.append(stored != nil) }
                return try await PasswordHasher.withoutHashing.check(password, stored, network)
            })
    }

    /// Throws ``Overloaded`` for every password, as if too many passwords were waiting to be hashed.
    static let overloaded = PasswordHasher(
        hash: { _, _ in throw Overloaded() }, check: { _, _, _ in throw Overloaded() })
}

/// The password checks of a gateway.
final class PasswordChecks: Sendable {
    fileprivate let recorded = Mutex<[Bool]>([])

    var count: Int { hadStoredHash.count }
    /// For each password check, in order, whether the account had a stored hash.
    var hadStoredHash: [Bool] { recorded.withLock { $0 } }
}
