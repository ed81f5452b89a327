import Identity
import Providers
import Synchronization
import Testing

/// Processes that share a store of provider documents, at the same time or one after another. Each fixture stands for
/// a process, with a clock and with servers of its own.
///
/// A forced fetch is a fetch of keys before the stored keys expire, for a token with an unknown key ID. All processes
/// together make at most one in a minute.
@Suite("Stored keys of a provider")
struct SharedKeyTests {
    @Test("Stored keys are used for a week after their fetch if the provider is unreachable, even after a restart")
    func restart() async throws {
        let before = Fixture()
        #expect(try await before.acceptsAppleToken())
        let after = Fixture(store: before.testStore.documentStore)
        after.servers.publish(.failure, at: Fixture.appleKeysURL)
        after.clock.advance(by: .seconds(6 * 86_400))
        #expect(try await after.acceptsAppleToken())
        #expect(after.servers.requestedURLs.count == 1)
        after.clock.advance(by: .seconds(86_400))
        await #expect(throws: ProviderUnreachable.self) { try await after.verify(longLivedAppleToken()) }
    }

    @Test("Keys that another process has fetched within five minutes are not fetched again")
    func shared() async throws {
        let before = Fixture()
        #expect(try await before.acceptsAppleToken())
        let after = Fixture(store: before.testStore.documentStore)
        after.clock.advance(by: .seconds(299))
        #expect(try await after.acceptsAppleToken())
        #expect(after.servers.requestedURLs.isEmpty)
        after.clock.advance(by: .seconds(1))
        #expect(try await after.acceptsAppleToken())
        #expect(after.servers.requestedURLs.count == 1)
    }

    @Test("If a token has an unknown key ID, one process makes a forced fetch, and another process loads the result")
    func sharedForcedFetch() async throws {
        let first = Fixture()
        let second = Fixture(store: first.testStore.documentStore)
        #expect(try await first.acceptsAppleToken())
        #expect(try await second.acceptsAppleToken())
        first.servers.publish(.keySet(Keys.current, Keys.next), at: Fixture.appleKeysURL)
        first.clock.advance(by: .seconds(1))
        #expect(try await first.acceptsAppleToken(signedBy: Keys.next))
        // One second after the forced fetch of the first process.
        second.clock.advance(by: .seconds(2))
        #expect(try await second.acceptsAppleToken(signedBy: Keys.next))
        #expect(second.servers.requestedURLs.isEmpty)
        #expect(try await !second.acceptsAppleToken(signedBy: Keys.unknown))
        #expect(second.servers.requestedURLs.isEmpty)
    }

    @Test("A failed forced fetch of one process keeps neither this nor another process from the next one")
    func sharedFailure() async throws {
        let first = Fixture()
        let second = Fixture(store: first.testStore.documentStore)
        #expect(try await first.acceptsAppleToken())
        #expect(try await second.acceptsAppleToken())
        first.servers.publish(.failure, at: Fixture.appleKeysURL)
        first.clock.advance(by: .seconds(1))
        await #expect(throws: ProviderUnreachable.self) {
            try await first.verify(longLivedAppleToken(signedBy: Keys.next))
        }
        second.servers.publish(.failure, at: Fixture.appleKeysURL)
        second.clock.advance(by: .seconds(2))
        await #expect(throws: ProviderUnreachable.self) {
            try await second.verify(longLivedAppleToken(signedBy: Keys.next))
        }
        #expect(second.servers.requestedURLs.count == 1)
        second.clock.advance(by: .seconds(10))
        second.servers.publish(.keySet(Keys.next), at: Fixture.appleKeysURL)
        #expect(try await second.acceptsAppleToken(signedBy: Keys.next))
    }

    @Test("If the store is unavailable, keys are fetched once, but no forced fetch is made")
    func brokenStore() async throws {
        let fixture = Fixture()
        fixture.testStore.isBroken.withLock { $0 = true }
        #expect(try await fixture.acceptsAppleToken())
        fixture.servers.publish(.keySet(Keys.next), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) {
            try await fixture.verify(longLivedAppleToken(signedBy: Keys.next))
        }
        #expect(fixture.servers.requestedURLs.count == 1)
        fixture.testStore.isBroken.withLock { $0 = false }
        // No forced fetch is made for two seconds after one has failed because of the store.
        fixture.clock.advance(by: .seconds(2))
        #expect(try await fixture.acceptsAppleToken(signedBy: Keys.next))
    }

    @Test("Stored keys that cannot be read are fetched again")
    func unreadableStore() async throws {
        let fixture = Fixture()
        fixture.testStore.documents.withLock {
            $0[Fixture.appleKeysURL] = ProviderDocument(body: "<html>", fetchedAt: Fixture.start)
        }
        #expect(try await fixture.acceptsAppleToken())
        #expect(fixture.servers.requestedURLs.count == 1)
    }
}
