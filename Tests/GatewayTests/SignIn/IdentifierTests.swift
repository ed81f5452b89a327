import HTTP
import Identity
import Testing

@testable import Support

@Suite("createAuthUri for an identifier")
struct IdentifierTests {
    private static let shared = Task { try await TestGateway() }

    @Test(
        "createAuthUri returns sign-in methods unless the project has email enumeration protection",
        arguments: [
            (true, "ada@example.com", #"{"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"random"}"#),
            (true, "eve@example.com", #"{"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"random"}"#),
            (
                false, "ADA@example.com",
                #"{"allProviders":["password"],"kind":"identitytoolkit#CreateAuthUriResponse","registered":true,"sessionId":"random","signinMethods":["password"]}"#
            ),
            (
                false, "eve@example.com",
                #"{"allProviders":[],"kind":"identitytoolkit#CreateAuthUriResponse","registered":false,"sessionId":"random","signinMethods":[]}"#
            ),
        ])
    func methods(emailEnumerationProtection: Bool, identifier: String, body: String) async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = emailEnumerationProtection }
        _ = try await gateway.signUp()
        let response = try await gateway.post(
            "/v1/accounts:createAuthUri", text: #"{"identifier":"\#(identifier)","continueUri":"http://localhost"}"#)
        #expect(
            response.outcomeWithBody.replacing(#/"sessionId":"[A-Za-z0-9]{27}"/#, with: #""sessionId":"random""#)
                == "200 \(body)")
    }

    @Test(
        "createAuthUri accepts absolute continue URIs of any scheme",
        arguments: ["https://app.example.com/a?b#c", "capacitor://localhost", "com.example.app-1+x:/done", "A:b"])
    func continueURI(uri: String) async throws {
        let body = #"{"identifier":"ada@example.com","continueUri":"\#(uri)"}"#
        #expect(try await Self.shared.value.post("/v1/accounts:createAuthUri", text: body).status == 200)
    }

    @Test(
        "createAuthUri checks its members in the order of the wire protocol",
        arguments: [
            (
                #"{"providerId":"oidc.corp"}"#,
                "400 OPERATION_NOT_ALLOWED : The identity provider configuration is not found."
            ),
            ("{}", "400 MISSING_IDENTIFIER"), (#"{"identifier":"x"}"#, "400 MISSING_CONTINUE_URI"),
            (#"{"identifier":"x","continueUri":"y"}"#, "400 INVALID_IDENTIFIER"),
            (#"{"identifier":"a@b.example","continueUri":"y"}"#, "400 INVALID_CONTINUE_URI"),
            (#"{"identifier":"a@b.example","continueUri":"//host"}"#, "400 INVALID_CONTINUE_URI"),
            (#"{"identifier":"a@b.example","continueUri":"http://a b"}"#, "400 INVALID_CONTINUE_URI"),
            (#"{"identifier":"a@b.example","continueUri":"1http://a"}"#, "400 INVALID_CONTINUE_URI"),
            (#"{"identifier":"a@b.example","continueUri":"a_b://c"}"#, "400 INVALID_CONTINUE_URI"),
            (#"{"identifier":"a@b.example","continueUri":"a:"}"#, "400 INVALID_CONTINUE_URI"),
        ])
    func rejection(body: String, outcome: String) async throws {
        #expect(try await Self.shared.value.post("/v1/accounts:createAuthUri", text: body).outcome == outcome)
    }
}
