internal import Crypto
internal import JOSE

/// The published keys of a simulated provider. The newest key signs.
struct SigningKeys: Sendable {
    struct Named: Sendable {
        let id: String
        let key: PrivateKey
    }

    private let supply: RSAKeySupply
    private let keyID: @Sendable (PublicKey) -> String
    private var nextIndex = 0
    private var published: [Named] = []
    /// The IDs of all keys, including keys that are no longer published.
    private(set) var everPublishedIDs: Set<String> = []

    /// - Parameter keyID: returns the ID of a key.
    init(_ supply: RSAKeySupply, count: Int, keyID: @escaping @Sendable (PublicKey) -> String) throws {
        precondition(count > 0, "a provider needs a key")
        self.supply = supply
        self.keyID = keyID
        for _ in 0..<count { try rotate(keepingOld: true) }
    }

    var current: Named { published[published.count - 1] }

    var jwks: JWKSet { JWKSet(keys: published.map { JWK($0.key.publicKey, keyID: $0.id) }) }

    /// Publishes another key, which signs from then on.
    mutating func rotate(keepingOld: Bool) throws {
        let key = try supply.key(nextIndex)
        nextIndex += 1
        let named = Named(id: keyID(key.publicKey), key: key)
        everPublishedIDs.insert(named.id)
        published = (keepingOld ? published : []) + [named]
    }
}
