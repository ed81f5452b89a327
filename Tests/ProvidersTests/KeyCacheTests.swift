import Crypto
import Encoding
import Identity
import JOSE
import JSON
import Providers
import Synchronization
import Testing

@Suite("A provider's keys")
struct KeyCacheTests {

    @Test(
        "are kept as long as the provider says, within five minutes and a day",
        arguments: [
            (nil, 3600), (0, 300), (299, 300), (300, 300), (7200, 7200), (86_400, 86_400), (86_401, 86_400),
            (1_000_000_000, 86_400),
        ] as [(Int?, Int)])
    func lifetime(maxAge: Int?, seconds: Int) async throws {
        let desk = Fixture()
        desk.provider.publish(.keys(of: Keys.current, maxAge: maxAge.map { .seconds($0) }), at: Fixture.appleKeysURL)
        #expect(try await desk.believesApple())
        desk.clock.pass(.seconds(seconds) - .microseconds(1))
        #expect(try await desk.believesApple())
        #expect(desk.provider.asked.count == 1)
        desk.clock.pass(.microseconds(1))
        #expect(try await desk.believesApple())
        #expect(desk.provider.asked.count == 2)
    }

    @Test("are fetched once for all who wait")
    func singleFlight() async throws {
        let desk = Fixture()
        let gate = Gate()
        desk.provider.publish(.behind(gate, .keys(of: Keys.current)), at: Fixture.appleKeysURL)
        let token = try lastingToken()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { _ = try await desk.verify(token) } }
            while desk.provider.asked.isEmpty { await Task.yield() }
            gate.open()
            try await group.waitForAll()
        }
        #expect(desk.provider.asked.count == 1)
    }

    @Test("are used on while newer ones are on their way")
    func staleWhileFetching() async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        desk.clock.pass(.seconds(3600))
        let gate = Gate()
        desk.provider.publish(.behind(gate, .keys(of: Keys.current)), at: Fixture.appleKeysURL)
        let token = try lastingToken()
        async let first = desk.verify(token)
        while desk.provider.asked.count < 2 { await Task.yield() }
        #expect(try await desk.believesApple())
        gate.open()
        _ = try await first
        #expect(desk.provider.asked.count == 2)
    }

    @Test("come in time for the others when the one who asked first goes away")
    func cancellation() async throws {
        let desk = Fixture()
        let gate = Gate()
        desk.provider.publish(.behind(gate, .keys(of: Keys.current)), at: Fixture.appleKeysURL)
        let token = try lastingToken()
        let first = Task { try await desk.verify(token) }
        while desk.provider.asked.isEmpty { await Task.yield() }
        first.cancel()
        async let second = desk.verify(token)
        gate.open()
        _ = try await second
        #expect(desk.provider.asked.count == 1)
    }

    @Test("are asked for again when a token names another, and that one is believed")
    func rotation() async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        desk.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.appleKeysURL)
        #expect(try await desk.believesApple(by: Keys.next))
        #expect(try await desk.believesApple())
        #expect(desk.provider.asked.count == 2)
    }

    @Test("are asked for out of turn once a minute, however many tokens name one that is not there")
    func unknownKeys() async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        for _ in 1...5 { #expect(try await !desk.believesApple(by: Keys.unknown)) }
        #expect(desk.provider.asked.count == 2)
        desk.clock.pass(.seconds(59))
        #expect(try await !desk.believesApple(by: Keys.unknown))
        #expect(desk.provider.asked.count == 2)
        desk.clock.pass(.seconds(1))
        #expect(try await !desk.believesApple(by: Keys.unknown))
        #expect(desk.provider.asked.count == 3)
        let token = try lastingToken(signedBy: Keys.unknown)
        desk.clock.pass(.seconds(60))
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...50 { group.addTask { _ = try? await desk.verify(token) } }
        }
        #expect(desk.provider.asked.count == 4)
    }

    @Test("that are not known are no reason to refuse a token while the provider cannot be asked")
    func unknownWhileDown() async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        desk.provider.publish(.failure, at: Fixture.appleKeysURL)
        for _ in 1...3 {
            await #expect(throws: ProviderUnreachable.self) { try await desk.verify(lastingToken(signedBy: Keys.next)) }
        }
        #expect(try await desk.believesApple())
        #expect(desk.provider.asked.count == 2)
        desk.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.appleKeysURL)
        desk.clock.pass(.seconds(60))
        #expect(try await desk.believesApple(by: Keys.next))
    }

    @Test("that were fetched in turn since then are as new as may be")
    func refreshedSince() async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        desk.clock.pass(.seconds(3590))
        desk.provider.publish(.failure, at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await desk.verify(lastingToken(signedBy: Keys.unknown)) }
        desk.provider.publish(.keys(of: Keys.current), at: Fixture.appleKeysURL)
        desk.clock.pass(.seconds(20))
        #expect(try await desk.believesApple())
        #expect(try await !desk.believesApple(by: Keys.unknown))
    }

    @Test("that are nowhere to be had make nobody's token a bad one")
    func neverReached() async throws {
        let desk = Fixture()
        desk.provider.publish(.failure, at: Fixture.appleKeysURL)
        for _ in 1...3 { await #expect(throws: ProviderUnreachable.self) { try await desk.verify(lastingToken()) } }
        #expect(desk.provider.asked.count == 1)
        desk.clock.pass(.seconds(10))
        desk.provider.publish(.keys(of: Keys.current), at: Fixture.appleKeysURL)
        #expect(try await desk.believesApple())
    }

    @Test("go on working for a week after the provider was last heard of")
    func lastGood() async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        desk.provider.publish(.failure, at: Fixture.appleKeysURL)
        desk.clock.pass(.seconds(3600))
        for _ in 1...5 { #expect(try await desk.believesApple()) }
        #expect(desk.provider.asked.count == 2)
        desk.clock.pass(.seconds(10))
        #expect(try await desk.believesApple())
        #expect(desk.provider.asked.count == 3)
        desk.clock.pass(.seconds(7 * 86_400 - 3611))
        #expect(try await desk.believesApple())
        desk.clock.pass(.seconds(1))
        await #expect(throws: ProviderUnreachable.self) { try await desk.verify(lastingToken()) }
    }

    static let noKeySets: [String] = [
        "<html><body>503</body></html>", "", "null", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[{}]}"#,
        #"{"keys":[1,null,"a"]}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[{"kty":"oct","kid":"current","k":"AAAA"}]}"#,
        #"{"keys":[{"kty":"RSA","kid":"current","n":"\#(Base64URL.encode([UInt8](repeating: 0xFF, count: 128)))","e":"AQAB"}]}"#,
        String(repeating: " ", count: 256 * 1024) + "{}",
    ]

    @Test("are never replaced by what is no key set", arguments: noKeySets.indices)
    func notAKeySet(index: Int) async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        desk.provider.publish(.text(Self.noKeySets[index]), at: Fixture.appleKeysURL)
        desk.clock.pass(.seconds(3600))
        #expect(try await desk.believesApple())
        #expect(desk.provider.asked.count == 2)
        #expect(desk.shelf.documents.withLock { $0[Fixture.appleKeysURL]?.fetchedAt } == Fixture.start)
        let fresh = Fixture()
        fresh.provider.publish(.text(Self.noKeySets[index]), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await fresh.verify(lastingToken()) }
    }

    @Test("that are too long to be read are not")
    func tooLong() async throws {
        let desk = Fixture()
        let keys = String(decoding: try StrictJSON.encode(JWKSet(keys: [Keys.current.jwk])), as: UTF8.self)
        let padding = String(repeating: " ", count: 256 * 1024 - keys.utf8.count)
        desk.provider.publish(.text(keys + padding + " "), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await desk.verify(lastingToken()) }
        desk.clock.pass(.seconds(10))
        desk.provider.publish(.text(keys + padding), at: Fixture.appleKeysURL)
        #expect(try await desk.believesApple())
    }

    @Test(
        "that are of no use are passed over",
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
        let desk = Fixture()
        desk.provider.publish(.text(#"{"keys":[\#(useless),\#(good)]}"#), at: Fixture.appleKeysURL)
        #expect(try await desk.believesApple())
        #expect(try await !desk.believesApple(by: Keys.next))
    }

    @Test("of a pinned provider are asked for at the pinned place")
    func pinned() async throws {
        let desk = Fixture()
        #expect(try await desk.believesApple())
        _ = try await desk.verify(googleToken(), of: .google)
        #expect(desk.provider.asked == [Fixture.appleKeysURL, Fixture.googleKeysURL])
        #expect(desk.provider.askedAddresses.allSatisfy { !$0.isConfigured })
    }
}
