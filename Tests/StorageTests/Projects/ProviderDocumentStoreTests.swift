import Identity
import Postgres
import Storage
import Support
import Testing

/// A forced fetch is a fetch of a document before the stored one expires.
@Suite("Stored documents of providers")
struct ProviderDocumentStoreTests {
    private let url = "https://provider.example/keys"
    private let start = Instant(seconds: 1_800_000_000)

    @Test("The newest document of each URL is stored")
    func storing() async throws {
        let database = try TestDatabase()
        let store = ProviderDocumentStore.postgres(on: database.pool)
        #expect(try await store.load(url) == nil)
        try await store.store(url, #"{"keys":["é"]}"#, start)
        #expect(try await store.load(url) == ProviderDocument(body: #"{"keys":["é"]}"#, fetchedAt: start))
        #expect(try await store.load(url + "/") == nil)
        try await store.store(url, "older", start - .microseconds(1))
        #expect(try await store.load(url)?.body == #"{"keys":["é"]}"#)
        try await store.store(url, "same", start)
        try await store.store(url, "newer", start + .seconds(1))
        #expect(try await store.load(url) == ProviderDocument(body: "newer", fetchedAt: start + .seconds(1)))
    }

    @Test("A forced fetch is allowed once a minute")
    func forcedFetch() async throws {
        let database = try TestDatabase()
        let store = ProviderDocumentStore.postgres(on: database.pool)
        try await store.store(url, "keys", start)
        let claims: [(seconds: Int, isGranted: Bool)] = [
            (0, true), (0, false), (59, false), (60, true), (61, false), (119, false), (500, true), (501, false),
        ]
        for claim in claims {
            let now = start + .seconds(claim.seconds)
            #expect(try await store.claimForcedFetch(url, now) == claim.isGranted, "\(claim.seconds) s")
        }
        #expect(try await store.claimForcedFetch(url + "/other", start + .seconds(501)))
        let stored = try await store.load(url)
        #expect(
            stored == ProviderDocument(body: "keys", fetchedAt: start, forcedFetchClaimedAt: start + .seconds(500)))
    }

    @Test("Of many concurrent callers, one may make a forced fetch, before and after a document is stored")
    func race() async throws {
        let database = try TestDatabase()
        let store = ProviderDocumentStore.postgres(on: database.pool)
        let (url, start) = (url, start)
        for round in 0..<2 {
            let now = start + .seconds(60 * round)
            let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 1...20 { group.addTask { try await store.claimForcedFetch(url, now) } }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(granted == 1)
            #expect(try await store.load(url)?.body == (round == 0 ? nil : "keys"))
            try await store.store(url, "keys", now)
        }
    }

    @Test("A forced fetch whose claim was withdrawn may be claimed at once; a later claim stays")
    func withdrawal() async throws {
        let database = try TestDatabase()
        let store = ProviderDocumentStore.postgres(on: database.pool)
        #expect(try await store.claimForcedFetch(url, start))
        try await store.withdrawForcedFetch(url, start)
        #expect(try await store.claimForcedFetch(url, start + .seconds(1)))
        try await store.withdrawForcedFetch(url, start)
        #expect(try await !store.claimForcedFetch(url, start + .seconds(2)))
    }

    @Test("Future times that a process with a wrong clock has stored prevent neither new documents nor forced fetches")
    func wrongClock() async throws {
        let database = try TestDatabase()
        let store = ProviderDocumentStore.postgres(on: database.pool)
        let future = start + .seconds(100 * 365 * 86_400)
        try await store.store(url, "future", future)
        #expect(try await store.claimForcedFetch(url, future))
        try await store.store(url, "now", start)
        #expect(try await store.claimForcedFetch(url, start))
        #expect(
            try await store.load(url) == ProviderDocument(body: "now", fetchedAt: start, forcedFetchClaimedAt: start))
    }

    @Test("Every operation throws StoreUnavailable if the database is unreachable")
    func unreachable() async throws {
        let pool = Pool(
            loop: TestCluster.shared.loop, configuration: .init(url: "postgresql:///nobody?host=/nonexistent"))
        let store = ProviderDocumentStore.postgres(on: pool)
        await #expect(throws: StoreUnavailable.self) { try await store.load(url) }
        await #expect(throws: StoreUnavailable.self) { try await store.store(url, "keys", start) }
        await #expect(throws: StoreUnavailable.self) { try await store.claimForcedFetch(url, start) }
        await pool.close()
    }
}
