import Crypto
import Encoding
import Identity
import JOSE
import JSON
import Providers
import Synchronization
import Testing

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
        fixture.provider.publish(.keys(of: Keys.current, maxAge: maxAge.map { .seconds($0) }), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(seconds) - .microseconds(1))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.provider.requestedURLs.count == 1)
        fixture.clock.advance(by: .microseconds(1))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.provider.requestedURLs.count == 2)
    }

    @Test("Keys are fetched once for all concurrent callers")
    func singleFlight() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.provider.publish(.behind(gate, .keys(of: Keys.current)), at: Fixture.appleKeysURL)
        let token = try lastingToken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { _ = try await fixture.verify(token) } }
            while fixture.provider.requestedURLs.isEmpty { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        #expect(fixture.provider.requestedURLs.count == 1)
    }

    @Test("Keys stay in use while a fetch is running")
    func staleWhileFetching() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(3600))
        let gate = Gate()
        fixture.provider.publish(.behind(gate, .keys(of: Keys.current)), at: Fixture.appleKeysURL)
        let token = try lastingToken()
        async let first = fixture.verify(token)
        while fixture.provider.requestedURLs.count < 2 { await Task.yield() }
        #expect(try await fixture.acceptsAppleToken())
        gate.open()
        _ = try await first
        #expect(fixture.provider.requestedURLs.count == 2)
    }

    @Test("Keys are still fetched for other callers if the first caller is cancelled")
    func cancellation() async throws {
        let fixture = Fixture()
        let gate = Gate()
        fixture.provider.publish(.behind(gate, .keys(of: Keys.current)), at: Fixture.appleKeysURL)
        let token = try lastingToken()
        let first = Task { try await fixture.verify(token) }
        while fixture.provider.requestedURLs.isEmpty { await Task.yield() }
        first.cancel()
        async let second = fixture.verify(token)
        gate.open()
        _ = try await second
        #expect(fixture.provider.requestedURLs.count == 1)
    }

    @Test("Keys are fetched again for a token with a new key ID, and the token is then accepted")
    func rotation() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken(signedBy: Keys.next))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.provider.requestedURLs.count == 2)
    }

    @Test("Tokens with an unknown key ID cause at most one forced fetch in a minute")
    func unknownKeys() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        for _ in 1...5 { #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown)) }
        #expect(fixture.provider.requestedURLs.count == 2)
        fixture.clock.advance(by: .seconds(59))
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown))
        #expect(fixture.provider.requestedURLs.count == 2)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown))
        #expect(fixture.provider.requestedURLs.count == 3)
        let token = try lastingToken(signedBy: Keys.unknown)
        fixture.clock.advance(by: .seconds(60))
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { _ = try? await fixture.verify(token) } }
        }
        #expect(fixture.provider.requestedURLs.count == 4)
    }

    @Test("A token with an unknown key ID is not rejected while the provider is unreachable")
    func unknownWhileDown() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.provider.publish(.failure, at: Fixture.appleKeysURL)
        for _ in 1...3 {
            await #expect(throws: ProviderUnreachable.self) {
                try await fixture.verify(lastingToken(signedBy: Keys.next))
            }
        }
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.provider.requestedURLs.count == 2)
        fixture.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.appleKeysURL)
        fixture.clock.advance(by: .seconds(60))
        #expect(try await fixture.acceptsAppleToken(signedBy: Keys.next))
    }

    @Test("An unknown key ID causes a rejection if a regular fetch has succeeded after a failed forced fetch")
    func refreshedSince() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(3590))
        fixture.provider.publish(.failure, at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) {
            try await fixture.verify(lastingToken(signedBy: Keys.unknown))
        }
        fixture.provider.publish(.keys(of: Keys.current), at: Fixture.appleKeysURL)
        // 3590 + 20 seconds are more than an hour, after which keys are fetched regularly.
        fixture.clock.advance(by: .seconds(20))
        #expect(try await fixture.acceptsAppleToken())
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.unknown))
    }

    @Test("A token is not rejected while no keys are available")
    func neverReached() async throws {
        let fixture = Fixture()
        fixture.provider.publish(.failure, at: Fixture.appleKeysURL)
        for _ in 1...3 { await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(lastingToken()) } }
        #expect(fixture.provider.requestedURLs.count == 1)
        // The pause after a failed fetch.
        fixture.clock.advance(by: .seconds(10))
        fixture.provider.publish(.keys(of: Keys.current), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
    }

    @Test("Keys stay valid for a week after the last successful fetch")
    func lastGood() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.provider.publish(.failure, at: Fixture.appleKeysURL)
        fixture.clock.advance(by: .seconds(3600))
        for _ in 1...5 { #expect(try await fixture.acceptsAppleToken()) }
        #expect(fixture.provider.requestedURLs.count == 2)
        // The pause after a failed fetch.
        fixture.clock.advance(by: .seconds(10))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.provider.requestedURLs.count == 3)
        // One second before the end of the week: 3600 + 10 seconds have passed.
        fixture.clock.advance(by: .seconds(7 * 86_400 - 3611))
        #expect(try await fixture.acceptsAppleToken())
        fixture.clock.advance(by: .seconds(1))
        await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(lastingToken()) }
    }

    static let invalidDocuments: [String] = [
        "<html><body>503</body></html>", "", "null", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[{}]}"#,
        #"{"keys":[1,null,"a"]}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[{"kty":"oct","kid":"current","k":"AAAA"}]}"#,
        #"{"keys":[{"kty":"RSA","kid":"current","n":"\#(Base64URL.encode([UInt8](repeating: 0xFF, count: 128)))","e":"AQAB"}]}"#,
        String(repeating: " ", count: 256 * 1024) + "{}",
    ]

    @Test("An invalid document does not replace keys", arguments: invalidDocuments.indices)
    func invalidDocument(index: Int) async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        fixture.provider.publish(.text(Self.invalidDocuments[index]), at: Fixture.appleKeysURL)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.provider.requestedURLs.count == 2)
        #expect(fixture.testStore.documents.withLock { $0[Fixture.appleKeysURL]?.fetchedAt } == Fixture.start)
        let fresh = Fixture()
        fresh.provider.publish(.text(Self.invalidDocuments[index]), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await fresh.verify(lastingToken()) }
    }

    @Test("A document above 256 KiB is rejected")
    func tooLong() async throws {
        let fixture = Fixture()
        let keys = String(decoding: try StrictJSON.encode(JWKSet(keys: [Keys.current.jwk])), as: UTF8.self)
        let padding = String(repeating: " ", count: 256 * 1024 - keys.utf8.count)
        fixture.provider.publish(.text(keys + padding + " "), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(lastingToken()) }
        fixture.clock.advance(by: .seconds(10))
        fixture.provider.publish(.text(keys + padding), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
    }

    @Test(
        "Unusable keys in a document are skipped",
        arguments: [
            #"{"kty":"RSA","kid":"next","n":"\#(Base64URL.encode([UInt8](repeating: 0xFF, count: 128)))","e":"AQAB"}"#,
            #"{"kty":"RSA","use":"enc","kid":"next","n":"N","e":"AQAB"}"#,
            #"{"kty":"RSA","alg":"RS512","kid":"next","n":"N","e":"AQAB"}"#,
            #"{"kty":"OKP","crv":"Ed25519","kid":"next","x":"AAAA"}"#, #"{"kid":7}"#, #""next""#,
        ])
    func uselessKeys(element: String) async throws {
        let modulus = try #require(Keys.next.jwk.n)
        let useless = element.replacing("\"N\"", with: "\"\(modulus)\"")
        let good = String(decoding: try StrictJSON.encode(Keys.current.jwk), as: UTF8.self)
        let fixture = Fixture()
        fixture.provider.publish(.text(#"{"keys":[\#(useless),\#(good)]}"#), at: Fixture.appleKeysURL)
        #expect(try await fixture.acceptsAppleToken())
        #expect(try await !fixture.acceptsAppleToken(signedBy: Keys.next))
    }

    @Test("The keys of Apple and Google are fetched from fixed addresses")
    func pinned() async throws {
        let fixture = Fixture()
        #expect(try await fixture.acceptsAppleToken())
        _ = try await fixture.verify(googleToken(), of: .google)
        #expect(fixture.provider.requestedURLs == [Fixture.appleKeysURL, Fixture.googleKeysURL])
        #expect(fixture.provider.requestedAddresses.allSatisfy { !$0.isConfigured })
    }
}
