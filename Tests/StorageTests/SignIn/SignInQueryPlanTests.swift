import Identity
import Postgres
import Support
import Testing

@testable import Storage

@Suite("The query plans of sign-ins")
struct SignInQueryPlanTests {
    /// The maximum number of sign-ins or look-ups in one statement; see ``Batcher``.
    private static let batchSize = 64
    /// The number of accounts, and whether the tables were analysed.
    static let sizes = [(0, false), (10, false), (400, false), (5000, false), (5000, true)]

    /// The linking candidates of an identity are the account that has the identity, and the one that has its address.
    @Test("Linking candidates are found by indexes, whatever the statistics", arguments: sizes)
    func candidates(accounts: Int, isAnalysed: Bool) async throws {
        let identities = (1...Self.batchSize).map { VerifiedIdentity.ofUser($0) }
        let plan = try await expectIndexes(
            for: .linkingCandidates(for: identities, in: ID("demo")), among: accounts, isAnalysed: isAnalysed)
        let byAddress = plan.matches(
            of: #/account_email_key[^\n]*\n *Index Cond: \(\(realm_id = .*\) AND \(\(?email\)?(?:::text)? = /#)
        #expect(byAddress.count == 1, "\(plan)")
    }

    @Test("The account of an address is found by the index of addresses, whatever the statistics", arguments: sizes)
    func holder(accounts: Int, isAnalysed: Bool) async throws {
        let email = try #require(EmailAddress("ada@example.com"))
        let plan = try await expectIndexes(
            for: .account(withPrimaryEmail: email, in: ID("demo")), among: accounts, isAnalysed: isAnalysed)
        #expect(plan.contains("account_email_key"), "\(plan)")
    }

    @Test("Returning sign-ins find accounts and identities by indexes, whatever the statistics", arguments: sizes)
    func signIns(accounts: Int, isAnalysed: Bool) async throws {
        let signIns = try (1...Self.batchSize).map { number in
            let account = Account.ofUser(number)
            return try ReturningSignIn(account, .laterSignIn(account))
        }
        let plan = try await expectIndexes(
            for: .apply(signIns, in: ID("demo")), among: accounts, isAnalysed: isAnalysed)
        expectActiveSessionsByIndex(in: plan)
    }

    @Test("A sign-in finds the account's active sessions by an index, whatever the statistics", arguments: sizes)
    func sessionLimit(accounts: Int, isAnalysed: Bool) async throws {
        let account = Account.ofUser(1)
        let commit = SignInCommit.laterSignIn(account)
        for statement in [
            try SQL.apply(ReturningSignIn(account, commit), in: ID("demo")),
            try .open(commit.newSession, rehashed: nil, in: ID("demo")),
            try .openSession(commit.newSession, in: ID("demo"), forEachRowOf: .singleRow),
        ] {
            let plan = try await plan(of: statement, among: accounts, isAnalysed: isAnalysed)
            #expect(!plan.contains("Seq Scan on session"), "\(plan)")
            // To lock the sessions, and to change them.
            #expect(plan.searches(byPrimaryKeyOf: "session") == 2, "\(plan)")
            expectActiveSessionsByIndex(in: plan)
        }
    }

    /// Expects that the plan reads only the active sessions of an account.
    private func expectActiveSessionsByIndex(in plan: String) {
        let isByIndex = plan.contains(#/session_account[^\n]*\n *Index Cond: \(\(account_id = [^\n]*ended_at IS NULL/#)
        #expect(isByIndex, "\(plan)")
    }

    /// A credential is void if the user has disconnected the app since the credential was issued.
    @Test("First sign-ins find void credentials by an index, whatever the statistics", arguments: sizes)
    func firstSignIns(accounts: Int, isAnalysed: Bool) async throws {
        // `copiesEmail`: the new account gets the address of the identity.
        let signIns = (1...Self.batchSize).map { FirstSignIn(.firstSignIn($0), copiesEmail: true) }
        try await expectIndexes(for: .create(signIns, in: ID("demo")), among: accounts, isAnalysed: isAnalysed)
    }

    /// Expects a query plan without a sequential scan, and returns it.
    @discardableResult
    private func expectIndexes(for statement: SQL, among accounts: Int, isAnalysed: Bool) async throws -> String {
        let plan = try await plan(of: statement, among: accounts, isAnalysed: isAnalysed)
        #expect(!plan.contains("Seq Scan"), "\(plan)")
        return plan
    }

    private func plan(of statement: SQL, among accounts: Int, isAnalysed: Bool) async throws -> String {
        let database = try TestDatabase()
        try await database.fill(accounts: accounts)
        if isAnalysed {
            try await database.pool.execute("ANALYZE account, session, linked_identity")
        }
        return try await database.plan(of: statement)
    }
}
