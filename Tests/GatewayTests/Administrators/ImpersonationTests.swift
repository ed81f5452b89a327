import Encoding
import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Impersonation", .serialized)
struct ImpersonationTests {
    /// A gateway with the account of Ada, and a service key with the scopes of an owner.
    struct Fixture {
        let gateway: TestGateway
        let ada: TestGateway.Tokens
        let key: ServiceKey

        init(_ gateway: TestGateway) async throws {
            self.gateway = gateway
            ada = try await gateway.signUpVerified()
            key = try await ServiceKey(id: "owner", in: gateway)
            // The login is not recent, and the ID token is still accepted.
            gateway.clock.advance(by: .seconds(3500))
        }

        init() async throws { try await self.init(TestGateway()) }

        func impersonate(_ change: [String: JSON] = [:], in project: String = "demo") async throws -> Exchange {
            let body: [String: JSON] = [
                "localId": .string(ada.localId), "reason": "Ticket 4711", "appId": "default",
                "continueUri": .string(SignInPageVisit.target),
            ]
            let path = "/v1/projects/\(project)/accounts:impersonate"
            return try await gateway.send(.post, path, .object(body.merging(change) { $1 }), by: key)
        }

        func exchange(_ issued: Exchange, _ change: [String: JSON] = [:]) async throws -> Exchange {
            let body: [String: JSON] = [
                "grant_type": "authorization_code", "code": issued.json["code"] ?? .null,
                "code_verifier": issued.json["codeVerifier"] ?? .null, "continueUri": .string(SignInPageVisit.target),
            ]
            return try await gateway.post("/v1/token", .object(body.merging(change) { $1 }))
        }

        /// The tokens of an app that has exchanged a code.
        func supportTokens() async throws -> (id: String, refresh: String) {
            let exchanged = try await exchange(try await impersonate())
            let id = try #require(exchanged.json["id_token"]?.string, "\(exchanged.text)")
            return (id, try #require(exchanged.json["refresh_token"]?.string))
        }
    }

    private static func claims(of token: String) throws -> JSON {
        try JSON(try #require(Base64URL.decode(String(token.split(separator: ".")[1]))))
    }

    @Test("The app gets a session of the user for 30 minutes, whose ID tokens name the administrator")
    func session() async throws {
        let fixture = try await Fixture()
        let gateway = fixture.gateway
        let before = try await gateway.accountSeenByUser(fixture.ada.idToken)
        let issued = try await fixture.impersonate()
        #expect(issued.outcome == "200", "\(issued.text)")
        gateway.clock.advance(by: .seconds(240))
        let exchanged = try await fixture.exchange(issued)
        let token = try #require(exchanged.json["id_token"]?.string, "\(exchanged.text)")
        #expect(exchanged.json["user_id"]?.string == fixture.ada.localId)
        #expect(exchanged.json["expires_in"] == "1560")
        let claims = try Self.claims(of: token)
        #expect(claims["act"] == ["sub": "key:owner"] && claims["sub"]?.string == fixture.ada.localId)
        guard case .number(let authTime) = claims["auth_time"], case .number(let issuedAt) = claims["iat"] else {
            Issue.record("no times in \(claims)")
            return
        }
        #expect(issuedAt - authTime > 3000, "the user did not log in now")
        let seen = try await gateway.accountSeenByUser(token)
        #expect(seen["lastLoginAt"] == before["lastLoginAt"], "the last login is the user's")
        gateway.clock.advance(by: .seconds(1559))
        #expect(try await gateway.lookup(token).status == 200)
        gateway.clock.advance(by: .seconds(2))
        #expect(try await gateway.lookup(token).status == 400)
    }

    @Test("The session ends on time even if the ID token were longer valid, and then is in no list")
    func sessionEnds() async throws {
        let fixture = try await Fixture()
        let support = try await fixture.supportTokens()
        let sid = try Self.claims(of: support.id)["sid"] ?? .null
        _ = try await fixture.gateway.database.pool.execute(
            "UPDATE session SET support_ends_at = support_ends_at - interval '29 minutes' WHERE support_actor IS NOT NULL"
        )
        fixture.gateway.clock.advance(by: .seconds(61))
        #expect(try await fixture.gateway.lookup(support.id).outcome == "400 TOKEN_EXPIRED")
        let status = try await fixture.gateway.send(
            .post, "/v1/projects/demo/sessions:lookup", ["sessionId": sid], by: fixture.key)
        #expect(status.json["active"] == false && status.json["endReason"] == "EXPIRED", "\(status.text)")
        let user = try await fixture.gateway.signIn().json["idToken"] ?? .null
        let listed = try await fixture.gateway.post("/v1/accounts:listSessions", ["idToken": user])
        #expect(listed.json["sessions"]?.elements.allSatisfy { $0["supportAccess"] == nil } == true)
    }

    @Test("The refresh token is rejected, at once and later")
    func refresh() async throws {
        let fixture = try await Fixture()
        let support = try await fixture.supportTokens()
        #expect(try await fixture.gateway.refresh(support.refresh).outcome == "400 TOKEN_EXPIRED")
        #expect(try await fixture.gateway.refresh(support.refresh).outcome == "400 TOKEN_EXPIRED")
    }

    @Test(
        "No ID token shows a login of the last five minutes: after a sign-out, the administrator has to wait",
        arguments: [(0, "400 OPERATION_NOT_ALLOWED"), (299, "400 OPERATION_NOT_ALLOWED"), (300, "200")])
    func recentSignOut(seconds: Int, expected: String) async throws {
        let fixture = try await Fixture()
        let clock = fixture.gateway.clock
        let signOut: JSON = ["localId": .string(fixture.ada.localId), "validSince": .string("\(clock.now.seconds)")]
        let update = "/v1/projects/demo/accounts:update"
        #expect(try await fixture.gateway.send(.post, update, signOut, by: fixture.key).outcome == "200")
        let end = clock.now + .seconds(300)
        clock.advance(by: .seconds(seconds))
        let issued = try await fixture.impersonate()
        #expect(issued.outcome.hasPrefix(expected), "\(issued.text)")
        guard expected == "200" else {
            #expect(issued.outcome.contains("Try again at \(end.iso8601.prefix(19))"), "\(issued.text)")
            #expect(try await fixture.gateway.emails(.supportAccess).isEmpty)
            return
        }
        let token = try #require(try await fixture.exchange(issued).json["id_token"]?.string)
        let claims = try Self.claims(of: token)
        guard case .number(let authTime) = claims["auth_time"], case .number(let issuedAt) = claims["iat"] else {
            Issue.record("no times in \(claims)")
            return
        }
        #expect(issuedAt - authTime >= 300)
    }

    @Test("A new account is impersonated after five minutes")
    func newAccount() async throws {
        let fixture = try await Fixture()
        let eve = try await fixture.gateway.signUp(email: "eve@example.com")
        fixture.gateway.clock.advance(by: .seconds(299))
        let refused = try await fixture.impersonate(["localId": .string(eve.localId)])
        #expect(refused.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED"), "\(refused.text)")
        fixture.gateway.clock.advance(by: .seconds(1))
        #expect(try await fixture.impersonate(["localId": .string(eve.localId)]).outcome == "200")
    }

    @Test("Support access neither uses up the limit on the user's sessions nor ends by it")
    func sessionLimit() async throws {
        let fixture = try await Fixture(TestGateway { $0.sessionLimit = 2 })
        let gateway = fixture.gateway
        var support: [String] = []
        for _ in 1...2 {
            gateway.clock.advance(by: .seconds(1))
            support.append(try await fixture.supportTokens().id)
        }
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.signIn().status == 200)
        for token in support { #expect(try await gateway.lookup(token).status == 200) }
        let refreshed = try await gateway.refresh(fixture.ada.refreshToken)
        #expect(refreshed.outcome == "200")
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.signIn().status == 200)
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.signIn().status == 200)
        #expect(try await gateway.refresh(fixture.ada.refreshToken).outcome == "400 TOKEN_EXPIRED", "the limit holds")
    }

    /// The operations that a session with support access may call.
    private static let readingOperations: Set = ["lookUpOwnAccount", "listSessions", "revokeSession"]

    @Test("Every operation with an ID token is refused, except those that read the account, and the end of the session")
    func everyOperation() async throws {
        let operations = try await OperationsWithIDToken(
            TestGateway(sms: TestGateway.sms) { policy in
                policy.emailEnumerationProtection = false
                policy.allowsPhoneNumbers = true
                policy.secondFactors = OperationsWithIDToken.secondFactors
            }, tenant: nil)
        let gateway = operations.gateway
        let key = try await ServiceKey(id: "owner", in: gateway)
        for operation in try await operations.operations() {
            let ada = try await operations.signUp("\(operation.id).\(operation.member)@example.com")
            // Long ago, so that the administrator does not have to wait.
            _ = try await gateway.database.pool.execute(
                """
                UPDATE account SET created_at = created_at - interval '1 hour',
                    valid_since = valid_since - interval '1 hour' WHERE id = \(ada.localId)
                """)
            let body = try await operations.body(for: operation, of: ada)
            let request: JSON = [
                "localId": .string(ada.localId), "reason": "Ticket 4711", "appId": "default",
                "continueUri": .string(SignInPageVisit.target),
                "codeChallenge": .string(SignInPageVisit.challenge),
            ]
            let issued = try await gateway.send(.post, "/v1/projects/demo/accounts:impersonate", request, by: key)
            let exchanged = try await gateway.post(
                "/v1/token",
                [
                    "grant_type": "authorization_code", "code": issued.json["code"] ?? .null,
                    "code_verifier": .string(SignInPageVisit.verifier), "continueUri": .string(SignInPageVisit.target),
                ])
            let token = try #require(exchanged.json["id_token"]?.string, "\(issued.text) \(exchanged.text)")
            let outcome = try await operations.call(operation, body, with: token)
            let isAccepted = outcome.hasPrefix("20")
            #expect(isAccepted == Self.readingOperations.contains(operation.id), "\(operation.id) \(outcome)")
            guard !isAccepted else { continue }
            #expect(outcome.hasPrefix("400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN"), "\(operation.id) \(outcome)")
        }
    }

    @Test("Support access ends no session of the user")
    func otherSessions() async throws {
        let fixture = try await Fixture()
        let support = try await fixture.supportTokens()
        let own = try Self.claims(of: fixture.ada.idToken)["sid"] ?? .null
        for body: JSON in [
            ["idToken": .string(support.id), "everywhere": true], ["idToken": .string(support.id), "sessionId": own],
        ] {
            let outcome = try await fixture.gateway.post("/v1/accounts:revokeSession", body).outcome
            #expect(outcome.hasPrefix("400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN"))
        }
        #expect(try await fixture.gateway.refresh(fixture.ada.refreshToken).status == 200)
    }

    @Test(
        "The user sees the access in the list of sessions, ends it there, and gets an email unless the policy is silent"
    )
    func visibleToUser() async throws {
        let fixture = try await Fixture()
        let gateway = fixture.gateway
        let support = try await fixture.supportTokens()
        let user = JSON.string(try #require(try await gateway.signIn().json["idToken"]?.string))
        let listed = try await gateway.post("/v1/accounts:listSessions", ["idToken": user]).json["sessions"]?.elements
        let access = try #require(listed?.first { $0["supportAccess"] == true })
        #expect(try await gateway.emails(.supportAccess).map(\.recipient) == ["ada@example.com"])
        let ended = try await gateway.post(
            "/v1/accounts:revokeSession", ["idToken": user, "sessionId": access["sessionId"] ?? .null])
        #expect(ended.status == 204)
        #expect(try await gateway.lookup(support.id).outcome == "400 TOKEN_EXPIRED")
        let silent = try await Fixture(TestGateway { $0.notifiesSupportAccess = false })
        #expect(try await silent.impersonate().outcome == "200")
        #expect(try await silent.gateway.emails(.supportAccess).isEmpty)
    }

    @Test("The audit trail has the administrator, the app and the reason")
    func audit() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.impersonate().outcome == "200")
        let events = try await fixture.gateway.send(
            .get, "/v1/projects/demo/auditEvents", by: fixture.key, query: [("action", "account.impersonated")])
        let event = events.json["auditEvents"]?[0]
        #expect(event?["actor"] == "key:owner" && event?["subject"]?.string == fixture.ada.localId)
        #expect(event?["detail"]?["reason"] == "Ticket 4711" && event?["detail"]?["app"] == "default")
    }

    @Test("A code works once, for one app, target and verifier, for five minutes; a second use ends the session")
    func code() async throws {
        let fixture = try await Fixture()
        let gateway = fixture.gateway
        let issued = try await fixture.impersonate()
        for change: [String: JSON] in [
            ["code_verifier": .string(SignInPageVisit.verifier)], ["continueUri": "https://localhost/other"],
        ] {
            #expect(try await fixture.exchange(issued, change).outcome.hasPrefix("400 INVALID_CODE"))
        }
        let token = try #require(try await fixture.exchange(issued).json["id_token"]?.string)
        #expect(try await gateway.lookup(token).status == 200)
        #expect(try await fixture.exchange(issued).outcome.hasPrefix("400 INVALID_CODE"))
        #expect(try await gateway.lookup(token).outcome == "400 TOKEN_EXPIRED")
        let late = try await fixture.impersonate()
        gateway.clock.advance(by: .seconds(301))
        #expect(try await fixture.exchange(late).outcome.hasPrefix("400 INVALID_CODE"))
        let bound = try await fixture.impersonate(["codeChallenge": .string(SignInPageVisit.challenge)])
        #expect(bound.json["codeVerifier"] == nil)
        let verified = try await fixture.exchange(bound, ["code_verifier": .string(SignInPageVisit.verifier)])
        #expect(verified.status == 200, "\(verified.text)")
    }

    @Test(
        "Requests without a reason, or for another app, target or account are rejected",
        arguments: [
            (["reason": ""], "400 Invalid"), (["reason": "aaaa"], "400"), (["appId": "unknown"], "400"),
            (["continueUri": "https://evil.example.com/"], "400 UNAUTHORIZED_DOMAIN"),
            (["localId": "unknown"], "400 USER_NOT_FOUND"), (["codeChallenge": "short"], "400"),
        ] as [([String: JSON], String)])
    func rejected(change: [String: JSON], outcome: String) async throws {
        let fixture = try await Fixture()
        let answer = try await fixture.impersonate(change)
        #expect(answer.status == 400 && answer.outcome.hasPrefix(outcome.prefix(3)), "\(answer.text)")
        if outcome.count > 12 { #expect(answer.outcome.hasPrefix(outcome), "\(answer.text)") }
        #expect(try await fixture.gateway.emails(.supportAccess).isEmpty)
    }

    @Test("Disabled accounts and accounts of another project are not impersonated")
    func otherAccounts() async throws {
        let fixture = try await Fixture()
        let disable: JSON = ["localId": .string(fixture.ada.localId), "disableUser": true]
        #expect(
            try await fixture.gateway.send(.post, "/v1/projects/demo/accounts:update", disable, by: fixture.key).outcome
                == "200")
        #expect(try await fixture.impersonate().outcome.hasPrefix("400 USER_DISABLED"))
        try await fixture.gateway.makeOtherProject()
        #expect(try await fixture.impersonate(in: "other").status == 403)
        let foreign = try await ServiceKey(id: "foreign", of: ID("other"), in: fixture.gateway)
        let body: JSON = [
            "localId": .string(fixture.ada.localId), "reason": "Ticket 4711", "appId": "default",
            "continueUri": .string(SignInPageVisit.target),
        ]
        let answer = try await fixture.gateway.send(
            .post, "/v1/projects/other/accounts:impersonate", body, by: foreign)
        #expect(answer.status == 400 && answer.json["code"] == nil)
    }

    @Test("Accounts of operators are not impersonated, not even by an owner")
    func operators() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "administrator")
        let answer = try await fixture.administer(
            "impersonate",
            [
                "localId": .string(ada.id), "reason": "Ticket 4711", "appId": "default",
                "continueUri": "https://auth.example.com/console",
            ])
        #expect(answer.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED : Administrators cannot sign in"), "\(answer.text)")
    }

    @Test("The network of the administrator does not become a known network of the account")
    func network() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.gateway.database.pool.execute("DELETE FROM known_network")
        _ = try await fixture.supportTokens()
        #expect(try await fixture.gateway.database.pool.query("SELECT FROM known_network").isEmpty)
    }

    @Test("An account with a second factor, and one that must enroll one, can be impersonated")
    func factors() async throws {
        let gateway = try await TestGateway { policy in
            policy.secondFactors = SecondFactorPolicy(state: .mandatory, allowsTOTP: true)
        }
        let fixture = try await Fixture(gateway)
        let support = try await fixture.supportTokens()
        #expect(try await gateway.lookup(support.id).status == 200)
        #expect(try Self.claims(of: support.id)["aud"] == "demo")
    }
}
