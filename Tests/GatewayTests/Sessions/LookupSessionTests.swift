import HTTP
import Identity
import Postgres
import Providers
import Simulators
import Testing

@testable import Support

extension TestGateway {
    /// Asks for the state of the session of a token or a session cookie, as a backend does.
    ///
    /// - Parameter more: further members of the request.
    func lookUpSession(of token: String, by key: ServiceKey, _ more: [String: JSON] = [:]) async throws -> Exchange {
        let sid = try #require(try claims(of: token)["sid"]?.string)
        return try await send(
            .post, LookupSessionTests.path, .object(more.merging(["sessionId": .string(sid)]) { given, _ in given }),
            by: key)
    }
}

@Suite("A backend looks up a session")
struct LookupSessionTests {
    static let path = "/v1/projects/demo/sessions:lookup"

    struct End: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The expected members of the response; `localId` is not compared.
        let expected: JSON
        var method = ProviderID.password
        let perform: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Void
    }

    // The session begins at 1,800,000,000 s, the time of `TestClock`, and ends 100 s later.
    private static func ended(_ reason: String) -> JSON {
        ["active": false, "endedAt": "2027-01-15T08:01:40.000Z", "endReason": .string(reason)]
    }

    static let ends = [
        End(testDescription: "active", expected: ["active": true]) { _, _ in },
        End(testDescription: "signed out", expected: ended("REVOKED")) {
            _ = try await $0.post(
                "/v1/accounts:revokeSession", ["idToken": .string($1.idToken), "sessionId": "current"])
        },
        End(testDescription: "signed out everywhere", expected: ended("ALL_REVOKED")) {
            _ = try await $0.post("/v1/accounts:revokeSession", ["idToken": .string($1.idToken), "everywhere": true])
        },
        End(testDescription: "new password", expected: ended("ALL_REVOKED")) {
            _ = try await $0.update($1.idToken, ["password": "secret2"])
        },
        End(testDescription: "stolen", expected: ended("TOKEN_REUSED")) { gateway, tokens in
            _ = try await gateway.database.pool.execute(
                "UPDATE realm SET policy = '{\"rotatesRefreshTokens\": \"true\"}'")
            let gateway = try gateway.withFreshCaches()
            var token = tokens.refreshToken
            for _ in 1...2 { token = try #require(try await gateway.refresh(token).json["refresh_token"]?.string) }
            _ = try await gateway.database.pool.execute("UPDATE session SET grace_expired_below = counter")
            #expect(try await gateway.refresh(tokens.refreshToken).status == 400)
        },
        End(testDescription: "identity unlinked", expected: ended("SIGN_IN_METHOD_REMOVED"), method: .google) {
            gateway, tokens in
            let backend = try await ServiceKey(id: "other", in: gateway)
            let path = "/v1/projects/demo/accounts/\(tokens.localId)/identities/google.com"
            let query = [(name: "allowNoSignInMethod", value: "true")]
            #expect(try await gateway.send(.delete, path, by: backend, query: query).outcome == "204")
        },
        End(
            testDescription: "account disabled", expected: ["active": false, "endReason": "ACCOUNT_DISABLED"]
        ) { gateway, tokens in
            _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        },
    ]

    @Test(
        "The state of a session cookie's session says whether it is active, and otherwise when and why it ended",
        arguments: ends)
    func states(row: End) async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let tokens =
            row.method == .google
            ? try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential())) : try await gateway.signUp()
        let created = try await gateway.send(
            .post, SessionCookieTests.path, ["idToken": .string(tokens.idToken)], by: backend)
        let cookie = try #require(created.json["sessionCookie"]?.string)
        gateway.clock.advance(by: .seconds(100))
        try await row.perform(gateway, tokens)
        let answer = try await gateway.lookUpSession(of: cookie, by: backend)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.json["localId"] == .string(tokens.localId))
        for name in ["active", "endedAt", "endReason"] {
            #expect(answer.json[name]?.withWholeSeconds == row.expected[name]?.withWholeSeconds, "\(name)")
        }
    }

    @Test("Nothing is known about sessions of deleted accounts, of another project or tenant, or that never existed")
    func unknown() async throws {
        let fixture = try await TenantFixture()
        let gateway = fixture.gateway
        let tenant = try await fixture.makeTenant()
        let (ada, guest) = (try await gateway.signUp(), try await fixture.signUp(in: tenant))
        #expect(try await gateway.lookUpSession(of: guest.idToken, by: fixture.serviceKey).json == ["active": false])
        let inTenant = try await gateway.lookUpSession(
            of: guest.idToken, by: fixture.serviceKey, ["tenantId": .string(tenant)])
        #expect(inTenant.json == ["active": true, "localId": .string(guest.localId)])
        let disabled = try await fixture.send(.patch, "\(TenantFixture.tenantsPath)/\(tenant)", ["disableAuth": true])
        #expect(disabled.status == 200)
        let ofDisabledTenant = try await gateway.lookUpSession(
            of: guest.idToken, by: fixture.serviceKey, ["tenantId": .string(tenant)])
        #expect(ofDisabledTenant.json["active"] == true, "the session continues")
        let sid = try #require(try claims(of: ada.idToken)["sid"] as JSON?)
        try await gateway.makeOtherProject(serviceKey: "sks_elsewhere")
        let other = try await gateway.callProjectAsAdmin(
            .post, "/sessions:lookup", ["sessionId": sid], in: "other", bearer: "sks_elsewhere")
        #expect(other.json == ["active": false])
        #expect(try await gateway.delete(ada.idToken).status == 200)
        for id: JSON in [sid, "nonsense", "' OR true --"] {
            let answer = try await gateway.send(.post, Self.path, ["sessionId": id], by: fixture.serviceKey)
            #expect(answer.json == ["active": false])
        }
    }

    @Test("The request needs a session ID, and a key with the scope users.read")
    func refusals() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway, scopes: ServiceKeyScopes([.readUsers]))
        for body: JSON in [[:], ["sessionId": ""]] {
            #expect(try await gateway.send(.post, Self.path, body, by: backend).outcome == "400 MISSING_SESSION_ID")
        }
        let writer = try await ServiceKey(id: "writer", in: gateway, scopes: ServiceKeyScopes([.writeUsers]))
        let answer = try await gateway.send(.post, Self.path, ["sessionId": "x"], by: writer)
        #expect(answer.outcome == "403 PERMISSION_DENIED : The service key lacks the scope users.read.")
    }
}
