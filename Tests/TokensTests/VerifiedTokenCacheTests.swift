import Crypto
import Identity
import Synchronization
import Testing
import Tokens

@Suite("Cached ID tokens")
struct VerifiedTokenCacheTests {
    /// The stored keys of the project, which the test removes.
    private final class StoredKeys: Sendable {
        let keys: Mutex<[StoredKey]>
        init(_ keys: [StoredKey]) { self.keys = Mutex(keys) }
    }

    @Test("A cached ID token is rejected after it has expired, or once its key is no longer trusted")
    func retiredKey() async throws {
        let now = Instant(seconds: 1_800_000_000)
        let masterKeys = try MasterKeys(current: [UInt8](repeating: 1, count: 32))
        let realm = Realm(
            Project(id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .none),
            policy: Policy(.sekisho))
        let key = try KeyGenerator(masterKeys: masterKeys)
            .idTokenKey(.es256, in: realm.project.id, at: now, signsFrom: now)
        let stored = StoredKeys([key])
        let keyRing = { @Sendable in try KeyRing(stored.keys.withLock { $0 }, of: $0, under: masterKeys) }
        let tokens = GatewayTokens(
            keyRing: keyRing, newKeyRing: keyRing, issuers: .own("https://auth.example.com"), clock: .fixed(at: now))
        let account = Account(id: ID("ada"), createdAt: now, validSince: now)
        let session = Session(
            id: ID("0b8fcf3c-6d0c-4a50-9b9e-2f1f7d1f9c11"), account: account.id, generation: 1, method: .anonymous,
            authenticatedAt: now, device: nil)
        let token = try await tokens.idToken(for: account, session: session, in: realm, at: now)
        // The first call verifies the token, and the second call finds the token in the cache.
        for _ in 1...2 {
            #expect(try await tokens.read(idToken: token, in: realm, at: now).session == session.id)
        }
        await #expect(throws: TokenRefusal.invalidIDToken) {
            try await tokens.read(idToken: token, in: realm, at: now + .seconds(3600))
        }
        stored.keys.withLock { $0 = [] }
        await #expect(throws: TokenRefusal.invalidIDToken) {
            try await tokens.read(idToken: token, in: realm, at: now)
        }
    }

    @Test("A token whose key is not cached is read with new keys, and a token without a key with the cached keys")
    func unknownKey() async throws {
        let now = Instant(seconds: 1_800_000_000)
        let masterKeys = try MasterKeys(current: [UInt8](repeating: 1, count: 32))
        let realm = Realm(
            Project(id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .none),
            policy: Policy(.sekisho))
        let generator = KeyGenerator(masterKeys: masterKeys)
        let keys = StoredKeys([
            try generator.idTokenKey(.es256, in: realm.project.id, at: now, signsFrom: now),
            try generator.refreshTokenKey(in: realm.project.id, at: now, signsFrom: now),
        ])
        let loads = Mutex(0)
        func tokens(tolerance: Duration = .zero) -> GatewayTokens {
            let ring = { @Sendable in try KeyRing(keys.keys.withLock { $0 }, of: realm.project.id, under: masterKeys) }
            return GatewayTokens(
                keyRing: { try KeyRing([], of: $0, under: masterKeys) },
                newKeyRing: { _ in
                    loads.withLock { $0 += 1 }
                    return try ring()
                }, issuers: .own("https://auth.example.com"), clock: .fixed(at: now), clockTolerance: tolerance)
        }
        let issuer = GatewayTokens(
            keyRing: { try KeyRing(keys.keys.withLock { $0 }, of: $0, under: masterKeys) },
            newKeyRing: { try KeyRing([], of: $0, under: masterKeys) },
            issuers: .own("https://auth.example.com"), clock: .fixed(at: now))
        let account = Account(id: ID("ada"), createdAt: now, validSince: now)
        let session = Session(
            id: ID("0b8fcf3c-6d0c-4a50-9b9e-2f1f7d1f9c11"), account: account.id, generation: 1, method: .anonymous,
            authenticatedAt: now, device: nil)
        let idToken = try await issuer.idToken(for: account, session: session, in: realm, at: now)
        let contents = RefreshTokenContents(session: session.id, counter: 7)
        let refreshToken = try await issuer.refreshToken(contents, in: realm)
        #expect(try await tokens().read(idToken: idToken, in: realm, at: now).session == session.id)
        #expect(try await tokens().read(refreshToken: refreshToken, in: realm).counter == 7)
        #expect(loads.withLock { $0 } == 2)
        await #expect(throws: TokenRefusal.self) { try await tokens().read(idToken: "x", in: realm, at: now) }
        await #expect(throws: TokenRefusal.self) { try await tokens().read(refreshToken: "x", in: realm) }
        #expect(loads.withLock { $0 } == 2)
        let tolerant = tokens(tolerance: GatewayTokens.clockTolerance)
        // The token expires after an hour; other gateways may be ten minutes ahead.
        #expect(try await tolerant.read(idToken: idToken, in: realm, at: now + .seconds(4199)).session == session.id)
        await #expect(throws: TokenRefusal.self) {
            try await tolerant.read(idToken: idToken, in: realm, at: now + .seconds(4200))
        }
    }
}
