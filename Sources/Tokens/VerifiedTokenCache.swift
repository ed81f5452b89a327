internal import Crypto
internal import Identity
internal import Synchronization

/// ID tokens whose signature has been checked, so that it is checked once and not for every call: it costs as much as
/// the rest of a look-up. What may change meanwhile, time and keys, is asked again; the session is always asked for.
final class VerifiedTokenCache: Sendable {
    struct Entry: Sendable {
        let claim: IDTokenClaim
        let keyID: String
        /// In seconds since the epoch.
        let expiresAt: Int64
    }

    private let capacity: Int
    /// By digest, so that no token is kept.
    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// - Parameter capacity: once reached, everything is forgotten.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    static func digest(of idToken: String, in realm: ID<Realm>) -> [UInt8] {
        Digest.sha256(Array("\(realm.rawValue)\0\(idToken)".utf8))
    }

    subscript(_ digest: [UInt8]) -> Entry? {
        entries.withLock { $0[digest] }
    }

    func remember(_ entry: Entry, as digest: [UInt8]) {
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[digest] = entry
        }
    }
}
