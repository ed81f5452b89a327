import HTTP
import Identity
import Testing

@testable import Support

@Suite("signInWithPassword and token")
struct SignInResponseTests {
    /// A gateway with an account for ada@example.com.
    private static let shared = Task {
        let gateway = try await TestGateway.withDefaultPolicy()
        return (gateway, try await gateway.signUp(password: "first secret"))
    }

    @Test("A correct password signs in")
    func signIn() async throws {
        let (gateway, ada) = try await Self.shared.value
        let response = try await gateway.post(
            "/v1/accounts:signInWithPassword",
            text: #"{"email":"ADA@example.com","password":"first secret","captchaResponse":"x"}"#)
        let tokens = try TestGateway.Tokens(response)
        #expect(
            response.outcomeWithBody
                == #"200 {"email":"ada@example.com","expiresIn":"3600","idToken":"\#(tokens.idToken)","kind":"identitytoolkit#VerifyPasswordResponse","localId":"\#(ada.localId)","refreshToken":"\#(tokens.refreshToken)","registered":true}"#
        )
    }

    static let form: Headers = ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"]

    @Test(
        "A refresh token is accepted in a form and in JSON",
        arguments: [
            (form, "grant_type=refresh_token&refresh_token=TOKEN&other=x"),
            (form, "grantType=refresh_token&refreshToken=ENCODED"),
            (form, #"{"grant_type":"refresh_token","refresh_token":"TOKEN"}"#),
            ([:] as Headers, #"{"grant_type":"refresh_token","refresh_token":"TOKEN"}"#),
            (
                ["Content-Type": "application/json"] as Headers,
                #"{"grantType":"refresh_token","refreshToken":"TOKEN"}"#
            ),
        ])
    func refresh(headers: Headers, body: String) async throws {
        let (gateway, ada) = try await Self.shared.value
        let session = try TestGateway.Tokens(await gateway.signIn(password: "first secret"))
        let token = session.refreshToken
        // The token with its first character in percent-encoding.
        let encoded = "%\(token.hexOfFirstByte)\(token.dropFirst())"
        let text = body.replacing("TOKEN", with: token).replacing("ENCODED", with: encoded)
        let response = try await gateway.send(.post, "/v1/token", headers: headers, text: text)
        let idToken = try #require(response.json["id_token"]?.string, "\(response.text)")
        let refreshToken = try #require(response.json["refresh_token"]?.string)
        #expect(refreshToken != token, "each use of a refresh token returns a new one")
        #expect(
            response.outcomeWithBody
                == #"200 {"access_token":"\#(idToken)","expires_in":"3600","id_token":"\#(idToken)","project_id":"\#(gateway.realm.project.number)","refresh_token":"\#(refreshToken)","token_type":"Bearer","user_id":"\#(ada.localId)"}"#
        )
    }

    @Test(
        "The token endpoint reports invalid requests in the error format of the Secure Token service",
        arguments: [
            ("", "MISSING_GRANT_TYPE"), ("refresh_token=x", "MISSING_GRANT_TYPE"),
            ("grant_type=password", "INVALID_GRANT_TYPE"), ("grant_type=refresh_token", "MISSING_REFRESH_TOKEN"),
            ("grant_type=refresh_token&refresh_token=", "MISSING_REFRESH_TOKEN"),
            ("grant_type=refresh_token&refresh_token=x", "INVALID_REFRESH_TOKEN"),
            ("grant_type=%zz", "INVALID_ARGUMENT : The form is malformed."),
            ("grant_type=x&grant_type=y", "INVALID_ARGUMENT : A parameter is repeated."),
            (
                "refresh_token=" + String(repeating: "x", count: 16385),
                "Invalid JSON payload received. /refreshToken must not be longer than 16384 bytes"
            ),
        ])
    func tokenRejection(body: String, message: String) async throws {
        let (gateway, _) = try await Self.shared.value
        let response = try await gateway.send(.post, "/v1/token", headers: Self.form, text: body)
        #expect(response.outcome == "400 \(message)")
        #expect(response.text.contains(#""status":"INVALID_ARGUMENT""#))
        #expect(!response.text.contains(#""errors""#))
    }
}

extension String {
    fileprivate var hexOfFirstByte: String { String(utf8.first ?? 0, radix: 16) }
}
