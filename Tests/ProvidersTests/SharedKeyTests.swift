import Identity
import Providers
import Synchronization
import Testing

/// Processes that share a document store, at the same time or one after another.
@Suite("Stored keys of a provider")
struct SharedKeyTests {
    @Test("survive a restart while the provider is down")
    func restart() async throws {
        let before = Fixture()
        #expect(try await before.acceptsApple())
        let after = Fixture(store: before.testStore.documentStore)
        after.provider.publish(.failure, at: Fixture.appleKeysURL)
        after.clock.pass(.seconds(6 * 86_400))
        #expect(try await after.acceptsApple())
        #expect(after.provider.asked.count == 1)
        after.clock.pass(.seconds(86_400))
        await #expect(throws: ProviderUnreachable.self) { try await after.verify(lastingToken()) }
    }

    @Test("that another process has just fetched are not fetched again")
    func shared() async throws {
        let before = Fixture()
        #expect(try await before.acceptsApple())
        let after = Fixture(store: before.testStore.documentStore)
        after.clock.pass(.seconds(299))
        #expect(try await after.acceptsApple())
        #expect(after.provider.asked.isEmpty)
        after.clock.pass(.seconds(1))
        #expect(try await after.acceptsApple())
        #expect(after.provider.asked.count == 1)
    }

    @Test("are force-refetched by one process, and the others load its result")
    func sharedTurn() async throws {
        let one = Fixture()
        let other = Fixture(store: one.testStore.documentStore)
        #expect(try await one.acceptsApple())
        #expect(try await other.acceptsApple())
        one.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.appleKeysURL)
        one.clock.pass(.seconds(1))
        #expect(try await one.acceptsApple(by: Keys.next))
        other.clock.pass(.seconds(2))
        #expect(try await other.acceptsApple(by: Keys.next))
        #expect(other.provider.asked.isEmpty)
        #expect(try await !other.acceptsApple(by: Keys.unknown))
        #expect(other.provider.asked.isEmpty)
    }

    @Test("whose refetch by another process failed or is running do not cause a rejection")
    func sharedFailure() async throws {
        let one = Fixture()
        let other = Fixture(store: one.testStore.documentStore)
        #expect(try await one.acceptsApple())
        #expect(try await other.acceptsApple())
        one.provider.publish(.failure, at: Fixture.appleKeysURL)
        one.clock.pass(.seconds(1))
        await #expect(throws: ProviderUnreachable.self) { try await one.verify(lastingToken(signedBy: Keys.next)) }
        other.clock.pass(.seconds(2))
        await #expect(throws: ProviderUnreachable.self) { try await other.verify(lastingToken(signedBy: Keys.next)) }
        #expect(other.provider.asked.isEmpty)
        other.clock.pass(.seconds(60))
        other.provider.publish(.keys(of: Keys.next), at: Fixture.appleKeysURL)
        #expect(try await other.acceptsApple(by: Keys.next))
    }

    @Test("are fetched without the store, but not force-refetched")
    func brokenStore() async throws {
        let fixture = Fixture()
        fixture.testStore.isBroken.withLock { $0 = true }
        #expect(try await fixture.acceptsApple())
        fixture.provider.publish(.keys(of: Keys.next), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await fixture.verify(lastingToken(signedBy: Keys.next)) }
        #expect(fixture.provider.asked.count == 1)
        fixture.testStore.isBroken.withLock { $0 = false }
        fixture.clock.pass(.seconds(2))
        #expect(try await fixture.acceptsApple(by: Keys.next))
    }

    @Test("that cannot be loaded are fetched")
    func unreadableStore() async throws {
        let fixture = Fixture()
        fixture.testStore.documents.withLock {
            $0[Fixture.appleKeysURL] = ProviderDocument(body: "<html>", fetchedAt: Fixture.start)
        }
        #expect(try await fixture.acceptsApple())
        #expect(fixture.provider.asked.count == 1)
    }
}
