import Identity
import Postgres
import Storage
import Support
import Testing

@Suite("Passkeys of imports, in PostgreSQL")
struct ImportedPasskeyTests {
    private let fixture: StoreFixture

    init() async throws {
        fixture = try await StoreFixture()
    }

    /// An import of one account with one passkey.
    private func batch(_ name: String, handle: String) -> ImportBatch {
        let passkey = Passkey(
            id: ID("credential-\(name)"), rpID: "example.com", userHandle: handle, name: "Passkey",
            createdAt: fixture.start, addedAt: fixture.start, lastUsedAt: nil, isBackedUp: false, transports: [],
            aaguid: "00000000-0000-0000-0000-000000000000")
        var stored = StoredAccount(new: ID(name), at: fixture.start)
        stored.passkeys = [
            NewPasskey(passkey: passkey, publicKey: [1], algorithm: -7, signCount: 0, isBackupEligible: false)
        ]
        return ImportBatch([stored], now: fixture.start, in: fixture.realm)
    }

    @Test("Of two imports at the same time, one gets the user handle", arguments: [false, true])
    func handleRace(expectsConflicts: Bool) async throws {
        for round in 1...12 {
            let conflicts = try await withThrowingTaskGroup(of: [ID<Account>: UniqueMember].self) { group in
                for side in ["a", "b"] {
                    let batch = batch("\(side)\(round)", handle: "handle\(round)")
                    group.addTask {
                        try await fixture.store.add(batch, expectsConflicts: expectsConflicts, by: .commandLine)
                    }
                }
                return try await group.reduce(into: [UniqueMember]()) { $0 += $1.values }
            }
            #expect(conflicts == [.userHandle], "round \(round)")
        }
        let shared = try await fixture.database.pool.query(
            "SELECT user_handle FROM passkey GROUP BY rp_id, user_handle HAVING count(DISTINCT account_id) > 1")
        #expect(shared.isEmpty)
    }
}
