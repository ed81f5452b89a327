internal import Crypto
internal import Identity

extension NetworkHashing {
    /// The length of a hash, in bytes.
    private static let hashLength = 16

    /// Hashes the networks of sessions. A network has one hash for each master key, that of the current key first.
    static func live(under masterKeys: MasterKeys) -> NetworkHashing {
        let keys = masterKeys.keys(for: "networks of sessions")
        return NetworkHashing { network, realm in
            guard let prefix = network.knownNetworkPrefix else { return [] }
            let message = Array("\(realm.rawValue)\u{0}\(prefix)".utf8)
            return keys.map { Array(HMAC.sha256(key: $0.bytes, message: message).prefix(hashLength)) }
        }
    }
}
