internal import Crypto
internal import Identity
internal import Synchronization

/// Caches the contents of verified ID tokens, so that the signature is not verified again for every request. Expiry,
/// key and session are still checked for every request.
final class VerifiedTokenCache: Sendable {
    struct Entry: Sendable {
        let contents: IDTokenContents
        let keyID: String
        /// The time in `exp`, in seconds since 1970.
        let expiresAt: Int64
    }

    private let capacity: Int
    /// The entries by the digest of the token, so that no token is stored.
    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// - Parameter capacity: the maximum number of entries. When it is reached, all entries are removed.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    static func digest(of idToken: String, in realm: ID<Realm>) -> [UInt8] {
        Digest.sha256(Array("\(realm.rawValue)\0\(idToken)".utf8))
    }

    subscript(_ digest: [UInt8]) -> Entry? {
        entries.withLock { $0[digest] }
    }

    func insert(_ entry: Entry, for digest: [UInt8]) {
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll(keepingCapacity: true) }
            entries[digest] = entry
        }
    }
}
