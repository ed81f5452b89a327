import FoundationEssentials
import HTTP
import Identity
import JOSE
import Postgres
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

@Suite("Session cookies", .serialized)
struct SessionCookieTests {
    static let path = "/v1/projects/demo:createSessionCookie"

    @Test(
        "A session cookie has the ID token's claims, its own issuer and the requested lifetime",
        // The default is the longest lifetime: fourteen days.
        arguments: [(nil, 1_209_600), ("300", 300), (600, 600), ("1209600", 1_209_600)] as [(JSON?, Int)])
    func contents(duration: JSON?, seconds: Int) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let token = try backend.customToken(claims: ["role": "editor"], at: gateway.clock.now)
        let idToken = try #require(try await gateway.signIn(customToken: token).json["idToken"]?.string)
        gateway.clock.advance(by: .seconds(100))
        var body: [String: JSON] = ["idToken": .string(idToken)]
        body["validDuration"] = duration
        let answer = try await gateway.send(.post, Self.path, .object(body), by: backend)
        #expect(answer.json.keys == ["sessionCookie"])
        let cookie = try #require(answer.json["sessionCookie"]?.string)
        let (before, after) = (try claims(of: idToken), try claims(of: cookie))
        #expect(after.keys == before.keys)
        for name in before.keys.subtracting(["iss", "iat", "exp"]) { #expect(after[name] == before[name], "\(name)") }
        #expect(after["iss"] == "https://auth.example.com/demo/session")
        // `TestClock` starts at 1,800,000,000 s.
        #expect(after["iat"] == 1_800_000_100)
        #expect(after["exp"] == .number(Double(1_800_000_100 + seconds)))
        #expect(try header(of: cookie)["typ"] == nil)
    }

    @Test("Session cookies are signed with a published key")
    func keys() async throws {
        let gateway = try await TestGateway()
        let cookie = try await gateway.sessionCookie()
        let published = try await gateway.getWithoutAPIKey("/identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys")
        #expect(published.json["keys"]?[0]?["kid"] == (try header(of: cookie))["kid"])
        let key = try #require(try published.jwks().first?.publicKey())
        _ = try UnverifiedJWS(parsing: cookie).payload(verifiedWith: key)
        let certificates = try await gateway.getWithoutAPIKey("/identitytoolkit/v3/relyingparty/publicKeys")
        #expect(certificates.json.keys.contains(try #require(try header(of: cookie)["kid"]?.string)))
    }

    @Test(
        "A session cookie is not accepted as an ID token, custom token or refresh token, in dev mode or in production",
        arguments: [false, true])
    func notAnIDToken(isDev: Bool) async throws {
        let gateway = try await TestGateway(
            mode: isDev ? .emulator(project: ID("demo")) : .serve(at: "https://auth.example.com"))
        let backend = try await ServiceKey(in: gateway)
        let idToken = try await gateway.signUp().idToken
        let headers: Headers = ["Authorization": isDev ? "Bearer owner" : "Bearer \(backend.secret)"]
        func makeCookie(_ token: String) async throws -> Exchange {
            try await gateway.send(
                .post, Self.path, body: try JSON.object(["idToken": .string(token)]).bytes, query: [], headers: headers)
        }
        let cookie = try #require(try await makeCookie(idToken).json["sessionCookie"]?.string)
        #expect(try await gateway.lookup(cookie).outcome == "400 INVALID_ID_TOKEN")
        #expect(try await gateway.update(cookie, ["displayName": "Eve"]).outcome == "400 INVALID_ID_TOKEN")
        #expect(try await gateway.delete(cookie).outcome == "400 INVALID_ID_TOKEN")
        #expect(
            try await makeCookie(cookie).outcome == "400 INVALID_ID_TOKEN", "a cookie cannot be exchanged for another")
        #expect(try await gateway.signIn(customToken: cookie).status == 400)
        #expect(try await gateway.refresh(cookie).outcome == "400 INVALID_REFRESH_TOKEN")
        #expect(
            try claims(of: cookie)["iss"] != (try claims(of: idToken))["iss"],
            "backends that verify ID tokens reject the cookie")
        let issuer = isDev ? "https://session.firebase.google.com/demo" : "https://auth.example.com/demo/session"
        #expect(try claims(of: cookie)["iss"] == .string(issuer))
    }

    @Test(
        "createSessionCookie checks its members in the order of the wire protocol",
        arguments: [
            ([:], "400 MISSING_ID_TOKEN"),
            (["idToken": "", "validDuration": "1"], "400 MISSING_ID_TOKEN"),
            (["idToken": "x", "validDuration": "299"], "400 INVALID_DURATION"),
            (["idToken": "x", "validDuration": 1_209_601], "400 INVALID_DURATION"),
            (["idToken": "x", "validDuration": "9223372036854775807"], "400 INVALID_DURATION"),
            (["idToken": "x", "validDuration": "a day"], "400 INVALID_DURATION"),
            (["idToken": "x", "validDuration": "-300"], "400 INVALID_DURATION"),
            (["idToken": "x"], "400 INVALID_ID_TOKEN"),
            (["idToken": "x", "targetProjectId": "other"], "403 The caller does not have permission"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        #expect(try await gateway.send(.post, Self.path, body, by: backend).outcome == expected)
    }

    @Test("Cookies are created only for a valid session of an enabled account, by a backend of the project")
    func access() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let tokens = try await gateway.signUp()
        let body: JSON = ["idToken": .string(tokens.idToken)]
        #expect(try await gateway.post(Self.path, body).status == 400)
        #expect(try await gateway.post(Self.path, body, key: nil).status == 403)
        let elsewhere = try await gateway.send(.post, "/v1/projects/other:createSessionCookie", body, by: backend)
        #expect(elsewhere.status == 403)
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        #expect(try await gateway.send(.post, Self.path, body, by: backend).outcome == "400 USER_DISABLED")
        // A new generation ends all sessions of the account.
        _ = try await gateway.database.pool.execute(
            "UPDATE account SET disabled_at = NULL, generation = generation + 1")
        #expect(try await gateway.send(.post, Self.path, body, by: backend).outcome == "400 TOKEN_EXPIRED")
        let again = try TestGateway.Tokens(await gateway.signIn())
        gateway.clock.advance(by: .seconds(3600))
        let expired = try await gateway.send(.post, Self.path, ["idToken": .string(again.idToken)], by: backend)
        #expect(expired.outcome == "400 INVALID_ID_TOKEN")
    }
}

extension TestGateway {
    /// Signs up, and creates a session cookie for the new session.
    fileprivate func sessionCookie() async throws -> String {
        let backend = try await ServiceKey(in: self)
        let idToken = try await signUp().idToken
        let answer = try await send(
            .post, SessionCookieTests.path, ["idToken": .string(idToken)], by: backend)
        return try #require(answer.json["sessionCookie"]?.string)
    }
}

extension Exchange {
    /// The keys of a response that is a JWK set.
    fileprivate func jwks() throws -> [JWK] {
        try JSONDecoder().decode(JWKSet.self, from: Data(body)).keys
    }
}
