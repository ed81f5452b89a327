import Identity
import Postgres
import Support
import Testing

@testable import Storage

@Suite("The query plans of passkeys")
struct PasskeyPlanTests {
    /// The number of accounts, and whether the tables were analysed.
    static let sizes = [(0, false), (10, false), (400, false), (5000, false), (5000, true)]

    @Test("An import finds credential IDs and user handles by indexes, whatever the statistics", arguments: sizes)
    func owners(accounts: Int, isAnalysed: Bool) async throws {
        let passkeys = (1...64).map { number in
            Passkey(
                id: ID("credential\(number)"), rpID: "example.com", userHandle: "handle\(number)", name: "Passkey",
                createdAt: Instant(seconds: 0), addedAt: Instant(seconds: 0), lastUsedAt: nil, isBackedUp: false,
                transports: [], aaguid: "")
        }
        let plan = try await plan(of: .owners(of: passkeys), among: accounts, isAnalysed: isAnalysed)
        #expect(!plan.contains("Seq Scan"), "\(plan)")
        let isByHandle = plan.contains(#/passkey_user_handle[^\n]*\n *Index Cond: \(user_handle = /#)
        #expect(isByHandle, "\(plan)")
        #expect(plan.contains(#/Index Cond: [^\n]*credential_id = /#), "\(plan)")
    }

    @Test("A sign-in finds the passkey by its credential ID, whatever the statistics", arguments: sizes)
    func signIn(accounts: Int, isAnalysed: Bool) async throws {
        let plan = try await plan(
            of: .passkey(ID("credential1"), rpID: "example.com"), among: accounts, isAnalysed: isAnalysed)
        #expect(plan.contains(#/passkey_credential_key[^\n]*\n *Index Cond: [^\n]*credential_id = /#), "\(plan)")
    }

    private func plan(of statement: SQL, among accounts: Int, isAnalysed: Bool) async throws -> String {
        let database = try TestDatabase()
        try await database.fill(accounts: accounts)
        try await database.pool.execute(
            """
            INSERT INTO passkey (realm_id, rp_id, credential_id, account_id, user_handle, public_key, algorithm,
                sign_count, backup_eligible, backed_up, transports, aaguid, name, created_at, added_at)
            SELECT 'demo', 'example.com', 'credential' || n, 'user' || n, 'handle' || n, '', -7, 0, false, false, '{}', '',
                'Passkey', now(), now()
            FROM generate_series(1, \(accounts)) n
            """)
        if isAnalysed { try await database.pool.execute("ANALYZE account, passkey") }
        return try await database.plan(of: statement)
    }
}
