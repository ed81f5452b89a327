internal import Crypto
internal import Encoding
internal import EventLoop
public import Identity
internal import JOSE
internal import JSON

/// Caches the signing keys of identity providers, and the discovery documents of configured ones.
///
/// A token with an unknown `kid` forces a new fetch, at most once a minute for all processes together, and after a
/// failed fetch once in ten seconds for each process. While a provider is unreachable, its cached keys stay valid for a
/// week after their fetch, and a token with any other key fails with ``ProviderUnreachable``.
public final class JWKSCache: Sendable {
    private let keys: ProviderDocumentCache<KeySet>
    private let discoveries: ProviderDocumentCache<OpenIDDiscovery>
    private let allowsUnencrypted: Bool

    /// - Parameters:
    ///   - allowsUnencrypted: whether configured OpenID providers without TLS are accepted. `fetch` decides whether
    ///     private addresses are accepted.
    ///   - executor: runs the fetches.
    public init(
        fetch: DocumentFetch, store: ProviderDocumentStore, clock: WallClock, allowsUnencrypted: Bool = false,
        on executor: any TaskExecutor
    ) {
        self.allowsUnencrypted = allowsUnencrypted
        keys = ProviderDocumentCache(fetch: fetch, store: store, clock: clock, on: executor) { body, _ in
            try await KeySet(parsing: body)
        }
        discoveries = ProviderDocumentCache(fetch: fetch, store: store, clock: clock, on: executor) { body, url in
            try OpenIDDiscovery(parsing: body, foundAt: url, allowingUnencrypted: allowsUnencrypted)
        }
    }

    /// Returns the key that the header of `token` names.
    ///
    /// - Throws: ``ProviderRefusal``, or ``ProviderUnreachable`` if the keys must be fetched and cannot be.
    func key(
        for token: UnverifiedJWS, at address: DocumentAddress, of provider: ProviderID
    ) async throws -> PublicKey {
        let keyID = token.keyID.flatMap { $0.isEmpty ? nil : $0 }
        var version = try await keys.current(of: provider, at: address)
        while version.value.keys(named: keyID).isEmpty {
            guard keyID != nil else { throw ProviderRefusal.invalidToken(.keyIDMissing) }
            guard let newer = try await keys.newer(than: version, of: provider, at: address) else {
                throw ProviderRefusal.invalidToken(.unknownKey)
            }
            version = newer
        }
        guard let key = version.value.keys(named: keyID).first(where: { $0.algorithm == token.algorithm }) else {
            throw ProviderRefusal.invalidToken(.algorithmNotAllowed)
        }
        return key
    }

    /// Fetches the keys, unless they are cached.
    ///
    /// - Throws: ``ProviderUnreachable``.
    func load(_ address: DocumentAddress, of provider: ProviderID) async throws {
        _ = try await keys.current(of: provider, at: address)
    }

    /// Returns the address of the keys of `issuer`, from the issuer's discovery document.
    func address(ofKeysOf issuer: String, _ provider: ProviderID) async throws -> DocumentAddress {
        DocumentAddress(url: try await discovery(of: issuer, provider).keysURL, isFromConfiguration: true)
    }

    /// Returns the discovery document of `issuer`.
    ///
    /// - Throws: ``ProviderRefusal/discoveryIssuer(configured:seen:)``, which only the operator can correct;
    ///   ``ProviderUnreachable``.
    func discovery(of issuer: String, _ provider: ProviderID) async throws -> OpenIDDiscovery {
        guard issuer.beginsExactly(with: "https://") || (allowsUnencrypted && issuer.beginsExactly(with: "http://"))
        else {
            throw ProviderRefusal.notConfigured
        }
        let address = DocumentAddress(url: OpenIDDiscovery.address(of: issuer), isFromConfiguration: true)
        let found: OpenIDDiscovery
        do {
            found = try await discoveries.current(of: provider, at: address).value
        } catch DocumentFault.otherIssuer(let seen) {
            throw ProviderRefusal.discoveryIssuer(configured: issuer, seen: seen)
        }
        // The same address has the documents of an issuer with and without a slash at the end.
        guard found.issuer.isExactly(issuer) else {
            throw ProviderRefusal.discoveryIssuer(configured: issuer, seen: found.issuer)
        }
        return found
    }
}

/// The signing keys of a provider.
struct KeySet: Sendable {
    /// The number of keys in the document, including unusable keys.
    private let count: Int
    private let keys: [(id: String?, key: PublicKey)]

    /// Skips keys that cannot verify tokens. Checks the keys in slices, because two hundred take some ten milliseconds.
    ///
    /// - Throws: an error unless the document is a JWK set with at least one usable key.
    init(parsing body: [UInt8]) async throws {
        let set = try StrictJSON.decode(JWKSet.self, from: body)
        count = set.keys.count
        // The reason does not matter: a key may be too small, intended for encryption, or of another type.
        keys = await set.keys.mapInSlices(of: 20) { key in (try? key.publicKey()).map { (key.kid, $0) } }
            .compactMap(\.self)
        guard !keys.isEmpty else { throw DocumentFault.noKeys }
    }

    /// Returns the keys that may have signed a token.
    ///
    /// - Parameter keyID: the key ID of the token. `nil` matches the key of a set with exactly one key, and no key of a
    ///   larger set.
    func keys(named keyID: String?) -> [PublicKey] {
        guard let keyID else { return count == 1 ? keys.map(\.key) : [] }
        return keys.filter { $0.id?.isExactly(keyID) == true }.map(\.key)
    }
}

/// The address of a document that a provider publishes.
public struct DocumentAddress: Hashable, Sendable {
    public let url: String
    /// Whether the URL comes from the configuration of a project, or from a discovery document whose URL does. The
    /// fetch must then connect to a public address, unless the operator allows private addresses.
    public let isFromConfiguration: Bool

    public init(url: String, isFromConfiguration: Bool) {
        self.url = url
        self.isFromConfiguration = isFromConfiguration
    }
}
