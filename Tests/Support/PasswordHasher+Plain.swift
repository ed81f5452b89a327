import Identity

extension PasswordHasher {
    /// Compares passwords without hashing, for tests that are not about hashing.
    static let plain = PasswordHasher(
        hash: { password, _ in "hash of \(password.expose())" },
        check: { password, stored, _ in
            stored == "hash of \(password.expose())" ? .right(rehashed: nil) : .wrong
        })

    /// Throws ``Overloaded`` for every password, as if too many checks were waiting.
    static let overloaded = PasswordHasher(
        hash: { _, _ in throw Overloaded() }, check: { _, _, _ in throw Overloaded() })
}
