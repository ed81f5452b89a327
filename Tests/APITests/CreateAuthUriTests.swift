import HTTP
import Identity
import Testing

@testable import API

@Suite("createAuthUri")
struct CreateAuthUriTests {
    @Test(
        "tells what a project lets it tell",
        arguments: [
            (true, "ada@example.com", #"{"kind":"identitytoolkit#CreateAuthUriResponse","sessionId":"random"}"#),
            (
                false, "ada@example.com",
                #"{"allProviders":["password"],"kind":"identitytoolkit#CreateAuthUriResponse","registered":true,"sessionId":"random","signinMethods":["password"]}"#
            ),
            (
                false, "eve@example.com",
                #"{"allProviders":[],"kind":"identitytoolkit#CreateAuthUriResponse","registered":false,"sessionId":"random","signinMethods":[]}"#
            ),
        ])
    func methods(emailEnumerationProtection: Bool, identifier: String, body: String) async {
        let response = await TestGateway { $0.emailEnumerationProtection = emailEnumerationProtection }.post(
            "accounts:createAuthUri", #"{"identifier":"\#(identifier)","continueUri":"http://localhost"}"#)
        #expect(response.summary == "200 \(body)")
    }

    @Test(
        "takes any absolute URI to come back to",
        arguments: ["https://app.example.com/a?b#c", "capacitor://localhost", "com.example.app-1+x:/done", "A:b"])
    func continueURI(uri: String) async {
        let body = #"{"identifier":"ada@example.com","continueUri":"\#(uri)"}"#
        #expect(await TestGateway().post("accounts:createAuthUri", body).status == 200)
    }

    @Test(
        "refuses, in this order",
        arguments: [
            (
                #"{"providerId":"apple.com"}"#,
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
    func refusal(body: String, summary: String) async {
        #expect(await TestGateway().post("accounts:createAuthUri", body).summary == summary)
    }
}
