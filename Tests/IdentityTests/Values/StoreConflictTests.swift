import Identity
import Synchronization
import Testing

@Suite("Retries of conflicting writes")
struct StoreConflictTests {
    private struct OtherError: Error {}

    @Test("A stale write is retried until it succeeds")
    func success() async throws {
        let lastAttempt = try await retryingConflicts { attempt in
            if attempt < 5 { throw StoreConflict.stale }
            return attempt
        }
        #expect(lastAttempt == 5)
    }

    @Test("A stale write is given up after the fifth attempt with PersistentConflict")
    func giveUp() async {
        let attempts = Mutex(0)
        await #expect(throws: PersistentConflict.self) {
            try await retryingConflicts { attempt in
                attempts.withLock { $0 = attempt }
                throw StoreConflict.stale
            }
        }
        #expect(attempts.withLock { $0 } == 5)
    }

    @Test(
        "A write that fails with another error is not retried",
        arguments: [StoreConflict.notFound, OtherError()] as [any Error])
    func otherError(error: any Error) async {
        let attempts = Mutex(0)
        await #expect(throws: (any Error).self) {
            try await retryingConflicts { attempt in
                attempts.withLock { $0 = attempt }
                throw error
            }
        }
        #expect(attempts.withLock { $0 } == 1)
    }
}
