import Crypto
import Identity
import JOSE
import JSON
import Providers
import Synchronization

/// A verifier of identity tokens for a project with three providers, and scripted servers in place of the providers'
/// servers.
final class Fixture: Sendable {
    static let start = Instant(seconds: 1_800_000_000)
    static let appleKeysURL = "https://appleid.apple.com/auth/keys"
    static let googleKeysURL = "https://www.googleapis.com/oauth2/v3/certs"
    static let openIDIssuer = "https://login.example.com/realm"
    static let discoveryURL = openIDIssuer + "/.well-known/openid-configuration"
    static let openIDKeysURL = "https://keys.example.net/realm"
    static let openID = ProviderID("oidc.example")

    let clock = TestClock(Fixture.start)
    let servers = ScriptedServers()
    /// Stores the documents of the providers, unless another store is given.
    let testStore = TestDocumentStore()
    let keyCache: JWKSCache
    let verifier: Verifier

    init(store: ProviderDocumentStore? = nil, allowsUnencrypted: Bool = false) {
        servers.publish(.keySet(Keys.current), at: Self.appleKeysURL)
        servers.publish(.keySet(Keys.current), at: Self.googleKeysURL)
        servers.publish(.keySet(Keys.current), at: Self.openIDKeysURL)
        // The member `x` is unknown, and must be ignored.
        servers.publish(
            .text(#"{"issuer":"\#(Self.openIDIssuer)","jwks_uri":"\#(Self.openIDKeysURL)","x":[1]}"#),
            at: Self.discoveryURL)
        keyCache = JWKSCache(
            fetch: servers.fetch, store: store ?? testStore.documentStore, clock: clock.wallClock,
            allowsUnencrypted: allowsUnencrypted, on: globalConcurrentExecutor)
        verifier = .live(keyCache: keyCache, clock: clock.wallClock)
    }

    /// Verifies a token that a client sent with `nonce` and `name`.
    ///
    /// - Parameter changeProject: changes the settings of ``project`` before the verification.
    func verify(
        _ token: String?, of provider: ProviderID = .apple, nonce: String? = nil, name: PersonName? = nil,
        app: AppSettings = AppSettings(), changeRealm: (inout Realm) -> Void = { _ in }
    ) async throws -> VerifiedIdentity {
        var realm = Self.realm
        changeRealm(&realm)
        let credential = FederatedCredential(
            provider: provider, idToken: token.map { Secret($0) }, rawNonce: nonce, name: name)
        return try await verifier.verify(credential, App(id: ID("app"), settings: app), realm)
    }

    /// Verifies a token and returns why it is rejected; `nil` if it is accepted. The parameters are those of `verify`.
    func refusal(
        of token: String?, from provider: ProviderID = .apple, nonce: String? = nil,
        app: AppSettings = AppSettings(), changeRealm: (inout Realm) -> Void = { _ in }
    ) async throws -> ProviderRefusal? {
        do {
            _ = try await verify(token, of: provider, nonce: nonce, app: app, changeRealm: changeRealm)
            return nil
        } catch let refusal as ProviderRefusal {
            return refusal
        }
    }

    /// Verifies an otherwise valid token of Apple.
    ///
    /// - Returns: `false` if the token is rejected because its key is unknown.
    /// - Throws: the refusal if the token is rejected for another reason.
    func acceptsAppleToken(signedBy key: Keys.Named = Keys.current) async throws -> Bool {
        switch try await refusal(of: longLivedAppleToken(signedBy: key)) {
        case nil: return true
        case .invalidToken(.unknownKey): return false
        case let other?: throw other
        }
    }

    /// The configured realm. It does not require nonces; the tests of nonces change its policy.
    static let realm: Realm = {
        var policy = Policy(.sekisho)
        policy.requiresNonce = false
        return Realm(
            Project(id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live),
            policy: policy,
            providers: [
                ProviderSettings(
                    provider: .apple, isEnabled: true, clientIDs: ["com.example.app", "com.example.web"],
                    apple: AppleSettings(teamID: "TEAM123456", keyID: "KEY1234567")),
                ProviderSettings(
                    provider: .google, isEnabled: true, clientIDs: ["web.apps.example", "ios.apps.example"]),
                ProviderSettings(
                    provider: openID, isEnabled: true, clientIDs: ["realm-client"],
                    openID: OpenIDSettings(issuer: openIDIssuer, trustsEmail: true)),
            ])
    }()
}

extension Realm {
    /// The settings of a provider of the realm, which tests can change.
    subscript(_ provider: ProviderID) -> ProviderSettings {
        get { settings(of: provider)! }
        set { providers = providers.map { $0.provider == provider ? newValue : $0 } }
    }
}

/// Keys that sign the tokens of the providers. They are generated once, because generating an RSA key is slow.
enum Keys {
    /// The key that all servers publish from the start.
    static let current = Named(id: "current", key: makeOrStop { try PrivateKey.generate(.rs256) })
    /// The key that a server publishes only after a rotation.
    static let next = Named(id: "next", key: makeOrStop { try PrivateKey.generate(.rs256) })
    /// Has a key ID that no provider publishes.
    static let unknown = Named(id: "unknown", key: next.key)
    static let elliptic = Named(id: "elliptic", key: makeOrStop { try PrivateKey.generate(.es256) })

    struct Named: Sendable {
        let id: String
        let key: PrivateKey

        var jwk: JWK { JWK(key.publicKey, keyID: id) }
    }
}

/// A clock that changes only when a test advances it.
final class TestClock: Sendable {
    private let instant: Mutex<Instant>

    init(_ start: Instant) { instant = Mutex(start) }

    var now: Instant { instant.withLock { $0 } }
    var wallClock: WallClock { WallClock { self.now } }

    func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
}

/// The providers' servers: they return the answers that a test publishes, and record the requested addresses.
final class ScriptedServers: Sendable {
    enum Answer: Sendable {
        case text(String, maxAge: Duration? = nil)
        case failure
        /// The inner answer, which is returned only after the gate is opened.
        indirect case afterOpening(Gate, Answer)

        static func keySet(_ keys: Keys.Named..., maxAge: Duration? = nil) -> Answer {
            .text(
                String(decoding: makeOrStop { try StrictJSON.encode(JWKSet(keys: keys.map(\.jwk))) }, as: UTF8.self),
                maxAge: maxAge)
        }
    }

    struct ConnectionFailed: Error {}

    private let answers = Mutex<[String: Answer]>([:])
    private let requested = Mutex<[DocumentAddress]>([])

    /// The URLs of all requested documents, in the order of the requests.
    var requestedURLs: [String] { requested.withLock { $0.map(\.url) } }
    var requestedAddresses: [DocumentAddress] { requested.withLock { $0 } }

    func publish(_ answer: Answer, at url: String) { answers.withLock { $0[url] = answer } }

    var fetch: DocumentFetch {
        DocumentFetch { [self] address in
            requested.withLock { $0.append(address) }
            return try await answer(answers.withLock { $0[address.url] } ?? .failure)
        }
    }

    private func answer(_ answer: Answer) async throws -> (body: [UInt8], maxAge: Duration?) {
        switch answer {
        case .text(let text, let maxAge): return (Array(text.utf8), maxAge)
        case .failure: throw ConnectionFailed()
        case .afterOpening(let gate, let inner):
            await gate.pass()
            return try await self.answer(inner)
        }
    }
}

/// Suspends the callers of ``pass()`` until it is opened.
final class Gate: Sendable {
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]?>([])

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = waiting.withLock { waiting in
                waiting?.append(continuation)
                return waiting == nil
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiters = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting ?? []
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// A document store in memory that can fail. `StorageTests` test the store in PostgreSQL.
final class TestDocumentStore: Sendable {
    struct Broken: Error {}

    let documents = Mutex<[String: ProviderDocument]>([:])
    /// The time at which a process last claimed a forced fetch of a document, by URL. A forced fetch is one before the
    /// stored document expires.
    let forcedFetches = Mutex<[String: Instant]>([:])
    let isBroken = Mutex(false)

    var documentStore: ProviderDocumentStore {
        ProviderDocumentStore(
            load: { [self] url in
                try requireAvailable()
                let stored = documents.withLock { $0[url] }
                let forcedFetchClaimedAt = forcedFetches.withLock { $0[url] }
                return stored.map {
                    ProviderDocument(body: $0.body, fetchedAt: $0.fetchedAt, forcedFetchClaimedAt: forcedFetchClaimedAt)
                }
            },
            store: { [self] url, body, fetchedAt in
                try requireAvailable()
                documents.withLock { $0[url] = ProviderDocument(body: body, fetchedAt: fetchedAt) }
            },
            claimForcedFetch: { [self] url, now in
                try requireAvailable()
                return forcedFetches.withLock { fetches in
                    if let last = fetches[url], now < last + ProviderDocumentStore.forcedFetchInterval { return false }
                    fetches[url] = now
                    return true
                }
            },
            withdrawForcedFetch: { [self] url, _ in
                try requireAvailable()
                forcedFetches.withLock { $0[url] = nil }
            })
    }

    private func requireAvailable() throws {
        if isBroken.withLock({ $0 }) { throw Broken() }
    }
}

/// Returns a value that all tests need. Stops the test run if `make` throws.
private func makeOrStop<Value>(_ make: () throws -> Value) -> Value {
    do { return try make() } catch { preconditionFailure("\(error)") }
}
