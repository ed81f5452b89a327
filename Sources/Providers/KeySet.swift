internal import Crypto
internal import JOSE
internal import JSON

/// The signing keys of a provider.
struct KeySet: Sendable {
    /// The number of keys in the document, unusable ones included.
    private let count: Int
    private let keys: [(id: String?, key: PublicKey)]

    /// Skips keys that cannot verify tokens.
    ///
    /// - Throws: unless the document is a JWK set with at least one usable key.
    init(parsing body: [UInt8]) throws {
        let set = try StrictJSON.decode(JWKSet.self, from: body)
        count = set.keys.count
        // The reason does not matter: a key may be too small, for encryption, or of another type.
        keys = set.keys.compactMap { key in (try? key.publicKey()).map { (key.kid, $0) } }
        guard !keys.isEmpty else { throw DocumentFault.noKeys }
    }

    /// The keys that may have signed a token.
    ///
    /// - Parameter keyID: `nil`, if the token names none, requires a set with exactly one key.
    func keys(named keyID: String?) -> [PublicKey] {
        guard let keyID else { return count == 1 ? keys.map(\.key) : [] }
        return keys.filter { $0.id?.isExactly(keyID) == true }.map(\.key)
    }
}
