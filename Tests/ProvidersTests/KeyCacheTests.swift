import Crypto
import Encoding
import Identity
import JOSE
import JSON
import Providers
import Synchronization
import Testing

/// A forced fetch is a fetch of keys before the cached keys expire, for a token with an unknown key ID. There is at
/// most one in a minute.
@Suite("Keys of a provider")
struct KeyCacheTests {
    @Test(
        "Keys are cached for max-age, but at least five minutes and at most a day; without max-age, for an hour",
        arguments: [
            (nil, 3600), (0, 300), (299, 300), (300, 300), (7200, 7200), (86_400, 86_400), (86_401, 86_400),
            (1_000_000_000, 86_400),
        ] as [(Int?, Int)])
    func lifetime(maxAge: Int?, seconds: Int) async throws {
        let fixture = Fixture()
        fixture.servers.publish(.keySet(Keys.current, maxAge: maxAge.map { .seconds($0) }), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(seconds) - .microseconds(1))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.servers.requestedURLs.count == 1)
        fixture.clock.advance(by: .microseconds(1))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.servers.requestedURLs.count == 2)
    }

    @Test("Keys are fetched once for all concurrent callers")
    func singleFlight() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.servers.publish(.afterOpening(gate, .keySet(Keys.current)), at: Fixture.appleKeysURL)
        let token = try longLivedAppleToken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { _ = try await fixture.verify(token) } }
            while fixture.servers.requestedURLs.isEmpty { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        #expect(fixture.servers.requestedURLs.count == 1)
    }

    @Test("Keys that have expired stay in use while a fetch is running")
    func staleWhileFetching() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(3600))
        let gate = Gate()
        fixture.servers.publish(.afterOpening(gate, .keySet(Keys.current)), at: Fixture.appleKeysURL)
        let token = try longLivedAppleToken()
        async let fetching = fixture.verify(token)
        while fixture.servers.requestedURLs.count < 2 { await Task.yield() }
        #expect(try await fixture.acceptsAppleToken())
        gate.open()
        _ = try await fetching
        #expect(fixture.servers.requestedURLs.count == 2)
    }

    @Test("Keys are still fetched for other callers if the first caller is cancelled")
    func cancellation() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.servers.publish(.afterOpening(gate, .keySet(Keys.current)), at: Fixture.appleKeysURL)
        let token = try longLivedAppleToken()
        let first = Task { try await fixture.verify(token) }
        while fixture.servers.requestedURLs.isEmpty { await Task.yield() }
        first.cancel()
        async let second = fixture.verify(token)
        gate.open()
        _ = try await second
        #expect(fixture.servers.requestedURLs.count == 1)
    }

    @Test("Keys are fetched again for a token with a new key ID, and the token is then accepted")
    func rotation() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.servers.publish(.keySet(Keys.current, Keys.next), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken(signedBy: Keys.next))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.servers.requestedURLs.count == 2)
    }

    @Test("Tokens with an unknown key ID cause at most one forced fetch in a minute")
    func unknownKeys() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        for _ in 1...5 { #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown)) }
        #expect(fixture.servers.requestedURLs.count == 2)
        fixture.clock.advance(by: .seconds(59))
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown))
        #expect(fixture.servers.requestedURLs.count == 2)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown))
        #expect(fixture.servers.requestedURLs.count == 3)
        let token = try longLivedAppleToken(signedBy: Keys.unknown)
        fixture.clock.advance(by: .seconds(60))
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { _ = try? await fixture.verify(token) } }
        }
        #expect(fixture.servers.requestedURLs.count == 4)
    }

    @Test("A token with an unknown key ID is not rejected while the provider is unreachable")
    func unknownWhileDown() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.servers.publish(.failure, at: Fixture.appleKeysURL)
        for _ in 1...3 {
            await #expect(throws: ProviderUnreachable.self) {
                try await fixture.verify(longLivedAppleToken(signedBy: Keys.next))
            }
        }
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.servers.requestedURLs.count == 2)
        fixture.servers.publish(.keySet(Keys.current, Keys.next), at: Fixture.appleKeysURL)
        // A failed forced fetch does not use up the minute.
        fixture.clock.advance(by: .seconds(10))
        #expect(try await fixture.acceptsAppleToken(signedBy: Keys.next))
    }

    @Test("An unknown key ID causes a rejection if a regular fetch has succeeded after a failed forced fetch")
    func refreshedSince() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(3590))
        fixture.servers.publish(.failure, at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) {
            try await fixture.verify(longLivedAppleToken(signedBy: Keys.unknown))
        }
        fixture.servers.publish(.keySet(Keys.current), at: Fixture.appleKeysURL)
        // 3590 + 20 seconds are more than an hour, after which keys are fetched regularly.
        fixture.clock.advance(by: .seconds(20))
        #expect(try await fixture.acceptsAppleToken())
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown))
    }

    @Test("While no keys are available, a token is not rejected: the provider counts as unreachable")
    func neverReached() async throws {
        let fixture = Fixture()
        fixture.servers.publish(.failure, at: Fixture.appleKeysURL)
        for _ in 1...3 {
            await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(longLivedAppleToken()) }
        }
        #expect(fixture.servers.requestedURLs.count == 1)
        // No keys are fetched for ten seconds after a failed fetch.
        fixture.clock.advance(by: .seconds(10))
        fixture.servers.publish(.keySet(Keys.current), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
    }

    @Test("Keys stay valid for a week after the last successful fetch")
    func lastGood() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.servers.publish(.failure, at: Fixture.appleKeysURL)
        fixture.clock.advance(by: .seconds(3600))
        for _ in 1...5 { #expect(try await fixture.acceptsAppleToken()) }
        #expect(fixture.servers.requestedURLs.count == 2)
        // No keys are fetched for ten seconds after a failed fetch.
        fixture.clock.advance(by: .seconds(10))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.servers.requestedURLs.count == 3)
        // One second before the end of the week: 3600 + 10 seconds have passed.
        fixture.clock.advance(by: .seconds(7 * 86_400 - 3611))
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(longLivedAppleToken()) }
    }

    static let invalidDocuments: [String] = [
        "<html><body>503</body></html>", "", "null", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[{}]}"#,
        #"{"keys":[1,null,"a"]}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[{"kty":"oct","kid":"current","k":"AAAA"}]}"#,
        #"{"keys":[{"kty":"RSA","kid":"current","n":"\#(Base64URL.encode([UInt8](repeating: 0xFF, count: 128)))","e":"AQAB"}]}"#,
        String(repeating: " ", count: 256 * 1024) + "{}",
    ]

    @Test(
        "An invalid document does not replace cached keys; without cached keys, the provider counts as unreachable",
        arguments: invalidDocuments.indices)
    func invalidDocument(index: Int) async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.servers.publish(.text(Self.invalidDocuments[index]), at: Fixture.appleKeysURL)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.servers.requestedURLs.count == 2)
        #expect(fixture.testStore.documents.withLock { $0[Fixture.appleKeysURL]?.fetchedAt } == Fixture.start)
        let withoutKeys = Fixture()
        withoutKeys.servers.publish(.text(Self.invalidDocuments[index]), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await withoutKeys.verify(longLivedAppleToken()) }
    }

    @Test("A document above 256 KiB is rejected")
    func tooLong() async throws {
        let fixture = Fixture()
        let keys = String(decoding: try StrictJSON.encode(JWKSet(keys: [Keys.current.jwk])), as: UTF8.self)
        let padding = String(repeating: " ", count: 256 * 1024 - keys.utf8.count)
        fixture.servers.publish(.text(keys + padding + " "), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(longLivedAppleToken()) }
        fixture.clock.advance(by: .seconds(10))
        fixture.servers.publish(.text(keys + padding), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
    }

    /// `N` stands for the modulus of ``Keys/next``.
    @Test(
        "Unusable keys in a document are skipped",
        arguments: [
            #"{"kty":"RSA","kid":"next","n":"\#(Base64URL.encode([UInt8](repeating: 0xFF, count: 128)))","e":"AQAB"}"#,
            #"{"kty":"RSA","use":"enc","kid":"next","n":"N","e":"AQAB"}"#,
            #"{"kty":"RSA","alg":"RS512","kid":"next","n":"N","e":"AQAB"}"#,
            #"{"kty":"OKP","crv":"Ed25519","kid":"next","x":"AAAA"}"#, #"{"kid":7}"#, #""next""#,
        ])
    func unusableKeys(key: String) async throws {
        let modulus = try #require(Keys.next.jwk.n)
        let unusable = key.replacing("\"N\"", with: "\"\(modulus)\"")
        let usable = String(decoding: try StrictJSON.encode(Keys.current.jwk), as: UTF8.self)
        let fixture = Fixture()
        fixture.servers.publish(.text(#"{"keys":[\#(unusable),\#(usable)]}"#), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.next))
    }

    @Test("The keys of Apple and Google are fetched from fixed URLs, not from configured ones")
    func pinned() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        _ = try await fixture.verify(googleToken(), of: .google)
        #expect(fixture.servers.requestedURLs == [Fixture.appleKeysURL, Fixture.googleKeysURL])
        #expect(fixture.servers.requestedAddresses.allSatisfy { !$0.isFromConfiguration })
    }
}
