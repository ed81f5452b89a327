extension MasterKeys {
    /// Returns a 32-byte key for one purpose, derived from the current master key. It reveals neither the master key
    /// nor keys for other purposes.
    public func key(for purpose: String) -> [UInt8] { current.derived(for: purpose).bytes }

    /// Returns the keys for one purpose, one for each active master key, beginning with the current one.
    public func keys(for purpose: String) -> [DerivedKey] {
        [current, previous].compactMap { $0?.derived(for: purpose) }
    }
}

/// A key for one purpose, derived from a master key.
public struct DerivedKey: Sendable {
    /// Identifies the master key; 4 bytes, not secret. Different master keys can have the same ID by chance.
    public let masterKeyID: [UInt8]
    /// 32 bytes.
    public let bytes: [UInt8]
}

extension MasterKey {
    fileprivate func derived(for purpose: String) -> DerivedKey {
        DerivedKey(
            masterKeyID: id, bytes: HMAC.sha256(key: bytes, message: Array("sekisho key for \(purpose)".utf8)))
    }
}
