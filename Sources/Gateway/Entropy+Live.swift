internal import Crypto
internal import Encoding
internal import FoundationEssentials
internal import Glibc
package import Identity

extension WallClock {
    /// The clock of the machine.
    package static let live = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

extension Entropy {
    /// Generates random IDs of accounts and sessions. Derives the ID of a session's successor by a keyed hash, so that
    /// a repeated request gets the same ID.
    static let live = Entropy(
        accountID: { ID(Random.text(length: 28)) },
        sessionID: { ID(UUIDText.text(UUID())) },
        successorID: { session, key in
            let hash = HMAC.sha256(key: Array(key.secret.expose().utf8), message: Array(session.rawValue.utf8))
            return ID(UUIDText.text(hash.prefix(16)))
        })
}
