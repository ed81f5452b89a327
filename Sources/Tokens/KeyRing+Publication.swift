public import Identity
internal import JOSE
internal import JSON

/// What others learn of the keys: verifiers of ID tokens, and the readiness of the gateway.
extension KeyRing {
    /// Whether at `now` one of the keys signs ID tokens and one signs refresh tokens.
    public func canSign(at now: Instant) -> Bool {
        idTokenKeys.contains { $0.stored.isTrusted(at: now) } && refreshKeys.contains { $0.stored.isTrusted(at: now) }
    }

    /// The JOSE algorithms of ID tokens, for discovery.
    public var algorithms: [String] { Set(idTokenKeys.map(\.stored.algorithm)).sorted() }

    /// The JWK set (RFC 7517 §5) of all keys for ID tokens except retired keys. It includes keys that do not sign yet.
    public func jwks(at now: Instant) throws -> [UInt8] {
        try StrictJSON.encode(
            JWKSet(
                keys: idTokenKeys.filter { $0.stored.isTrusted(at: now) }
                    .map { JWK($0.publicKey, keyID: $0.stored.id) }))
    }

    /// The keys of ``jwks(at:)`` in Firebase's format: a JSON object of certificates (PEM) by key ID.
    public func certificates(at now: Instant) throws -> [UInt8] {
        let pairs = idTokenKeys.filter { $0.stored.isTrusted(at: now) }
            .compactMap { key in key.stored.certificate.map { (key.stored.id, $0) } }
        return try StrictJSON.encode(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }
}
