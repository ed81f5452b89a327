import Identity
import Postgres
import Storage
import Support
import Testing

@Suite("Steps of the sign-in page, in PostgreSQL")
struct SignInStepStoreTests {
    private static let flow = [UInt8](repeating: 1, count: 32)

    private let fixture: StoreFixture
    private let steps: PostgresSignInStepStore

    init() async throws {
        fixture = try await StoreFixture()
        steps = PostgresSignInStepStore(pool: fixture.database.pool)
    }

    private func set(_ content: String, replacing former: String?, hasNewCode: Bool = false) async throws {
        try await steps.set(
            content, of: Self.flow, replacing: former, resetsAttempts: hasNewCode,
            until: fixture.start + .seconds(60), in: fixture.realm)
    }

    private func attempt() async throws -> String? {
        try await steps.countAttempt(Self.flow, limit: 2, in: fixture.realm)
    }

    @Test("A write that was made from replaced content does not bring back its code, nor its attempts")
    func lostUpdate() async throws {
        try await set("first code", replacing: nil)
        #expect(try await attempt() == "first code")
        #expect(try await attempt() == "first code")
        #expect(try await attempt() == nil)
        try await set("second code", replacing: "first code", hasNewCode: true)
        await #expect(throws: StoreConflict.stale) {
            try await set("first code again", replacing: "first code")
        }
        await #expect(throws: StoreConflict.stale) { try await set("nothing", replacing: nil) }
        #expect(try await attempt() == "second code")
    }

    @Test("A write that changes no code keeps the attempts, and none revives what was deleted")
    func keeping() async throws {
        try await set("code", replacing: nil)
        for _ in 1...2 { _ = try await attempt() }
        try await set("code, kept longer", replacing: "code")
        #expect(try await attempt() == nil)
        _ = try await fixture.database.pool.execute("DELETE FROM sign_in_flow")
        await #expect(throws: StoreConflict.stale) { try await set("revived", replacing: "code, kept longer") }
        #expect(try await steps.content(of: Self.flow, in: fixture.realm) == nil)
    }
}
