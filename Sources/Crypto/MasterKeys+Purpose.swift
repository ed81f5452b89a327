extension MasterKeys {
    /// A key of 32 bytes for one purpose alone: it tells nothing about the master key, or about the key of another purpose.
    public func key(for purpose: String) -> [UInt8] {
        HMAC.sha256(key: current.bytes, message: Array("sekisho key for \(purpose)".utf8))
    }
}
