internal import Crypto
public import Identity
internal import JOSE

/// The keys that providers sign with, parsed and kept.
///
/// A token whose `kid` is not among them has the provider asked once more, at most once a minute by all processes
/// together. While a provider cannot be reached its known keys go on working; a token of any other key is then neither
/// believed nor refused.
public final class JWKSCache: Sendable {
    private let keys: ProviderDocumentCache<KeySet>
    private let configurations: ProviderDocumentCache<OpenIDDiscovery>
    private let allowsPrivate: Bool

    /// - Parameters:
    ///   - allowsPrivate: operators' own OpenID providers may be on this machine, without encryption. Whether `fetch`
    ///     reaches private addresses is for the caller to see to.
    ///   - executor: what fetching runs on: a request that goes away leaves it to those who wait for the same.
    public init(
        fetch: DocumentFetch, shelf: ProviderDocumentStore, clock: WallClock, allowsPrivate: Bool = false,
        on executor: any TaskExecutor
    ) {
        self.allowsPrivate = allowsPrivate
        keys = ProviderDocumentCache(fetch: fetch, shelf: shelf, clock: clock, on: executor) { body, _ in
            try KeySet(parsing: body)
        }
        configurations = ProviderDocumentCache(fetch: fetch, shelf: shelf, clock: clock, on: executor) { body, url in
            try OpenIDDiscovery(parsing: body, foundAt: url, allowingPlain: allowsPrivate)
        }
    }

    /// The key that `token` says it is signed with.
    ///
    /// - Throws: ``ProviderRefusal``, or ``ProviderUnreachable`` where the provider would have to be asked and cannot.
    func key(
        for token: UnverifiedJWS, at address: DocumentAddress, of provider: ProviderID, needsKeyID: Bool
    ) async throws -> PublicKey {
        let keyID = token.keyID.flatMap { $0.isEmpty ? nil : $0 }
        var version = try await reaching(provider) { try await self.keys.current(at: address) }
        while version.value.keys(named: keyID).isEmpty {
            guard keyID != nil else { throw ProviderRefusal.tokenNotBelieved(.keyIDMissing) }
            let seen = version
            let newer = try await reaching(provider) { try await self.keys.newer(than: seen, at: address) }
            guard let newer else { throw ProviderRefusal.tokenNotBelieved(.unknownKey) }
            version = newer
        }
        guard let key = version.value.keys(named: keyID).first(where: { $0.algorithm == token.algorithm }) else {
            throw ProviderRefusal.tokenNotBelieved(.algorithmNotAllowed)
        }
        return key
    }

    /// Where the configuration of `issuer` says that its keys are.
    func address(ofKeysOf issuer: String, _ provider: ProviderID) async throws -> DocumentAddress {
        guard issuer.hasPrefix("https://") || (allowsPrivate && issuer.hasPrefix("http://")) else {
            throw ProviderRefusal.notConfigured
        }
        let address = DocumentAddress(url: OpenIDDiscovery.address(of: issuer), isConfigured: true)
        let found = try await reaching(provider) { try await self.configurations.current(at: address) }.value
        guard found.issuer.isExactly(issuer) else {
            throw ProviderUnreachable(provider: provider, reason: DocumentFault.otherIssuer.description)
        }
        return DocumentAddress(url: found.keysURL, isConfigured: true)
    }

    private func reaching<Found>(_ provider: ProviderID, _ find: () async throws -> Found) async throws -> Found {
        do {
            return try await find()
        } catch let error as DocumentUnavailable {
            throw ProviderUnreachable(provider: provider, reason: error.reason)
        }
    }
}
