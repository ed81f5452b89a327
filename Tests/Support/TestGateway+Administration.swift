import Crypto
import HTTP
import Identity
import Postgres
import Providers
import Storage
import Testing

@testable import Gateway

/// Calls operations for administrators, with a service key.
extension TestGateway {
    /// The secret of the service key that ``makeServiceKey()`` creates.
    static let serviceKeySecret = "sks_test"

    /// Creates a service key with the secret ``serviceKeySecret``. The audit trail calls it `key:service`.
    func makeServiceKey() async throws {
        try await makeServiceKey(Self.serviceKeySecret, in: realm.project.id)
    }

    /// Creates a second project with the ID `other`.
    ///
    /// - Parameters:
    ///   - apiKey: the API key of its only app (default: none).
    ///   - serviceKey: the secret of its service key (default: none).
    ///   - change: changes the project before it is created.
    func makeOtherProject(
        apiKey: String? = nil, serviceKey: String? = nil, change: (inout ProjectDraft) -> Void = { _ in }
    ) async throws {
        var draft = try ProjectDraft(
            id: "other", name: "Other", profile: .firebase, policy: Policy(.firebase), algorithm: .es256, domains: [],
            supporting: root.mode.providers.supported)
        change(&draft)
        #expect(try await draft.create(in: database.pool, under: masterKeys, by: .commandLine, at: clock.now))
        if let apiKey {
            let isCreated = try await APIKeyStore(pool: database.pool).create(
                id: "key", hash: Digest.sha256(Array(apiKey.utf8)), for: ProjectDraft.defaultApp.id,
                in: draft.realm.project.id, at: clock.now)
            #expect(isCreated)
        }
        if let serviceKey { try await makeServiceKey(serviceKey, in: draft.realm.project.id) }
    }

    /// Creates another app of the project, and returns its API key.
    func makeOtherAppKey() async throws -> String {
        _ = try await database.pool.execute(
            """
            INSERT INTO app (project_id, id, name, settings, created_at)
            SELECT project_id, 'other', 'Other', settings, created_at FROM app LIMIT 1
            """)
        let isCreated = try await APIKeyStore(pool: database.pool).create(
            id: "other", hash: Digest.sha256(Array("pk_other".utf8)), for: ID("other"), in: realm.project.id,
            at: clock.now)
        #expect(isCreated)
        return "pk_other"
    }

    private func makeServiceKey(_ secret: String, in project: ID<Project>) async throws {
        let draft = ServiceKeyStore.Draft(
            id: "service", name: "Backend", secretHash: Digest.sha256(Array(secret.utf8)), publicKey: "PEM",
            scopes: .all, expiresAt: nil)
        let isCreated = try await ServiceKeyStore(pool: database.pool).create(draft, in: project, at: clock.now)
        #expect(isCreated)
    }

    /// A gateway whose project has a service key with the secret ``serviceKeySecret``.
    static func withServiceKey() async throws -> TestGateway {
        let gateway = try await TestGateway()
        try await gateway.makeServiceKey()
        return gateway
    }

    /// Posts to `/v1/projects/PROJECT/accounts` followed by an operation.
    ///
    /// - Parameters:
    ///   - operation: an operation with its colon, for example `:update`; empty to create an account.
    ///   - bearer: the secret of a service key, or `nil` for a request without credentials.
    func administerAccounts(
        _ operation: String, _ body: JSON = [:], in project: String = "demo", bearer: String? = serviceKeySecret
    ) async throws -> Exchange {
        try await send(
            .post, "/v1/projects/\(project)/accounts\(operation)", body: try body.bytes, query: [],
            headers: Self.headers(bearer: bearer))
    }

    /// Creates an account, and returns the response.
    func createAccountAsAdmin(
        _ body: JSON = [:], in project: String = "demo", bearer: String? = serviceKeySecret
    ) async throws -> Exchange {
        try await administerAccounts("", body, in: project, bearer: bearer)
    }

    func batchGet(
        _ query: [(name: String, value: String)] = [], bearer: String? = serviceKeySecret
    ) async throws -> Exchange {
        try await send(
            .get, "/v1/projects/demo/accounts:batchGet", body: [], query: query, headers: Self.headers(bearer: bearer))
    }

    /// Posts to `/v1/accounts` followed by an operation. The path names no project, so the service key selects it.
    func administerAccountsWithoutProjectInPath(_ operation: String, _ body: JSON = [:]) async throws -> Exchange {
        try await send(
            .post, "/v1/accounts\(operation)", body: try body.bytes, query: [],
            headers: Self.headers(bearer: Self.serviceKeySecret))
    }

    /// Looks up an account as an administrator.
    ///
    /// The response has members that ``accountSeenByUser(_:)`` does not return.
    func accountSeenByAdmin(_ localId: String) async throws -> JSON {
        try #require(try await administerAccounts(":lookup", ["localId": [.string(localId)]]).json["users"]?[0])
    }

    private static func headers(bearer: String?) -> Headers {
        var headers = Headers()
        if let bearer { headers.add("Authorization", "Bearer \(bearer)") }
        return headers
    }
}
