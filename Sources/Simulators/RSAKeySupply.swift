public import Crypto
internal import Synchronization

/// Generates RSA keys on demand and keeps them for reuse. Generating a key takes about 0.1 seconds, so a process that
/// starts many simulators shares one supply for Apple and one for Google.
public final class RSAKeySupply: Sendable {
    /// Guards the keys. It is held while a key is generated, so that concurrent callers get the same key.
    private let keys = Mutex<[PrivateKey]>([])

    public init() {}

    /// Returns the key with this index, and generates it and all keys before it if necessary.
    public func key(_ index: Int) throws -> PrivateKey {
        try keys.withLock { keys in
            while keys.count <= index { keys.append(try PrivateKey.generate(.rs256)) }
            return keys[index]
        }
    }
}
