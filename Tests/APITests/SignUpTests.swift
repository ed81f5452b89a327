import HTTP
import Identity
import Testing

@testable import API

@Suite("signUp")
struct SignUpTests {
    static let tokens = #""expiresIn":"3600","idToken":"id.new.s1","kind":"identitytoolkit#SignupNewUserResponse""#

    @Test("with e-mail and password makes an account of both")
    func password() async {
        let response = await TestGateway().post(
            "accounts:signUp",
            #"{"email":"Eve@Example.com","password":"12345678","displayName":"Eve","emailVerified":true,"photoUrl":"http://x"}"#
        )
        #expect(
            response.summary
                == #"200 {"displayName":"Eve","email":"eve@example.com",\#(Self.tokens),"localId":"new","refreshToken":"refresh.s1.0"}"#
        )
    }

    @Test(
        "with nothing makes an anonymous account", arguments: ["", #"{"returnSecureToken":true}"#, #"{"password":""}"#])
    func anonymous(body: String) async {
        let response = await TestGateway().post("accounts:signUp", body)
        #expect(response.summary == #"200 {\#(Self.tokens),"localId":"new","refreshToken":"refresh.s1.0"}"#)
    }

    @Test("with an ID token gives that account a password")
    func upgrade() async {
        let gateway = TestGateway()
        let response = await gateway.post(
            "accounts:signUp",
            #"{"idToken":"\#(TestGateway.adaToken)","email":"ada@example.com","password":"12345678"}"#)
        #expect(response.text.contains(#""idToken":"id.ada.s1""#))
        #expect(gateway.store.changes.count == 1)
        #expect(gateway.store.changes.first?.passwordHash == .set("hash"))
    }

    @Test(
        "refuses",
        arguments: [
            (#"{"localId":"me"}"#, "UNEXPECTED_PARAMETER : User ID"),
            (#"{"email":"eve@example.com"}"#, "MISSING_PASSWORD"),
            (#"{"password":"12345678"}"#, "MISSING_EMAIL"),
            (#"{"email":"eve","password":"12345678"}"#, "INVALID_EMAIL"),
            (#"{"email":"","password":""}"#, "INVALID_EMAIL"),
            (#"{"email":"ada@example.com","password":"12345678"}"#, "EMAIL_EXISTS"),
            (
                #"{"email":"eve@example.com","password":"1234567"}"#,
                "WEAK_PASSWORD : Password should be at least 8 characters"
            ),
            (#"{"idToken":"id","email":"eve@example.com","password":"12345678"}"#, "INVALID_ID_TOKEN"),
        ])
    func refusal(body: String, message: String) async {
        #expect(await TestGateway().post("accounts:signUp", body).summary == "400 \(message)")
    }

    @Test(
        "says what a project does not allow before it looks at the address",
        arguments: [
            ("{}", "ADMIN_ONLY_OPERATION"), (#"{"email":""}"#, "ADMIN_ONLY_OPERATION"),
            (#"{"email":"eve","password":"1"}"#, "OPERATION_NOT_ALLOWED"),
        ])
    func policy(body: String, message: String) async {
        let gateway = TestGateway { policy in
            policy.allowsAnonymous = false
            policy.allowsPasswords = false
        }
        #expect(await gateway.post("accounts:signUp", body).summary == "400 \(message)")
    }
}
