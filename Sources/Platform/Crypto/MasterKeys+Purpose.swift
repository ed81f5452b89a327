extension MasterKeys {
    /// A key of 32 bytes for one purpose alone: it tells nothing about the master key, or about the key of another purpose.
    public func key(for purpose: String) -> [UInt8] { current.derived(for: purpose).bytes }

    /// The keys of one purpose under every active master key, the current one's first.
    public func keys(for purpose: String) -> [DerivedKey] {
        [current, previous].compactMap { $0?.derived(for: purpose) }
    }
}

/// A key for one purpose, derived from a master key.
public struct DerivedKey: Sendable {
    /// Names the master key; 4 bytes. Public, and the same for different master keys only by chance.
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
