import Identity
import Providers
import Synchronization
import Testing

/// Processes that share a document store, at the same time or one after another.
@Suite("Stored keys of a provider")
struct SharedKeyTests {
    @Test("Stored keys are used after a restart while the provider is unreachable")
    func restart() async throws {
        let before = Fixture()
        #expect(try await before.acceptsAppleToken())
        let after = Fixture(store: before.testStore.documentStore)
        after.provider.publish(.failure, at: Fixture.appleKeysURL)
        after.clock.advance(by: .seconds(6 * 86_400))
        #expect(try await after.acceptsAppleToken())
        #expect(after.provider.requestedURLs.count == 1)
        after.clock.advance(by: .seconds(86_400))
        await #expect(throws: ProviderUnreachable.self) { try await after.verify(lastingToken()) }
    }

    @Test("Keys that another process has fetched within five minutes are not fetched again")
    func shared() async throws {
        let before = Fixture()
        #expect(try await before.acceptsAppleToken())
        let after = Fixture(store: before.testStore.documentStore)
        after.clock.advance(by: .seconds(299))
        #expect(try await after.acceptsAppleToken())
        #expect(after.provider.requestedURLs.isEmpty)
        after.clock.advance(by: .seconds(1))
        #expect(try await after.acceptsAppleToken())
        #expect(after.provider.requestedURLs.count == 1)
    }

    @Test("Keys are force-refetched by one process, and another process loads the result")
    func sharedForcedFetch() async throws {
        let one = Fixture()
        let other = Fixture(store: one.testStore.documentStore)
        #expect(try await one.acceptsAppleToken())
        #expect(try await other.acceptsAppleToken())
        one.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.appleKeysURL)
        one.clock.advance(by: .seconds(1))
        #expect(try await one.acceptsAppleToken(signedBy: Keys.next))
        // One second after the forced fetch of the other process.
        other.clock.advance(by: .seconds(2))
        #expect(try await other.acceptsAppleToken(signedBy: Keys.next))
        #expect(other.provider.requestedURLs.isEmpty)
        #expect(try await !other.acceptsAppleToken(signedBy: Keys.unknown))
        #expect(other.provider.requestedURLs.isEmpty)
    }

    @Test("An unknown key ID causes no rejection if the forced fetch of another process has failed")
    func sharedFailure() async throws {
        let one = Fixture()
        let other = Fixture(store: one.testStore.documentStore)
        #expect(try await one.acceptsAppleToken())
        #expect(try await other.acceptsAppleToken())
        one.provider.publish(.failure, at: Fixture.appleKeysURL)
        one.clock.advance(by: .seconds(1))
        await #expect(throws: ProviderUnreachable.self) { try await one.verify(lastingToken(signedBy: Keys.next)) }
        other.clock.advance(by: .seconds(2))
        await #expect(throws: ProviderUnreachable.self) { try await other.verify(lastingToken(signedBy: Keys.next)) }
        #expect(other.provider.requestedURLs.isEmpty)
        other.clock.advance(by: .seconds(60))
        other.provider.publish(.keys(of: Keys.next), at: Fixture.appleKeysURL)
        #expect(try await other.acceptsAppleToken(signedBy: Keys.next))
    }

    @Test("If the store is unavailable, keys are fetched, but not force-refetched")
    func brokenStore() async throws {
        let fixture = Fixture()
        fixture.testStore.isBroken.withLock { $0 = true }
        #expect(try await fixture.acceptsAppleToken())
        fixture.provider.publish(.keys(of: Keys.next), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(lastingToken(signedBy: Keys.next)) }
        #expect(fixture.provider.requestedURLs.count == 1)
        fixture.testStore.isBroken.withLock { $0 = false }
        // The pause after a forced fetch that failed because of the store.
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
        #expect(fixture.provider.requestedURLs.count == 1)
    }
}
