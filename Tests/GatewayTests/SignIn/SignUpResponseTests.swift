import HTTP
import Identity
import Testing

@testable import Support

@Suite("Responses of signUp")
struct SignUpResponseTests {
    /// The expected outcome and body.
    ///
    /// - Parameter more: members of the JSON object before `expiresIn`, each followed by a comma.
    private static func response(_ tokens: TestGateway.Tokens, _ more: String = "") -> String {
        #"200 {\#(more)"expiresIn":"3600","idToken":"\#(tokens.idToken)","kind":"identitytoolkit#SignupNewUserResponse","localId":"\#(tokens.localId)","refreshToken":"\#(tokens.refreshToken)"}"#
    }

    private static let shared = Task { try await TestGateway.withDefaultPolicy() }

    @Test("signUp with email and password creates an account, and ignores members that clients may not set")
    func password() async throws {
        let gateway = try await TestGateway.withDefaultPolicy()
        let response = try await gateway.post(
            "/v1/accounts:signUp",
            text:
                #"{"email":"Eve@Example.com","password":"12345678","displayName":"Eve","emailVerified":true,"photoUrl":"http://x"}"#
        )
        let tokens = try TestGateway.Tokens(response)
        #expect(response.outcomeWithBody == Self.response(tokens, #""displayName":"Eve","email":"eve@example.com","#))
        let user = try await gateway.accountSeenByUser(tokens.idToken)
        #expect(user["emailVerified"] == false)
        #expect(user["photoUrl"] == nil)
    }

    @Test(
        "signUp without credentials creates an anonymous account",
        arguments: ["", #"{"returnSecureToken":true}"#, #"{"password":""}"#])
    func anonymous(body: String) async throws {
        let response = try await Self.shared.value.post("/v1/accounts:signUp", text: body)
        #expect(response.outcomeWithBody == Self.response(try TestGateway.Tokens(response)))
    }

    @Test("signUp with an ID token sets a password for that account")
    func upgrade() async throws {
        let gateway = try await TestGateway.withDefaultPolicy()
        let ada = try await gateway.signUp(password: "first secret")
        let upgraded = try TestGateway.Tokens(
            await gateway.post(
                "/v1/accounts:signUp",
                text: #"{"idToken":"\#(ada.idToken)","email":"ada@example.com","password":"12345678"}"#))
        #expect(upgraded.localId == ada.localId)
        #expect(try await gateway.lookup(upgraded.idToken).status == 200)
        #expect(try await gateway.signIn(password: "12345678").status == 200)
        #expect(try await gateway.signIn(password: "first secret").outcome == "400 INVALID_LOGIN_CREDENTIALS")
    }

    @Test(
        "signUp checks what the project allows before it checks the email address",
        arguments: [
            ("{}", "ADMIN_ONLY_OPERATION"), (#"{"email":""}"#, "ADMIN_ONLY_OPERATION"),
            (#"{"email":"eve","password":"1"}"#, "OPERATION_NOT_ALLOWED"),
        ])
    func policy(body: String, message: String) async throws {
        let gateway = try await TestGateway { policy in
            policy.allowsAnonymous = false
            policy.allowsPasswords = false
        }
        #expect(try await gateway.post("/v1/accounts:signUp", text: body).outcome == "400 \(message)")
    }
}
