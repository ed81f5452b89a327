import Encoding
import HTTP
import Postgres
import Storage
import Testing

@testable import Identity
@testable import Support

extension TestGateway {
    fileprivate func signIn(userAgent: String, _ email: String = "ada@example.com") async throws -> Tokens {
        try Tokens(
            await post(
                "/v1/accounts:signInWithPassword", ["email": .string(email), "password": "secret1"],
                headers: ["User-Agent": userAgent]))
    }

    /// - Parameter more: further members of the request.
    fileprivate func list(_ idToken: String, _ more: [String: JSON] = [:]) async throws -> Exchange {
        try await post(
            "/v1/accounts:listSessions", .object(more.merging(["idToken": .string(idToken)]) { given, _ in given }))
    }

    /// The sessions that the user of the ID token can see.
    fileprivate func sessions(_ idToken: String) async throws -> [JSON] {
        guard case .array(let sessions)? = try await list(idToken).json["sessions"] else { return [] }
        return sessions
    }

    /// Ends a session at the request of the user of the ID token. Returns the outcome.
    fileprivate func endSession(_ sessionId: String, by idToken: String) async throws -> String {
        try await post(
            "/v1/accounts:revokeSession", ["idToken": .string(idToken), "sessionId": .string(sessionId)]
        ).outcome
    }

    fileprivate func endAllSessions(by idToken: String) async throws -> String {
        try await post("/v1/accounts:revokeSession", ["idToken": .string(idToken), "everywhere": true]).outcome
    }

    /// The outcomes of a look-up with the ID token and of a refresh with the refresh token.
    fileprivate func outcomes(of tokens: Tokens) async throws -> [String] {
        [try await lookup(tokens.idToken).outcome, try await refresh(tokens.refreshToken).outcome]
    }
}

extension TestGateway.Tokens {
    fileprivate var sessionID: String {
        get throws { try #require(try claims(of: idToken)["sid"]?.string) }
    }
}

@Suite("The caller's sessions")
struct OwnSessionsTests {
    private let validSession = ["200", "200"]
    private let endedSession = ["400 TOKEN_EXPIRED", "400 TOKEN_EXPIRED"]

    @Test("Sessions are listed with device and time, the latest login first")
    func listing() async throws {
        let gateway = try await TestGateway()
        let first = try await gateway.signUp()
        gateway.clock.advance(by: .seconds(60))
        let phone = try await gateway.signIn(userAgent: "Example/1.0 iPhone")
        gateway.clock.advance(by: .seconds(60))
        #expect(try await gateway.refresh(first.refreshToken).outcome == "200")
        let sessions = try await gateway.sessions(phone.idToken).map(\.withWholeSeconds)
        // `TestClock` starts at 8:00.
        #expect(sessions.count == 2)
        #expect(
            sessions.last == [
                "sessionId": .string(try first.sessionID), "current": false, "signInProvider": "password",
                "appId": "default", "appDisplayName": "default", "createdAt": "2027-01-15T08:00:00Z",
                "lastUsedAt": "2027-01-15T08:02:00Z",
            ])
        #expect(
            sessions.first == [
                "sessionId": .string(try phone.sessionID), "current": true, "signInProvider": "password",
                "device": "Example/1.0 iPhone", "appId": "default", "appDisplayName": "default",
                "createdAt": "2027-01-15T08:01:00Z", "lastUsedAt": "2027-01-15T08:01:00Z",
            ])
    }

    @Test("Only the owner's valid sessions are listed, a hundred per page unless the request states another number")
    func listed() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: "eve@example.com")
        let ada = try await gateway.signUp()
        let other = try await gateway.signIn(userAgent: "other")
        #expect(try await gateway.endSession(other.sessionID, by: ada.idToken) == "204")
        #expect(try await gateway.sessions(ada.idToken).map { $0["current"] } == [true])
        let changed = try await gateway.update(ada.idToken, ["password": "secret2"])
        let fresh = try #require(changed.json["idToken"]?.string)
        #expect(try await gateway.sessions(fresh).count == 1, "the new password ended the former session")
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)
            SELECT realm_id, gen_random_uuid(), account_id, generation, method, authenticated_at, rotated_at, refreshed_at
            FROM session, generate_series(1, 150) WHERE account_id = \(ada.localId)
            """)
        #expect(try await gateway.sessions(fresh).count == 100)
        let all = try await gateway.list(fresh, ["pageSize": 1000]).json
        #expect(all["sessions"]?.elements.count == 151)
        #expect(all["nextPageToken"] == nil)
    }

    @Test("Pages together have each session once, even if an attacker uses a session while the owner lists")
    func pages() async throws {
        let gateway = try await TestGateway()
        var sessions = [try await gateway.signUp()]
        for _ in 1...6 {
            // Several sessions with the same time.
            if sessions.count.isMultiple(of: 3) { gateway.clock.advance(by: .seconds(1)) }
            sessions.append(try TestGateway.Tokens(await gateway.signIn()))
        }
        var listed: [String] = []
        var page: JSON = [:]
        repeat {
            page = try await gateway.list(
                sessions[6].idToken, ["pageSize": 2, "pageToken": page["nextPageToken"] ?? ""]
            ).json
            listed += (page["sessions"]?.elements ?? []).compactMap { $0["sessionId"]?.string }
            gateway.clock.advance(by: .seconds(1))
            for session in sessions { _ = try await gateway.refresh(session.refreshToken) }
        } while page["nextPageToken"] != nil
        #expect(listed.count == 7)
        #expect(Set(listed) == Set(try sessions.map { try $0.sessionID }))
        for (body, outcome) in [
            (["pageToken": "x"], "400 INVALID_PAGE_SELECTION"), (["pageSize": 0], "200"),
            (["pageSize": -1], "400 Invalid JSON payload received. /pageSize must be a non-negative integer"),
        ] as [([String: JSON], String)] {
            #expect(try await gateway.list(sessions[6].idToken, body).outcome == outcome)
        }
    }

    @Test("When a session is revoked, its ID token and refresh token are rejected at once, and other sessions continue")
    func ending() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let lost = try await gateway.signIn(userAgent: "lost phone")
        #expect(try await gateway.outcomes(of: lost) == validSession)
        gateway.clock.advance(by: .seconds(3000))
        #expect(try await gateway.endSession(lost.sessionID, by: ada.idToken) == "204", "no recent login is needed")
        #expect(try await gateway.outcomes(of: lost) == endedSession)
        #expect(try await gateway.outcomes(of: ada) == validSession)
        #expect(
            try await gateway.endSession(lost.sessionID, by: ada.idToken) == "400 SESSION_NOT_FOUND",
            "the session has already ended")
    }

    @Test("A caller signs out by ending the current session, named `current` or by its ID", arguments: [true, false])
    func signOut(isNamedCurrent: Bool) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let other = try await gateway.signIn(userAgent: "other")
        #expect(try await gateway.endSession(isNamedCurrent ? "current" : ada.sessionID, by: ada.idToken) == "204")
        #expect(try await gateway.outcomes(of: ada) == endedSession)
        #expect(try await gateway.outcomes(of: other) == validSession)
        #expect(try await gateway.signIn().outcome == "200", "the user can sign in again")
    }

    @Test("All sessions can be ended, including the caller's own, and a sign-in in progress opens none")
    func allSessions() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let other = try await gateway.signIn(userAgent: "other")
        let before = try #require(try await gateway.accountSeenByUser(other.idToken)["validSince"]?.string)
        gateway.clock.advance(by: .seconds(100))
        let store = PostgresAccountStore(pool: gateway.database.pool)
        // The session of a sign-in that read the account before all sessions were ended.
        let late = NewSession(
            toOpen: Session(
                id: ID("9d1f0f9e-1111-4222-8333-444455556666"), account: ID(ada.localId), generation: 1,
                method: .password, authenticatedAt: gateway.clock.now, device: nil),
            at: gateway.clock.now, networkHash: nil, credentialIssuedAt: nil, sessionLimit: 0)
        #expect(try await gateway.endAllSessions(by: ada.idToken) == "204")
        await #expect(throws: StoreConflict.stale) {
            try await store.open(late, rehashed: nil, in: gateway.realm.id)
        }
        for tokens in [ada, other] { #expect(try await gateway.outcomes(of: tokens) == endedSession) }
        let back = try TestGateway.Tokens(await gateway.signIn())
        let after = try #require(try await gateway.accountSeenByUser(back.idToken)["validSince"]?.string)
        #expect(Int(after) == Int(before).map { $0 + 100 }, "backends that only verify tokens compare validSince")
        #expect(try await gateway.endAllSessions(by: ada.idToken) == "400 TOKEN_EXPIRED")
        #expect(try await gateway.outcomes(of: back) == validSession)
    }

    @Test("Sessions of another account or project are not found")
    func otherAccounts() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let eve = try await gateway.signUp(email: "eve@example.com")
        try await gateway.makeOtherProject()
        // An account of the other project that has Eve's ID and a session.
        _ = try await gateway.database.pool.execute(
            """
            WITH twin AS (
                INSERT INTO account (realm_id, id, created_at, valid_since)
                SELECT 'other', id, created_at, valid_since FROM account WHERE id = \(eve.localId) RETURNING id)
            INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)
            SELECT 'other', 'aaaaaaaa-1111-4222-8333-444455556666', id, 1, 'password', now(), now(), now() FROM twin
            """)
        let names = [
            try ada.sessionID, "aaaaaaaa-1111-4222-8333-444455556666", "bbbbbbbb-1111-4222-8333-444455556666",
            "nonsense", "' OR true --",
        ]
        for name in names {
            #expect(try await gateway.endSession(name, by: eve.idToken) == "400 SESSION_NOT_FOUND", "\(name)")
        }
        #expect(try await gateway.outcomes(of: ada) == validSession)
        let openSessions = try await gateway.database.pool.query(
            "SELECT count(*) AS count FROM session WHERE ended_at IS NULL")
        // One of Ada, one of Eve, and one of the account in the other project.
        #expect(try openSessions.first?.decode("count") == 3)
        #expect(try await gateway.endAllSessions(by: eve.idToken) == "204")
        #expect(try await gateway.outcomes(of: ada) == validSession)
        let twin = try await gateway.database.pool.query("SELECT generation FROM account WHERE realm_id = 'other'")
        #expect(try twin.first?.decode("generation") == 1)
    }

    @Test(
        "Invalid requests to end a session are rejected; missing members are reported before an invalid ID token",
        arguments: [
            ([:], "400 MISSING_ID_TOKEN"),
            (["idToken": ""], "400 MISSING_ID_TOKEN"),
            (["idToken": "nonsense"], "400 MISSING_SESSION_ID"),
            (["idToken": "nonsense", "everywhere": false], "400 MISSING_SESSION_ID"),
            (["idToken": "nonsense", "sessionId": "x"], "400 INVALID_ID_TOKEN"),
            (
                ["idToken": "nonsense", "sessionId": "x", "everywhere": true],
                "400 Invalid JSON payload received. /sessionId must be absent if everywhere is true"
            ),
            (["idToken": "nonsense", "everywhere": true, "tenantId": "t"], "400 INVALID_TENANT_ID"),
        ] as [(JSON, String)])
    func refusals(body: JSON, expected: String) async throws {
        let gateway = try await TestGateway()
        #expect(try await gateway.post("/v1/accounts:revokeSession", body).outcome == expected)
    }

    @Test("A session stays ended after concurrent requests to end it, and a refresh at the same time")
    func race() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let lost = try await gateway.signIn(userAgent: "lost phone")
        let outcomes = try await concurrently(12) { number in
            number == 6
                ? try await gateway.refresh(lost.refreshToken).outcome
                : try await gateway.endSession(lost.sessionID, by: ada.idToken)
        }
        let revoked = outcomes.filter { $0 != "400 SESSION_NOT_FOUND" }
        #expect(revoked.contains("204"))
        // The refresh returns 200 if it is first.
        #expect(Set(revoked).subtracting(["200", "204", "400 TOKEN_EXPIRED"]).isEmpty)
        #expect(try await gateway.outcomes(of: lost) == endedSession)
        #expect(try await gateway.outcomes(of: ada) == validSession)
    }

    @Test("Two concurrent requests to end all sessions end them, and an ended session cannot end another")
    func endingAtOnce() async throws {
        let gateway = try await TestGateway()
        let (ada, other) = (try await gateway.signUp(), try await gateway.signIn(userAgent: "other"))
        async let one = gateway.endAllSessions(by: ada.idToken)
        async let two = gateway.endAllSessions(by: other.idToken)
        #expect(Set([try await one, try await two]).subtracting(["204", "400 TOKEN_EXPIRED"]).isEmpty)
        for tokens in [ada, other] { #expect(try await gateway.outcomes(of: tokens) == endedSession) }
        let back = try TestGateway.Tokens(await gateway.signIn())
        #expect(try await gateway.endSession(back.sessionID, by: ada.idToken) == "400 TOKEN_EXPIRED")
        #expect(try await gateway.outcomes(of: back) == validSession)
    }
}
