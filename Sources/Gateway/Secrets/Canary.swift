package import Crypto
package import Identity
package import Postgres
package import Storage

/// A known text that the database stores encrypted. If it can be decrypted, the master key is the one that the database
/// was created with.
package enum Canary {
    private static let text = Array("sekisho".utf8)
    static let context = "installation/canary"

    /// Marks a new database with this mode and master key, or checks that an existing one belongs to both.
    ///
    /// - Throws: ``Failure`` if the database belongs to another mode or master key.
    package static func markOrCheckDatabase(
        _ pool: Pool, for mode: Installation.Mode, under masterKeys: MasterKeys, at now: Instant
    ) async throws {
        let sealed = try SealedBox(keys: masterKeys).seal(text, context: context)
        let store = InstallationStore(pool: pool)
        let installation = try await store.claim(for: Installation(mode: mode, canary: sealed), at: now)
        guard installation.mode == mode else {
            throw Failure(
                message: installation.mode == .dev
                    ? "the database belongs to `sekisho dev`, and neither `sekisho serve` nor this command can use it: use another database, or change the settings of `sekisho dev` on its pages or by requests with `Authorization: Bearer owner`"
                    : "the database belongs to `sekisho serve`, and `sekisho dev` cannot use it: use another database")
        }
        guard isEncrypted(installation.canary, under: masterKeys) else {
            throw Failure(
                message: "the master key is not the one that the database was created with: check SEKISHO_MASTER_KEY")
        }
    }

    /// Whether `canary` is the known text, encrypted under one of the master keys.
    static func isEncrypted(_ canary: [UInt8], under masterKeys: MasterKeys) -> Bool {
        do {
            return try SealedBox(keys: masterKeys).open(canary, context: context) == text
        } catch {
            return false
        }
    }
}
