import FoundationEssentials
import Postgres
import Storage
import Support

@testable import Identity

/// A store with the accounts `user1`, `user2` and so on, each with an Apple identity.
struct SignInFixture: Sendable {
    let database: TestDatabase
    let store: PostgresFederationStore
    let realm = ID<Realm>("demo")
    let accounts: [Account]

    init(accounts count: Int) async throws {
        database = try TestDatabase()
        store = PostgresFederationStore(pool: database.pool)
        var accounts: [Account] = []
        for number in 0..<count { accounts.append(try await store.commit(.firstSignIn(number + 1), in: realm)) }
        self.accounts = accounts
    }

    /// Commits all sign-ins at the same time. Most of the sign-ins that can share a statement do so, because they
    /// arrive in the same iteration of the event loop.
    func commit(_ commits: [SignInCommit]) async -> [Result<Account, any Error>] {
        let loop = database.loop
        return await Task(executorPreference: loop) {
            let tasks = commits.map { commit in
                Task(executorPreference: loop) { try await store.commit(commit, in: realm) }
            }
            var results: [Result<Account, any Error>] = []
            for task in tasks { results.append(await task.result) }
            return results
        }.value
    }

    /// The owners of the identities with these numbers, all looked up at once. Failed look-ups are omitted.
    func owners(of numbers: ClosedRange<Int>) async -> [Int: String] {
        await withTaskGroup(of: (Int, String?).self) { group in
            for number in numbers {
                group.addTask {
                    let found = try? await store.linkingCandidates(for: .ofUser(number), in: realm)
                    return (number, found?.owner?.id.rawValue)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// Returns the number of rows that a query returns.
    func count(_ query: SQL) async throws -> Int {
        try await database.pool.query(query).count
    }
}

extension VerifiedIdentity {
    /// The Apple identity of the user with this number, verified at a fixed time.
    ///
    /// - Parameter key: a text whose first 32 bytes are stored as the replay key (default: a new text).
    static func ofUser(_ number: Int, key: String? = nil) -> VerifiedIdentity {
        let now = Instant(seconds: 1_800_000_000)
        let text = Array((key ?? UUID().uuidString).utf8).prefix(32)
        let hash = Array(text) + Array(repeating: 0, count: 32 - text.count)
        let key = ReplayKey(hash: hash, expiresAt: now + .seconds(600))
        return VerifiedIdentity(
            provider: .apple, subject: "subject\(number)", audience: "com.example.app", replayKeys: [key],
            issuedAt: now)
    }
}

extension SignInCommit {
    /// The first sign-in of a user, whose account gets the identity's address.
    ///
    /// - Parameters:
    ///   - key: the replay key of the credential (default: a new one).
    ///   - change: a change of the identity.
    static func firstSignIn(
        _ number: Int, key: String? = nil, _ change: (inout VerifiedIdentity) -> Void = { _ in }
    ) -> SignInCommit {
        var identity = VerifiedIdentity.ofUser(number, key: key)
        change(&identity)
        return SignInCommit(.create(copiesEmail: true), of: ID("user\(number)"), generation: 1, with: identity)
    }

    /// A later sign-in to an account that ``firstSignIn(_:key:_:)`` created.
    ///
    /// - Parameter key: the replay key of the credential (default: a new one).
    static func laterSignIn(_ account: Account, key: String? = nil) -> SignInCommit {
        let number = Int(account.id.rawValue.dropFirst("user".count)) ?? 0
        return SignInCommit(
            .signIn(account), of: account.id, generation: account.generation, with: .ofUser(number, key: key))
    }

    private init(
        _ change: SignInChange, of account: ID<Account>, generation: Int64, with identity: VerifiedIdentity
    ) {
        let now = Instant(seconds: 1_800_000_100)
        self.init(
            change: change, identity: identity,
            newSession: NewSession(
                toOpen: Session(
                    id: ID(UUID().uuidString.lowercased()), account: account, generation: generation,
                    method: identity.provider, authenticatedAt: now, device: "phone"),
                at: now, networkHash: Array(repeating: 7, count: 16), credentialIssuedAt: identity.issuedAt,
                sessionLimit: 99),
            recording: .system, emailBatch: EmailBatch())
    }
}

extension Account {
    /// The account of the user with this number, as the fixture creates it.
    static func ofUser(_ number: Int) -> Account {
        let commit = SignInCommit.firstSignIn(number)
        return Account(commit.newSession.account, for: commit.linked, copiesEmail: true, at: commit.committedAt)
    }
}
