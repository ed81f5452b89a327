import Encoding
import HTTP
import JSON
import Testing

@testable import Console

@Suite("Requests of forms")
struct OperationCatalogTests {
    private let catalog = OperationCatalog([
        "getAccount": .init(.get, "/v1/projects/{project}/accounts/{localId}"),
        "updateAccount": .init(.post, "/v1/projects/{project}/accounts:update"),
        "updateAccountInTenant": .init(.post, "/v1/projects/{project}/tenants/{tenant}/accounts:update"),
        "createThing": .init(.post, "/v1/projects/{project}/things"),
    ])
    private let project = RealmName(project: "demo", tenant: nil)
    private let tenant = RealmName(project: "demo", tenant: "t1")

    @Test("The path, the query or the body names the tenant")
    func tenants() throws {
        #expect(try catalog.call("updateAccount", in: project, body: [:]).path == "/v1/projects/demo/accounts:update")
        let variant = try catalog.call("updateAccount", in: tenant, body: [:])
        #expect(variant.path == "/v1/projects/demo/tenants/t1/accounts:update")
        #expect(variant.body == [:])
        #expect(try catalog.call("createThing", in: tenant, body: [:]).body == ["tenantId": .string("t1")])
        #expect(try catalog.call("getAccount", in: tenant).query == [.init("tenantId", "t1")])
    }

    @Test("Parameters of the path are encoded")
    func encoding() throws {
        let call = try catalog.call("getAccount", in: project, parameters: ["localId": "a/b {project}?"])
        #expect(call.path == "/v1/projects/demo/accounts/a%2Fb%20%7Bproject%7D%3F")
    }

    @Test("An unknown operation has no request")
    func unknown() {
        #expect(throws: OperationCatalog.UnknownOperation.self) { try catalog.call("signUp", in: project) }
    }

    @Test("A command line quotes every text for the shell")
    func curl() {
        let call = APICall(.post, "/v1/x", body: ["name": .string("it's $HOME")])
        let expected = """
            curl 'http://localhost/v1/x' \\
              -H 'Authorization: Bearer owner' \\
              -H 'Content-Type: application/json' \\
              -d '{"name":"it'\\''s $HOME"}'
            """
        #expect(CurlCommand.text(call, base: "http://localhost", bearer: "owner") == expected)
        let deletion = APICall(.delete, "/v1/x", query: [.init("a", "b c")], credential: .none)
        #expect(
            CurlCommand.text(deletion, base: "http://localhost", bearer: "owner")
                == "curl 'http://localhost/v1/x?a=b%20c' \\\n  -X DELETE")
    }
}
