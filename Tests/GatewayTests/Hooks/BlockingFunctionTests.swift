import Encoding
import HTTP
import Identity
import Postgres
import Synchronization
import Testing

@testable import Gateway
@testable import Support

@Suite("Blocking functions")
struct BlockingFunctionTests {
    @Test("A sign-up asks beforeCreate and beforeSignIn with the future account, a sign-in only beforeSignIn")
    func order() async throws {
        let fixture = try await HookFixture()
        let ada = try await fixture.gateway.signUp()
        #expect(fixture.server.events == ["beforeCreate", "beforeSignIn"])
        let first = try #require(fixture.server.calls.first).claims
        #expect(first["iss"] == "https://auth.example.com/demo")
        #expect(first["aud"]?.string == HookFixture.url)
        #expect(first["sub"]?.string == ada.localId)
        #expect(first["sign_in_method"] == "password")
        #expect(first["user_agent"]?.string != nil)
        let record = try #require(first["user_record"])
        #expect(record["uid"]?.string == ada.localId)
        #expect(record["email"] == "ada@example.com")
        #expect(record["provider_data"] == [])
        #expect(record["metadata"]?["creation_time"] != nil)
        #expect(!fixture.server.calls[0].text.contains("argon2"))
        #expect(try await fixture.gateway.signIn().status == 200)
        #expect(fixture.server.events == ["beforeCreate", "beforeSignIn", "beforeSignIn"])
        for count in [2, 1] {
            let before = fixture.server.calls.count
            #expect(try await fixture.gateway.signIn(fixture.gateway.googleCredential()).status == 200)
            #expect(fixture.server.calls.count == before + count)
        }
        let google = try #require(fixture.server.calls.last).claims
        #expect(google["sign_in_method"] == "google.com")
        #expect(google["raw_user_info"]?.string != nil)
        #expect(google["oauth_id_token"] == nil, "tokens are not forwarded")
        let count = fixture.server.calls.count
        _ = try await fixture.gateway.signUpAnonymously()
        #expect(try await fixture.gateway.refresh(ada.refreshToken).status == 200)
        #expect(fixture.server.calls.count == count)
    }

    @Test("A refusal creates no account, and shows the function's message")
    func refusal() async throws {
        let fixture = try await HookFixture()
        fixture.server.answer { _ in
            ClientResponse(
                status: 403,
                body: Array(#"{"error":{"status":"PERMISSION_DENIED","message":"Only members","secret":1}}"#.utf8))
        }
        let refused = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        #expect(refused.status == 400)
        let message = refused.json["error"]?["message"]?.string ?? ""
        #expect(
            message.hasPrefix("BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: {\"error\":"))
        #expect(message.contains("Only members") && !message.contains("secret"))
        #expect(!message.contains("hooks.example.com"))
        let rows = try await fixture.gateway.database.pool.query("SELECT FROM account")
        #expect(rows.isEmpty)
    }

    struct Failure: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: Int
        var isFault = false
        let response: @Sendable () throws -> ClientResponse
    }

    @Test(
        "What other answers mean",
        arguments: [
            Failure(testDescription: "no JSON error", status: 400) {
                ClientResponse(status: 500, body: Array("x".utf8))
            },
            Failure(testDescription: "a redirect", status: 503) {
                ClientResponse(status: 302, headers: ["Location": "https://x.example.com"])
            },
            Failure(testDescription: "late", status: 503) { throw ClientFault.timedOut },
            Failure(testDescription: "not reachable", status: 503) { throw ClientFault.unreachable },
            Failure(testDescription: "a private address", status: 503) { throw ClientFault.destinationNotAllowed },
            Failure(testDescription: "too long", status: 503) { throw ClientFault.tooLarge },
            Failure(testDescription: "not JSON", status: 503) { ClientResponse(status: 200, body: Array("x".utf8)) },
            Failure(testDescription: "no mask", status: 400) {
                ClientResponse(status: 200, body: Array(#"{"userRecord":{"displayName":"x"}}"#.utf8))
            },
            Failure(testDescription: "another type", status: 400) {
                ClientResponse(
                    status: 200, body: Array(#"{"userRecord":{"updateMask":"disabled","disabled":"true"}}"#.utf8))
            },
        ])
    func failures(row: Failure) async throws {
        let fixture = try await HookFixture()
        fixture.server.answer { _ in try row.response() }
        let response = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        #expect(response.status == row.status, "\(response.text)")
        #expect(!response.text.contains("hooks.example.com"))
        if row.status == 503 { #expect(response.headers["Retry-After"] != nil) }
        #expect(fixture.server.calls.count == 1, "it is not repeated")
    }

    @Test("Both names of the photo work, beforeSignIn wins, and unknown members are ignored")
    func changes() async throws {
        let fixture = try await HookFixture()
        fixture.server.answer { call in
            let record: String =
                call.event == "beforeCreate"
                ? #"{"updateMask":"displayName,photoURL,customClaims","displayName":"A","photoURL":"https://p.example/1","customClaims":{"role":"a"}}"#
                : #"{"updateMask":"displayName,photoUrl,sessionClaims,email,localId","displayName":"B","photoUrl":"https://p.example/2","sessionClaims":{"sc":1},"email":"eve@example.com","localId":"x"}"#
            return ClientResponse(status: 200, body: Array(#"{"userRecord":\#(record)}"#.utf8))
        }
        let ada = try await fixture.gateway.signUp()
        let seen = try #require(fixture.server.calls.last).claims["user_record"]
        #expect(seen?["display_name"] == "A", "beforeSignIn sees what beforeCreate changed")
        let info = try await fixture.account(ada)
        #expect(info["displayName"] == "B")
        #expect(info["photoUrl"] == "https://p.example/2")
        #expect(info["email"] == "ada@example.com")
        let token = try claims(of: ada.idToken)
        #expect(token["role"] == "a" && token["sc"] == 1)
        let refreshed = try TestGateway.Tokens(await fixture.gateway.refresh(ada.refreshToken))
        #expect(try claims(of: refreshed.idToken)["sc"] == 1, "session claims live in the session")
    }

    @Test("A disabled account is stored, and the answer is USER_DISABLED")
    func disabled() async throws {
        let fixture = try await HookFixture()
        fixture.server.answer { _ in
            ClientResponse(
                status: 200, body: Array(#"{"userRecord":{"updateMask":"disabled","disabled":true}}"#.utf8))
        }
        let response = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        #expect(response.wireCode == "USER_DISABLED")
        let rows = try await fixture.gateway.database.pool.query("SELECT FROM account WHERE disabled_at IS NOT NULL")
        #expect(rows.count == 1)
        #expect(fixture.server.events == ["beforeCreate"])
    }

    @Test(
        "Claims have limits, each and together, and reserved names",
        arguments: [
            (#"{"updateMask":"customClaims","customClaims":{"a":"\#(String(repeating: "x", count: 992))"}}"#, 200),
            (#"{"updateMask":"customClaims","customClaims":{"a":"\#(String(repeating: "x", count: 993))"}}"#, 400),
            (
                #"{"updateMask":"customClaims,sessionClaims","customClaims":{"a":"\#(String(repeating: "x", count: 600))"},"sessionClaims":{"b":"\#(String(repeating: "x", count: 600))"}}"#,
                400
            ),
            (#"{"updateMask":"sessionClaims","sessionClaims":{"sid":"x"}}"#, 400),
            (#"{"updateMask":"sessionClaims","sessionClaims":{"user_id":"x"}}"#, 400),
            (#"{"updateMask":"customClaims","customClaims":{"firebase":{}}}"#, 400),
        ])
    func claimLimits(record: String, status: Int) async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        fixture.server.answer { _ in ClientResponse(status: 200, body: Array(#"{"userRecord":\#(record)}"#.utf8)) }
        let response = try await fixture.gateway.post(
            "/v1/accounts:signUp", ["email": "ada@example.com", "password": "secret1"])
        #expect(response.status == status, "\(response.text)")
    }

    @Test("A function's word that an address is verified links no other identity")
    func verified() async throws {
        let fixture = try await HookFixture(["beforeCreate"])
        fixture.server.answer { _ in
            ClientResponse(
                status: 200, body: Array(#"{"userRecord":{"updateMask":"emailVerified","emailVerified":true}}"#.utf8))
        }
        let ada = try await fixture.gateway.signUp()
        #expect(try await fixture.account(ada)["emailVerified"] == true)
        #expect(fixture.server.calls.count == 1)
    }

    @Test("The configuration needs trust, and rejects other events and URLs")
    func configuration() async throws {
        let fixture = try await HookFixture()
        for (name, url, code) in [
            ("beforeFoo", HookFixture.url, "INVALID_BLOCKING_FUNCTION"),
            ("beforeCreate", "http://hooks.example.com/", "INVALID_BLOCKING_FUNCTION"),
            ("beforeCreate", "hooks", "INVALID_BLOCKING_FUNCTION"),
        ] {
            let response = try await fixture.configurator.send(
                .patch, "config", ["blockingFunctions": ["triggers": .object([name: ["functionUri": .string(url)]])]],
                mask: "blockingFunctions")
            #expect(response.wireCode == code, "\(response.text)")
        }
        let key = try await ServiceKey(id: "limited", in: fixture.gateway, scopes: ServiceKeyScopes([.config]))
        let limited = try await Configurator(gateway: fixture.gateway, serviceKey: key).send(
            .patch, "config", ["blockingFunctions": [:]], mask: "blockingFunctions")
        #expect(limited.wireCode == "PERMISSION_DENIED", "\(limited.text)")
        let shown = try await fixture.configurator.send(.get, "config").json["blockingFunctions"]
        #expect(shown?["triggers"]?["beforeCreate"]?["functionUri"]?.string == HookFixture.url)
        let removed = try await fixture.configurator.send(
            .patch, "config", ["blockingFunctions": [:]], mask: "blockingFunctions")
        #expect(removed.status == 200)
        _ = try await fixture.gateway.signUp()
        #expect(fixture.server.calls.isEmpty)
    }

    @Test("Known and unknown addresses cause the same calls of beforeSendEmail, and the same answers")
    func emails() async throws {
        let fixture = try await HookFixture(["beforeSendEmail"])
        _ = try await fixture.gateway.signUp()
        var answers: [Int] = []
        for email in ["ada@example.com", "nobody@example.com"] {
            answers.append(
                try await fixture.gateway.post(
                    "/v1/accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": .string(email)]
                ).status)
        }
        #expect(answers == [200, 200])
        let calls = fixture.server.calls.map(\.claims)
        #expect(calls.map { $0["email"]?.string } == ["ada@example.com", "nobody@example.com"])
        #expect(
            calls.allSatisfy { $0["email_type"] == "EMAIL_SIGN_IN" && $0["user_record"] == nil && $0["sub"] == nil })
    }

    @Test("A hook token is not accepted as an ID token")
    func hookToken() async throws {
        let fixture = try await HookFixture()
        _ = try await fixture.gateway.signUp()
        let token = try #require(fixture.server.calls.first).token
        let response = try await fixture.gateway.post("/v1/accounts:lookup", ["idToken": .string(token)])
        #expect(response.wireCode == "INVALID_ID_TOKEN")
    }
}

/// A gateway whose project has blocking functions, and their server.
struct HookFixture: Sendable {
    static let url = "https://hooks.example.com/function"

    let server = HookServer()
    let configurator: Configurator

    var gateway: TestGateway { configurator.gateway }

    init(_ events: [String] = ["beforeCreate", "beforeSignIn"]) async throws {
        let server = server
        let gateway = try await TestGateway(callbackResponse: { try await server.respond(to: $0) })
        configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(id: "hooks", in: gateway))
        let triggers = Dictionary(
            uniqueKeysWithValues: events.map { ($0, ["functionUri": .string(Self.url)] as JSON) })
        let configured = try await configurator.send(
            .patch, "config", ["blockingFunctions": ["triggers": .object(triggers)]], mask: "blockingFunctions")
        #expect(configured.status == 200, "\(configured.text)")
    }
}

extension HookFixture {
    func account(_ tokens: TestGateway.Tokens) async throws -> JSON {
        try await gateway.lookup(tokens.idToken).json["users"]?[0] ?? .null
    }
}

/// The server of blocking functions, which records the calls.
final class HookServer: Sendable {
    struct Call: Sendable {
        let token: String

        var text: String {
            let part = token.split(separator: ".", omittingEmptySubsequences: false)[1]
            return String(decoding: Base64URL.decode(String(part)) ?? [], as: UTF8.self)
        }

        var claims: JSON { (try? JSON(Array(text.utf8))) ?? .null }
        var event: String { claims["event_type"]?.string ?? "" }
    }

    private let received = Mutex<[Call]>([])
    private let response = Mutex<@Sendable (Call) throws -> ClientResponse>({ _ in
        ClientResponse(status: 200, body: Array("{}".utf8))
    })

    var calls: [Call] { received.withLock { $0 } }
    var events: [String] { calls.map(\.event) }

    func answer(_ response: @escaping @Sendable (Call) throws -> ClientResponse) {
        self.response.withLock { $0 = response }
    }

    func respond(to request: ClientRequest) async throws -> ClientResponse {
        let body = try JSON(request.body)
        let call = Call(token: body["data"]?["jwt"]?.string ?? "")
        received.withLock { $0.append(call) }
        return try response.withLock { $0 }(call)
    }
}
