import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

@Suite("Access of administrators", .serialized)
struct AdminAccessTests {
    /// The part of the path after `/v1/projects/PROJECT/accounts`. The empty operation creates an account.
    static let operations = [
        "", ":lookup", ":update", ":delete", ":batchDelete", ":batchCreate", ":query",
    ]

    @Test(
        "A service key has no access to another project, and the response does not reveal whether the project exists",
        arguments: operations)
    func otherProject(operation: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        _ = try await gateway.createAccountAsAdmin(["localId": "ada"])
        let body: JSON = [
            "localId": operation == ":lookup" ? ["ada"] : "ada", "localIds": ["ada"], "force": true,
            "users": [["localId": "eve"]],
        ]
        let known = try await gateway.administerAccounts(operation, body, in: "demo", bearer: "sks_other")
        let unknown = try await gateway.administerAccounts(operation, body, in: "nowhere", bearer: "sks_other")
        #expect(known.outcome == "403 The caller does not have permission")
        #expect(known.body == unknown.body)
        let count = try await gateway.administerAccounts(":query", ["returnUserInfo": false])
        #expect(count.json == ["recordsCount": "1"])
    }

    @Test(
        "Two projects can have accounts with the same ID, address and phone number, and a deletion removes only one")
    func accountsOfOtherProject() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        let body: JSON = ["localId": "ada", "email": "ada@example.com", "phoneNumber": "+15555550100"]
        _ = try await gateway.createAccountAsAdmin(body)
        #expect(try await gateway.createAccountAsAdmin(body, in: "other", bearer: "sks_other").outcome == "200")
        let deleted = try await gateway.administerAccounts(
            ":delete", ["localId": "ada"], in: "other", bearer: "sks_other")
        #expect(deleted.outcome == "200")
        #expect(try await gateway.accountSeenByAdmin("ada")["email"] == "ada@example.com")
    }

    @Test("Operations of administrators need a valid service key", arguments: operations)
    func noKey(operation: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let outcome = try await gateway.administerAccounts(operation, bearer: nil).outcome
        #expect(outcome == "403 The request is missing a valid API key.")
        #expect(try await gateway.administerAccounts(operation, bearer: "sks_wrong").status == 401)
        let path = "/v1/projects/demo/accounts\(operation)"
        let expected =
            "400 INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."
        #expect(try await gateway.post(path).outcome == expected)
    }

    @Test("A request with a malformed project ID in the path gets 404", arguments: ["..", "%2F", "a%00", "a%5Cb"])
    func path(project: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        #expect(try await gateway.administerAccounts(":lookup", in: project).status == 404)
    }

    @Test(
        "A request whose path names no project applies to the project in the body, if the caller has access to that project",
        // `Bearer owner` of dev mode has access to all projects. A service key has access only to its own project.
        arguments: [(true, "other", "200"), (false, "other", "403"), (true, "demo", "200"), (false, "demo", "200")])
    func targetProject(isDev: Bool, target: String, expected: String) async throws {
        let gateway = try await TestGateway(
            mode: isDev ? .emulator(project: ID("demo")) : .serve(at: "https://auth.example.com"))
        try await gateway.makeServiceKey()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        let headers: Headers = ["Authorization": "Bearer \(isDev ? "owner" : TestGateway.serviceKeySecret)"]
        let body: JSON = ["localId": "ada", "targetProjectId": .string(target)]
        let answer = try await gateway.send(
            .post, "/v1/accounts:signUp", body: try body.bytes, query: [], headers: headers)
        #expect(String(answer.status) == expected)
        let accounts = try await gateway.database.pool.query("SELECT realm_id FROM account")
            .map { try $0.decode("realm_id", as: String.self) }
        #expect(accounts == (expected == "200" ? [target] : []))
        let scoped = try await gateway.send(
            .post, "/v1/projects/demo/accounts", body: try body.bytes, query: [], headers: headers)
        #expect(
            (scoped.status == 403) == (target == "other"),
            "a project in the body that is not the one in the path is rejected")
    }

    @Test("Accounts are listed only for a service key of the project")
    func batchGet() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        #expect(try await gateway.batchGet(bearer: "sks_other").status == 403)
        #expect(try await gateway.batchGet(bearer: nil).status == 403)
    }
}
