import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Operations on queues", .serialized)
struct QueueItemTests {
    private static let path = "/v2/projects/demo/queues/emails/items"

    /// A gateway with one email in the queue.
    private static func gateway() async throws -> (gateway: TestGateway, item: String) {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.signUp()
        _ = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let key = try await ServiceKey(id: "lister", in: gateway)
        let items = try await gateway.send(.get, path, by: key).json["items"]?.elements ?? []
        return (gateway, try #require(items.last?["itemId"]?.string))
    }

    @Test("Reading needs config.read, a retry config, and a cancellation trust")
    func scopes() async throws {
        let (gateway, item) = try await Self.gateway()
        for (scope, outcomes) in [
            (ServiceKeyScope.readConfig, [200, 403, 403]), (.config, [200, 204, 403]), (.readUsers, [403, 403, 403]),
            (.trust, [403, 403, 204]),
        ] {
            let key = try await ServiceKey(id: scope.rawValue, in: gateway, scopes: ServiceKeyScopes([scope]))
            let statuses = [
                try await gateway.send(.get, Self.path, by: key).status,
                try await gateway.send(.post, "\(Self.path)/\(item):retry", by: key).status,
                try await gateway.send(.delete, "\(Self.path)/\(item)", by: key).status,
            ]
            #expect(statuses == outcomes, "\(scope)")
        }
    }

    @Test("Items are listed without the address")
    func privacy() async throws {
        let (gateway, _) = try await Self.gateway()
        let listed = try await gateway.send(.get, Self.path, by: try await ServiceKey(in: gateway))
        #expect(listed.status == 200)
        #expect(!listed.text.contains("ada@example.com"))
    }
}
