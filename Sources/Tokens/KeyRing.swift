public import Crypto
public import Identity
internal import JOSE
internal import JSON

/// The decrypted keys of one project.
public struct KeyRing: Sendable {
    struct IDTokenKey: Sendable {
        let stored: StoredKey
        let publicKey: PublicKey
        let privateKey: PrivateKey
    }

    struct RefreshKey: Sendable {
        let stored: StoredKey
        let secret: [UInt8]
    }

    /// How long a new key is published before it signs, so that every verifier has fetched it.
    public static let publicationLead: Duration = .seconds(900)

    /// Newest first, like ``refreshKeys``.
    let idTokenKeys: [IDTokenKey]
    let refreshKeys: [RefreshKey]

    /// - Throws: ``SealFault`` if a key cannot be decrypted with `masterKeys`.
    public init(_ keys: [StoredKey], of project: ID<Project>, under masterKeys: MasterKeys) throws {
        let newestFirst = keys.sorted { $0.signsFrom > $1.signsFrom }
        idTokenKeys = try newestFirst.filter { $0.purpose == .idToken }.map { key in
            let privateKey = try PrivateKey(pkcs8: try key.open(in: project, under: masterKeys))
            return IDTokenKey(stored: key, publicKey: privateKey.publicKey, privateKey: privateKey)
        }
        refreshKeys = try newestFirst.filter { $0.purpose == .refreshToken }.map { key in
            RefreshKey(stored: key, secret: try key.open(in: project, under: masterKeys))
        }
    }

    func idTokenSigner(at now: Instant) throws -> IDTokenKey {
        guard let key = idTokenKeys.first(where: { $0.stored.signs(at: now) }) else { throw NoSigningKey() }
        return key
    }

    func idTokenKey(_ id: String, at now: Instant) -> PublicKey? {
        idTokenKeys.first { $0.stored.id == id && $0.stored.isTrusted(at: now) }?.publicKey
    }

    func refreshKeyToSign(at now: Instant) throws -> RefreshKey {
        guard let key = refreshKeys.first(where: { $0.stored.signs(at: now) }) else { throw NoSigningKey() }
        return key
    }

    func refreshKey(_ id: String, at now: Instant) -> [UInt8]? {
        refreshKeys.first { $0.stored.id == id && $0.stored.isTrusted(at: now) }?.secret
    }

    /// Whether there are keys for both kinds of tokens.
    public func canSign(at now: Instant) -> Bool {
        idTokenKeys.contains { $0.stored.signs(at: now) } && refreshKeys.contains { $0.stored.signs(at: now) }
    }

    /// The JOSE algorithms of ID tokens, for discovery.
    public var algorithms: [String] { Set(idTokenKeys.map(\.stored.algorithm)).sorted() }

    /// The JWK set (RFC 7517 §5) of the keys of ID tokens, including those that sign later.
    public func jwks(at now: Instant) throws -> [UInt8] {
        try StrictJSON.encode(
            JWKSet(
                keys: idTokenKeys.filter { $0.stored.isTrusted(at: now) }
                    .map { JWK($0.publicKey, keyID: $0.stored.id) }))
    }

    /// The same keys in Firebase's format: a JSON object of certificates (PEM) by key ID.
    public func certificates(at now: Instant) throws -> [UInt8] {
        let pairs = idTokenKeys.filter { $0.stored.isTrusted(at: now) }
            .compactMap { key in key.stored.certificate.map { (key.stored.id, $0) } }
        return try StrictJSON.encode(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }
}

/// The project has no key that signs now, because none was created or all have retired.
struct NoSigningKey: Error {}

extension StoredKey {
    fileprivate func signs(at now: Instant) -> Bool { signsFrom <= now && isTrusted(at: now) }

    fileprivate func isTrusted(at now: Instant) -> Bool { retiresAt.map { $0 > now } ?? true }

    /// The column that the ciphertext of a private key is bound to.
    public static func context(_ id: String, in project: ID<Project>) -> String {
        "signing_key/\(project.rawValue)/\(id)/private_key"
    }

    fileprivate func open(in project: ID<Project>, under masterKeys: MasterKeys) throws -> [UInt8] {
        try SealedBox(keys: masterKeys).open(sealedPrivateKey, context: Self.context(id, in: project))
    }
}
