internal import Crypto
internal import JOSE
internal import JSON

/// The keys that a provider signs with.
struct KeySet: Sendable {
    /// In the document, those included that are of no use to us.
    private let count: Int
    private let keys: [(id: String?, key: PublicKey)]

    /// - Throws: unless this is a JWK set with at least one key that we can verify with; others are passed over.
    init(parsing body: [UInt8]) throws {
        let set = try StrictJSON.decode(JWKSet.self, from: body)
        count = set.keys.count
        // Why a key is of no use does not matter here: small, for encryption, of another kind.
        keys = set.keys.compactMap { key in (try? key.publicKey()).map { (key.kid, $0) } }
        guard !keys.isEmpty else { throw DocumentFault.noKeys }
    }

    /// Those that a token with this header may be signed with.
    ///
    /// - Parameter keyID: if the token names none, the set has to have one key only.
    func keys(named keyID: String?) -> [PublicKey] {
        guard let keyID else { return count == 1 ? keys.map(\.key) : [] }
        return keys.filter { $0.id?.isExactly(keyID) == true }.map(\.key)
    }
}
