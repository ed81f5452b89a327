import Identity
import Providers
import Synchronization
import Testing

/// Processes that share a shelf, and processes after each other.
@Suite("A provider's keys on the shelf")
struct SharedKeyTests {
    @Test("survive a restart while the provider is down")
    func restart() async throws {
        let before = Fixture()
        #expect(try await before.believesApple())
        let after = Fixture(shelf: before.shelf.shelf)
        after.provider.publish(.failure, at: Fixture.appleKeysURL)
        after.clock.pass(.seconds(6 * 86_400))
        #expect(try await after.believesApple())
        #expect(after.provider.asked.count == 1)
        after.clock.pass(.seconds(86_400))
        await #expect(throws: ProviderUnreachable.self) { try await after.verify(lastingToken()) }
    }

    @Test("fetched a moment ago by another process are not fetched again")
    func shared() async throws {
        let before = Fixture()
        #expect(try await before.believesApple())
        let after = Fixture(shelf: before.shelf.shelf)
        after.clock.pass(.seconds(299))
        #expect(try await after.believesApple())
        #expect(after.provider.asked.isEmpty)
        after.clock.pass(.seconds(1))
        #expect(try await after.believesApple())
        #expect(after.provider.asked.count == 1)
    }

    @Test("are asked for out of turn by one of all processes, and the others take what it got")
    func sharedTurn() async throws {
        let one = Fixture()
        let other = Fixture(shelf: one.shelf.shelf)
        #expect(try await one.believesApple())
        #expect(try await other.believesApple())
        one.provider.publish(.keys(of: Keys.current, Keys.next), at: Fixture.appleKeysURL)
        one.clock.pass(.seconds(1))
        #expect(try await one.believesApple(by: Keys.next))
        other.clock.pass(.seconds(2))
        #expect(try await other.believesApple(by: Keys.next))
        #expect(other.provider.asked.isEmpty)
        #expect(try await !other.believesApple(by: Keys.unknown))
        #expect(other.provider.asked.isEmpty)
    }

    @Test("that another process has asked for in vain, or still waits for, are no reason to refuse a token")
    func sharedFailure() async throws {
        let one = Fixture()
        let other = Fixture(shelf: one.shelf.shelf)
        #expect(try await one.believesApple())
        #expect(try await other.believesApple())
        one.provider.publish(.failure, at: Fixture.appleKeysURL)
        one.clock.pass(.seconds(1))
        await #expect(throws: ProviderUnreachable.self) { try await one.verify(lastingToken(signedBy: Keys.next)) }
        other.clock.pass(.seconds(2))
        await #expect(throws: ProviderUnreachable.self) { try await other.verify(lastingToken(signedBy: Keys.next)) }
        #expect(other.provider.asked.isEmpty)
        other.clock.pass(.seconds(60))
        other.provider.publish(.keys(of: Keys.next), at: Fixture.appleKeysURL)
        #expect(try await other.believesApple(by: Keys.next))
    }

    @Test("are fetched and used without the shelf, but not asked for out of turn")
    func brokenShelf() async throws {
        let desk = Fixture()
        desk.shelf.isBroken.withLock { $0 = true }
        #expect(try await desk.believesApple())
        desk.provider.publish(.keys(of: Keys.next), at: Fixture.appleKeysURL)
        await #expect(throws: ProviderUnreachable.self) { try await desk.verify(lastingToken(signedBy: Keys.next)) }
        #expect(desk.provider.asked.count == 1)
        desk.shelf.isBroken.withLock { $0 = false }
        desk.clock.pass(.seconds(2))
        #expect(try await desk.believesApple(by: Keys.next))
    }

    @Test("on a shelf that cannot be read are fetched")
    func unreadableShelf() async throws {
        let desk = Fixture()
        desk.shelf.documents.withLock {
            $0[Fixture.appleKeysURL] = ProviderDocument(body: "<html>", fetchedAt: Fixture.start)
        }
        #expect(try await desk.believesApple())
        #expect(desk.provider.asked.count == 1)
    }
}
