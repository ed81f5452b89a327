import Encoding
import HTTP
import Identity
import Storage
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

@Suite("Unsigned ID tokens", .serialized)
struct UnsignedTokenTests {
    /// Who sends the tokens, and how the gateway treats unsigned ones.
    enum Process: String, CaseIterable, Sendable {
        case serve, devWithSignedTokens, dev

        var mode: Mode {
            switch self {
            case .serve: .serve(at: "https://auth.example.com")
            case .devWithSignedTokens: .emulator(project: ID("demo"), signsTokens: true)
            case .dev: .emulator(project: ID("demo"))
            }
        }
    }

    private static func devGateway() async throws -> TestGateway { try await TestGateway(mode: Process.dev.mode) }

    /// Returns an unsigned token with the claims of `token`.
    private static func unsigned(_ token: String, change: (inout [String: JSON]) -> Void = { _ in }) throws -> String {
        guard case .object(var members) = try allClaims(of: token) else { return "" }
        change(&members)
        let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
        return "\(header).\(Base64URL.encode(try JSON.object(members).bytes))."
    }

    private static func allClaims(of token: String) throws -> JSON {
        let parts = token.split(separator: ".")
        return try JSON(try #require(Base64URL.decode(String(parts[1]))))
    }

    @Test(
        "serve and dev --signed-tokens reject an unsigned ID token in every operation; dev accepts it",
        arguments: Process.allCases, [nil, "acme"])
    func everyOperation(process: Process, tenant: String?) async throws {
        let fixture = try await OperationsWithIDToken(
            TestGateway(mode: process.mode, sms: TestGateway.sms) { policy in
                policy.emailEnumerationProtection = false
                policy.allowsPhoneNumbers = true
                policy.secondFactors = OperationsWithIDToken.secondFactors
            }, tenant: tenant)
        let operations: [OperationsWithIDToken.Operation] = try await fixture.operations()
        #expect(Set(operations.map(\.id)).subtracting(OperationsWithIDToken.bodies.keys) == [], "not in the table")
        #expect(operations.count >= 16)
        for operation in operations {
            let ada = try await fixture.signUp("\(operation.id).\(operation.member)@example.com")
            let body = try await fixture.body(for: operation, of: ada)
            let unsigned = try await fixture.call(operation, body, with: Self.unsigned(ada.idToken))
            guard process != .dev else {
                #expect(Self.isAccepted(unsigned), "\(operation.id) \(unsigned)")
                continue
            }
            #expect(unsigned == "400 INVALID_ID_TOKEN", "\(operation.id)")
            let signed = try await fixture.call(operation, body, with: ada.idToken)
            #expect(Self.isAccepted(signed), "\(operation.id) \(signed)")
        }
    }

    /// Whether the token was accepted. In these tests, Apple does not respond to the request of `revokeToken`, and has
    /// not signed the transaction of `setAppTransaction`.
    private static func isAccepted(_ outcome: String) -> Bool {
        outcome.hasPrefix("20") || outcome.hasPrefix("503 ")
            || outcome.hasPrefix("400 INVALID_IDP_RESPONSE : The text is not signed by the App Store")
    }

    @Test("dev issues unsigned ID tokens and session cookies on every path", arguments: [false, true])
    func issued(isSigned: Bool) async throws {
        let gateway = try await TestGateway(mode: .emulator(project: ID("demo"), signsTokens: isSigned))
        let ada = try await gateway.signUp()
        let custom = try await gateway.signIn(customToken: #"{"uid":"eve"}"#)
        let federated = try await gateway.signIn(gateway.googleCredential())
        let refreshed = try await gateway.refresh(ada.refreshToken)
        let cookie = try await Self.cookie(for: ada.idToken, at: gateway)
        let tokens = [
            ada.idToken, try await gateway.signIn().json["idToken"]?.string, custom.json["idToken"]?.string,
            federated.json["idToken"]?.string, refreshed.json["id_token"]?.string,
            refreshed.json["access_token"]?.string, cookie.json["sessionCookie"]?.string,
        ]
        for token in tokens {
            let token = try #require(token)
            #expect(token.hasSuffix(".") == !isSigned)
            if !isSigned { #expect(try header(of: token) == ["alg": "none", "typ": "JWT"]) }
        }
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: String
        let change: @Sendable (inout [String: JSON]) -> Void

        init(
            _ description: String, _ expected: String = "400 INVALID_ID_TOKEN",
            _ change: @escaping @Sendable (inout [String: JSON]) -> Void
        ) {
            (testDescription, self.expected, self.change) = (description, expected, change)
        }
    }

    @Test(
        "dev checks every claim of an unsigned ID token as it checks those of a signed one",
        arguments: [
            Row("unchanged", "200") { _ in },
            Row("another name", "200") { $0["name"] = "Eve" },
            Row("another issuer") { $0["iss"] = "https://securetoken.google.com/other" },
            Row("the issuer of session cookies") { $0["iss"] = "https://session.firebase.google.com/demo" },
            Row("another audience") { $0["aud"] = "other" },
            Row("a list of audiences") { $0["aud"] = ["demo"] },
            // The time at which `TestClock` starts is 1,800,000,000 s.
            Row("expired") { $0["exp"] = 1_800_000_000 },
            Row("no expiry") { $0["exp"] = nil },
            Row("no session") { $0["sid"] = nil },
            Row("a session that is not a UUID") { $0["sid"] = "current" },
            Row("an unknown session", "400 TOKEN_EXPIRED") { $0["sid"] = "0b8fcf3c-6d0c-4a50-9b9e-2f1f7d1f9c11" },
            Row("another account", "400 USER_NOT_FOUND") { $0["sub"] = "eve" },
            Row("a tenant", "400 TENANT_ID_MISMATCH") { $0["firebase"] = ["tenant": "acme"] },
            Row("no member firebase") { $0["firebase"] = nil },
        ])
    func claims(row: Row) async throws {
        let gateway = try await Self.devGateway()
        let ada = try await gateway.signUp()
        let token = try Self.unsigned(ada.idToken, change: row.change)
        #expect(try await gateway.lookup(token).outcome == row.expected)
        #expect(try await Self.cookie(for: token, at: gateway).outcome.hasPrefix(String(row.expected.prefix(3))))
    }

    @Test("An unsigned ID token names its own session, and only while the session is active")
    func session() async throws {
        let gateway = try await Self.devGateway()
        let (ada, eve) = (try await gateway.signUp(), try await gateway.signUp(email: "eve@example.com"))
        let sessionOfEve = try Self.allClaims(of: eve.idToken)["sid"]
        let mixed = try Self.unsigned(ada.idToken) { $0["sid"] = sessionOfEve }
        #expect(try await gateway.lookup(mixed).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.post("/v1/accounts:revokeSession", ["idToken": .string(ada.idToken)]).status == 400)
        let revoked = try await gateway.post(
            "/v1/accounts:revokeSession", ["idToken": .string(ada.idToken), "everywhere": true])
        #expect(revoked.isSuccess)
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test(
        "dev rejects a token whose header does not name the algorithm none, or that has an invalid signature",
        arguments: [#"{"alg":"None","typ":"JWT"}"#, #"{"alg":"RS256","typ":"JWT"}"#, #"{"typ":"JWT"}"#, "{}"])
    func headers(header: String) async throws {
        let gateway = try await Self.devGateway()
        let ada = try await gateway.signUp()
        let token = "\(Base64URL.encode(Array(header.utf8))).\(ada.idToken.split(separator: ".")[1])."
        #expect(try await gateway.lookup(token).outcome == "400 INVALID_ID_TOKEN")
        #expect(try await gateway.lookup(ada.idToken + "AAAA").outcome == "400 INVALID_ID_TOKEN")
        let bare = String(decoding: try Self.allClaims(of: ada.idToken).bytes, as: UTF8.self)
        #expect(try await gateway.lookup(bare).outcome == "400 INVALID_ID_TOKEN", "claims without a header")
    }

    @Test("A session cookie of dev has the claims of the session, not those that an unsigned ID token adds")
    func cookieClaims() async throws {
        let gateway = try await Self.devGateway()
        let answer = try await gateway.signIn(customToken: #"{"uid":"ada","claims":{"role":"reader"}}"#)
        let token = try Self.unsigned(try #require(answer.json["idToken"]?.string)) {
            $0["role"] = "owner"
            $0["admin"] = true
            $0["email"] = "ada@example.com"
        }
        let cookie = try await Self.cookie(for: token, at: gateway)
        let claims = try Self.allClaims(of: try #require(cookie.json["sessionCookie"]?.string))
        #expect(claims["role"] == "reader")
        #expect(claims.keys.isDisjoint(with: ["admin", "email"]))
    }

    private static func cookie(for idToken: String, at gateway: TestGateway) async throws -> Exchange {
        try await gateway.send(
            .post, SessionCookieTests.path, body: try JSON.object(["idToken": .string(idToken)]).bytes, query: [],
            headers: ["Authorization": "Bearer owner"])
    }
}
