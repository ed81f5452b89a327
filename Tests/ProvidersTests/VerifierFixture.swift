import Crypto
import Identity
import JOSE
import JSON
import Providers
import Synchronization

/// A verifier for a project with three providers, and a script that replaces the servers of these providers.
final class Fixture: Sendable {
    static let start = Instant(seconds: 1_800_000_000)
    static let appleKeysURL = "https://appleid.apple.com/auth/keys"
    static let googleKeysURL = "https://www.googleapis.com/oauth2/v3/certs"
    static let issuer = "https://login.example.com/realm"
    static let configurationURL = issuer + "/.well-known/openid-configuration"
    static let openIDKeysURL = "https://keys.example.net/realm"
    static let openID = ProviderID("oidc.example")

    let clock = TestClock(Fixture.start)
    let provider = ScriptedProvider()
    /// Stores the documents, unless another store is given.
    let testStore = TestDocumentStore()
    let keys: JWKSCache
    let verifier: Verifier

    init(store: ProviderDocumentStore? = nil, allowsUnencrypted: Bool = false) {
        provider.publish(.keys(of: Keys.current), at: Self.appleKeysURL)
        provider.publish(.keys(of: Keys.current), at: Self.googleKeysURL)
        provider.publish(.keys(of: Keys.current), at: Self.openIDKeysURL)
        provider.publish(
            .text(#"{"issuer":"\#(Self.issuer)","jwks_uri":"\#(Self.openIDKeysURL)","x":[1]}"#),
            at: Self.configurationURL)
        keys = JWKSCache(
            fetch: provider.fetch, store: store ?? testStore.documentStore, clock: clock.wallClock,
            allowsUnencrypted: allowsUnencrypted, on: globalConcurrentExecutor)
        verifier = .live(keys: keys, clock: clock.wallClock)
    }

    func verify(
        _ token: String?, of provider: ProviderID = .apple, nonce: String? = nil, name: PersonName? = nil,
        app: AppSettings = AppSettings(), _ change: (inout Project) -> Void = { _ in }
    ) async throws -> VerifiedIdentity {
        var project = Self.project
        change(&project)
        let credential = FederatedCredential(
            provider: provider, idToken: token.map { Secret($0) }, rawNonce: nonce, name: name)
        return try await verifier.verify(credential, App(id: ID("app"), settings: app), project)
    }

    /// - Returns: `nil` if the token is accepted.
    func refusal(
        of token: String?, from provider: ProviderID = .apple, nonce: String? = nil,
        app: AppSettings = AppSettings(), _ change: (inout Project) -> Void = { _ in }
    ) async throws -> ProviderRefusal? {
        do {
            _ = try await verify(token, of: provider, nonce: nonce, app: app, change)
            return nil
        } catch let refusal as ProviderRefusal {
            return refusal
        }
    }

    /// Verifies a token of Apple.
    ///
    /// - Returns: `false` if the key is not known.
    /// - Throws: the error if the token is not accepted for another reason.
    func acceptsAppleToken(signedBy key: Keys.Named = Keys.current) async throws -> Bool {
        switch try await refusal(of: lastingToken(signedBy: key)) {
        case nil: return true
        case .invalidToken(.unknownKey): return false
        case let other?: throw other
        }
    }

    /// The configured project. It does not require nonces; the tests of nonces change its policy.
    static let project: Project = {
        var policy = Policy(.sekisho)
        policy.requiresNonce = false
        return Project(
            id: ID("demo"), number: 1, profile: .sekisho, policy: policy, authorizedDomains: [],
            providers: [
                ProviderSettings(
                    provider: .apple, isEnabled: true, clientIDs: ["com.example.app", "com.example.web"],
                    apple: AppleSettings(teamID: "TEAM123456", keyID: "KEY1234567")),
                ProviderSettings(
                    provider: .google, isEnabled: true, clientIDs: ["web.apps.example", "ios.apps.example"]),
                ProviderSettings(
                    provider: openID, isEnabled: true, clientIDs: ["realm-client"],
                    openID: OpenIDSettings(issuer: issuer, trustsEmail: true)),
            ])
    }()
}

extension Project {
    /// The settings of a provider of the project, which tests can change.
    subscript(_ provider: ProviderID) -> ProviderSettings {
        get { settings(of: provider)! }
        set { providers = providers.map { $0.provider == provider ? newValue : $0 } }
    }
}

/// Generated once, because generating an RSA key is slow.
enum Keys {
    static let current = Named(id: "current", key: makeOrStop { try PrivateKey.generate(.rs256) })
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

final class TestClock: Sendable {
    private let instant: Mutex<Instant>

    init(_ start: Instant) { instant = Mutex(start) }

    var now: Instant { instant.withLock { $0 } }
    var wallClock: WallClock { WallClock { self.now } }

    func advance(by duration: Duration) { instant.withLock { $0 = $0 + duration } }
}

/// Returns the published answers, and records the requested addresses.
final class ScriptedProvider: Sendable {
    enum Answer: Sendable {
        case text(String, maxAge: Duration? = nil)
        case failure
        /// The answer is returned after the gate is opened.
        indirect case behind(Gate, Answer)

        static func keys(of named: Keys.Named..., maxAge: Duration? = nil) -> Answer {
            .text(
                String(decoding: makeOrStop { try StrictJSON.encode(JWKSet(keys: named.map(\.jwk))) }, as: UTF8.self),
                maxAge: maxAge)
        }
    }

    struct Unreachable: Error {}

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
        case .failure: throw Unreachable()
        case .behind(let gate, let inner):
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
    /// The time of the last forced fetch of each URL.
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
