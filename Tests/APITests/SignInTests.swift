import HTTP
import Testing

@testable import API

@Suite("signInWithPassword and token")
struct SignInTests {
    @Test("a right password signs in")
    func signIn() async {
        let response = await TestGateway().post(
            "accounts:signInWithPassword", #"{"email":"ADA@example.com","password":"right","captchaResponse":"x"}"#)
        #expect(
            response.summary
                == #"200 {"email":"ada@example.com","expiresIn":"3600","idToken":"id.ada.s1","kind":"identitytoolkit#VerifyPasswordResponse","localId":"ada","refreshToken":"refresh.s1.0","registered":true}"#
        )
    }

    @Test(
        "signInWithPassword refuses",
        arguments: [
            ("{}", "400 MISSING_EMAIL"), (#"{"email":""}"#, "400 INVALID_EMAIL"),
            (#"{"email":"ada@example.com"}"#, "400 MISSING_PASSWORD"),
            (#"{"email":"ada@example.com","password":"wrong"}"#, "400 INVALID_LOGIN_CREDENTIALS"),
            (#"{"idToken":"x"}"#, "501 idToken is not implemented."),
            (#"{"pending_id_token":"x"}"#, "501 pendingIdToken is not implemented."),
        ])
    func refusal(body: String, summary: String) async {
        #expect(await TestGateway().post("accounts:signInWithPassword", body).summary == summary)
    }

    static let form: Headers = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]

    @Test(
        "a refresh token is taken from a form and from JSON",
        arguments: [
            (form, "grant_type=refresh_token&refresh_token=refresh.s0.3&other=x"),
            (form, "grantType=refresh_token&refreshToken=refresh%2Es0%2E3"),
            (form, #"{"grant_type":"refresh_token","refresh_token":"refresh.s0.3"}"#),
            ([:] as Headers, #"{"grant_type":"refresh_token","refresh_token":"refresh.s0.3"}"#),
            (
                ["Content-Type": "application/json"] as Headers,
                #"{"grantType":"refresh_token","refreshToken":"refresh.s0.3"}"#
            ),
        ])
    func refresh(headers: Headers, body: String) async {
        let response = await TestGateway().send(.post, "/v1/token", headers: headers, body: body)
        #expect(
            response.summary
                == #"200 {"access_token":"id.ada.s0","expires_in":"3600","id_token":"id.ada.s0","project_id":"4815","refresh_token":"refresh.s0.4","token_type":"Bearer","user_id":"ada"}"#
        )
    }

    @Test(
        "token refuses in Secure Token's envelope",
        arguments: [
            ("", "MISSING_GRANT_TYPE"), ("refresh_token=x", "MISSING_GRANT_TYPE"),
            ("grant_type=password", "INVALID_GRANT_TYPE"), ("grant_type=refresh_token", "MISSING_REFRESH_TOKEN"),
            ("grant_type=refresh_token&refresh_token=", "MISSING_REFRESH_TOKEN"),
            ("grant_type=refresh_token&refresh_token=x", "INVALID_REFRESH_TOKEN"),
            ("grant_type=%zz", "Invalid JSON payload received. The form is malformed."),
            (
                "refresh_token=" + String(repeating: "x", count: 16385),
                "Invalid JSON payload received. /refreshToken must not be longer than 16384 bytes"
            ),
        ])
    func tokenRefusal(body: String, message: String) async {
        let response = await TestGateway().send(.post, "/v1/token", headers: Self.form, body: body)
        #expect(response.summary == "400 \(message)")
        #expect(response.text.contains(#""status":"INVALID_ARGUMENT""#))
        #expect(!response.text.contains(#""errors""#))
    }
}
