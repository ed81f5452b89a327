public import Crypto
public import Identity

extension NetworkHashing {
    private static let hashLength = 16

    public static func live(under masterKeys: MasterKeys) -> NetworkHashing {
        let keys = masterKeys.keys(for: "networks of sessions")
        return NetworkHashing { network, project in
            guard let prefix = network.knownNetworkPrefix else { return [] }
            let message = Array("\(project.rawValue)\u{0}\(prefix)".utf8)
            return keys.map { Array(HMAC.sha256(key: $0.bytes, message: message).prefix(hashLength)) }
        }
    }
}
