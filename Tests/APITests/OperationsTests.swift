import HTTP
import Testing

@testable import API

@Suite("What operators and verifiers ask")
struct OperationsTests {
    static let documents = ProjectDocuments(
        openIDConfiguration: Array(#"{"issuer":"x"}"#.utf8), jwks: Array(#"{"keys":[]}"#.utf8),
        certificates: Array(#"{"k":"pem"}"#.utf8), maxAge: 300)

    @Test(
        "a document may be kept for a while",
        arguments: [
            ("/.well-known/openid-configuration", #"{"issuer":"x"}"#),
            ("/demo/.well-known/openid-configuration", #"{"issuer":"x"}"#),
            ("/.well-known/jwks.json", #"{"keys":[]}"#), ("/demo/.well-known/jwks.json", #"{"keys":[]}"#),
            ("/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", #"{"k":"pem"}"#),
            ("/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", #"{"k":"pem"}"#),
        ])
    func documents(path: String, body: String) async {
        let response = await TestGateway(documents: Self.documents).send(.get, path, query: [])
        #expect(response.status == 200)
        #expect(response.text == body)
        #expect(response.headers.values(of: "Cache-Control") == ["public, max-age=300"])
        #expect(response.headers["Content-Type"] == "application/json; charset=UTF-8")
        #expect(response.headers["Vary"] == "Origin")
    }

    @Test("a project nobody knows has none", arguments: ["/.well-known/jwks.json", "/none/.well-known/jwks.json"])
    func unknownProject(path: String) async {
        #expect(await TestGateway().send(.get, path, query: []).summary == "404 Not Found")
    }

    @Test("HEAD is answered as GET is")
    func head() async {
        #expect(await TestGateway().send(.head, "/healthz").status == 200)
    }

    @Test(
        "readiness names what is missing",
        arguments: [
            (Readiness(isDraining: false, databaseIsReachable: true, schemaIsCurrent: true), "200 ok\n"),
            (
                Readiness(isDraining: false, databaseIsReachable: false, schemaIsCurrent: false),
                "503 database: not reachable\n"
            ),
            (
                Readiness(isDraining: false, databaseIsReachable: true, schemaIsCurrent: false),
                "503 schema: not migrated\n"
            ),
            (Readiness(isDraining: true, databaseIsReachable: true, schemaIsCurrent: true), "503 draining\n"),
        ])
    func readiness(readiness: Readiness, expected: String) async {
        let gateway = TestGateway(readiness: readiness)
        #expect(await gateway.send(.get, "/readyz", query: []).summary == expected)
        #expect(await gateway.send(.get, "/healthz", query: []).summary == "200 ok\n")
    }
}
