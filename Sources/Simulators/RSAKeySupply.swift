public import Crypto
internal import Synchronization

/// RSA keys, made when first asked for and kept: each takes about a tenth of a second, so a process that starts many
/// simulators makes one supply for all of Apple's and one for all of Google's.
public final class RSAKeySupply: Sendable {
    /// Guards the keys made so far; held while one is made, so that two who ask get the same.
    private let keys = Mutex<[PrivateKey]>([])

    public init() {}

    public func key(_ index: Int) throws -> PrivateKey {
        try keys.withLock { keys in
            while keys.count <= index { keys.append(try PrivateKey.generate(.rs256)) }
            return keys[index]
        }
    }
}
