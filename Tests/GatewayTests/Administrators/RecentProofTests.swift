import Encoding
import HTTP
import Providers
import Storage
import Testing

@testable import API
@testable import Gateway
@testable import Identity
@testable import Support

/// These operations need a recent proof of both factors, although others with their scopes do not.
@Suite("Operations of the console that ask for both factors again", .serialized)
struct RecentProofTests {
    private let gateway: TestGateway
    private let key: ServiceKey

    init() async throws {
        gateway = try await TestGateway()
        key = try await ServiceKey(id: "backend", in: gateway)
    }

    /// Performs a request as a screen of the console does, for an owner who has proven both factors so many seconds
    /// ago.
    private func perform(
        _ method: HTTP.Method, _ path: String, secondsAfterProof: Int64
    ) async throws -> Exchange {
        let now = gateway.clock.now
        let person = ConsolePerson(
            account: Account(id: ID("ada"), createdAt: now, validSince: now),
            session: Session(
                id: ID("s"), account: ID("ada"), generation: 1, method: .password,
                authenticatedAt: now + .seconds(-secondsAfterProof), device: nil),
            roles: AdministratorRoles([ID("other"): .owner], operators: ID("other")))
        let projects = ProjectStore(pool: gateway.database.pool, supporting: .live)
        let caller = InProcessCaller.console(
            person, findRealm: { try await projects.realm($0) }, clock: gateway.clock.wallClock)
        let request = Request(
            id: "0", method: method, path: path, query: [], headers: Headers(), body: [], peer: "192.0.2.1")
        return Exchange(await gateway.pipeline.respondInProcess(to: request, as: caller))
    }

    /// Expects that the operation is rejected 301 seconds after the proof, and allowed 300 seconds after it.
    private func expectRecentProof(_ method: HTTP.Method, _ path: String, _ status: Int) async throws -> Exchange {
        let late = try await perform(method, path, secondsAfterProof: 301)
        #expect(late.outcome == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(late.text)")
        let done = try await perform(method, path, secondsAfterProof: 300)
        #expect(done.status == status, "\(done.text)")
        return done
    }

    @Test("The deletion of an app needs a recent proof")
    func app() async throws {
        let created = try await gateway.send(
            .post, "/v2/projects/demo/apps", ["appId": "shop", "platform": "web"], by: key)
        #expect(created.outcome == "200", "\(created.text)")
        _ = try await expectRecentProof(.delete, "/v2/projects/demo/apps/shop", 204)
        #expect(try await gateway.send(.get, "/v2/projects/demo/apps/shop", by: key).status == 404)
    }

    @Test("The deletion of a tenant needs a recent proof")
    func tenant() async throws {
        let created = try await gateway.send(.post, "/v2/projects/demo/tenants", ["displayName": "shop"], by: key)
        let id = try #require(created.json["tenantId"]?.string, "\(created.text)")
        _ = try await expectRecentProof(.delete, "/v2/projects/demo/tenants/\(id)", 200)
        #expect(try await gateway.send(.get, "/v2/projects/demo/tenants/\(id)", by: key).status == 404)
    }

    @Test("The download of accounts needs a recent proof, a search does not")
    func download() async throws {
        let bob: JSON = ["localId": "bob", "email": "bob@example.com"]
        #expect(try await gateway.send(.post, "/v1/projects/demo/accounts", bob, by: key).outcome == "200")
        let done = try await expectRecentProof(.get, "/v1/projects/demo/accounts:batchGet", 200)
        #expect(done.text.contains("bob@example.com"))
        let found = try await perform(.get, "/v1/projects/demo/accounts:search", secondsAfterProof: 301)
        #expect(found.status == 200 && found.text.contains("bob@example.com"))
    }
}
