import HTTP
import Identity
import Postgres
import Synchronization
import Testing

@testable import Gateway
@testable import Support

@Suite("Roles of people without a second factor", .serialized)
struct SuspendedRoleTests {
    /// A way in which the last second factor goes.
    enum Removal: Sendable, CaseIterable {
        /// The link in the notice about the factor.
        case removalLink
        /// An administrator removes the factors.
        case reset
        case withdrawal
    }

    private static func perform(
        _ removal: Removal, on person: ConsoleVisitor, in fixture: ConsoleFixture
    ) async throws -> Exchange {
        switch removal {
        case .removalLink:
            let notices = try await fixture.gateway.emails(.factorAdded)
            let code = try #require(notices.last { $0.recipient == person.email }?.content.code)
            return try await fixture.gateway.post(
                "/v1/accounts:update", ["oobCode": .string(code)], key: ConsoleFixture.apiKey)
        case .reset: return try await fixture.administer("update", ["localId": .string(person.id), "mfa": [:]])
        case .withdrawal:
            let (idToken, factor) = try await fixture.signInToAPI(person)
            return try await fixture.gateway.post(
                "/v2/accounts/mfaEnrollment:withdraw", ["idToken": idToken, "mfaEnrollmentId": factor],
                key: ConsoleFixture.apiKey)
        }
    }

    @Test(
        "Without the last factor, the roles end, and the mailbox alone does not bring them back",
        arguments: Removal.allCases)
    func suspended(removal: Removal) async throws {
        let fixture = try await ConsoleFixture()
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        let ada = try await fixture.signIn(as: "administrator")
        let removed = try await Self.perform(removal, on: ada, in: fixture)
        #expect(removed.status == 200, "\(removed.text)")
        #expect(try await fixture.roles(of: ada) == [:])
        #expect(try await ada.open("/console/demo/accounts").status == 303)
        try await Self.expectNoEntry(for: ada, in: fixture)
        #expect(try await fixture.invite(ada.email, "administrator").outcome == "200")
    }

    /// The thief of the mailbox sets a password by email, and enrolls an own authenticator app.
    private static func expectNoEntry(for person: ConsoleVisitor, in fixture: ConsoleFixture) async throws {
        try await fixture.proveMailbox(person.id)
        let thief = ConsoleVisitor(fixture.gateway)
        let enrolment = try await thief.enterPassword(person.email)
        let app = try AuthenticatorApp(["sharedSecretKey": .string(try #require(enrolment.field("secret")))])
        let code = try app.code(at: fixture.gateway.clock.now)
        let refused = try await thief.submit(enrolment, "enrolment", ["code": code])
        #expect(refused.status == 400 && refused.text.contains("The account has no role in the console."))
    }

    @Test("A role of an account without a factor does not open the console, however it came about")
    func roleWithoutFactor() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "administrator")
        let pool = fixture.gateway.database.pool
        _ = try await pool.execute("DELETE FROM second_factor")
        _ = try await pool.execute("UPDATE account SET factor_count = 0")
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .administrator])
        try await Self.expectNoEntry(for: ada, in: fixture)
    }

    @Test("If the factor is removed while its owner accepts an invitation, no role is left")
    func removedWhileAccepting() async throws {
        let fixture = try await ConsoleFixture()
        let invited = try await fixture.invite("ada@example.com", "owner")
        let link = try #require(invited.json["invitationUri"]?.string)
        let ada = ConsoleVisitor(fixture.gateway)
        (ada.email, ada.id) = ("ada@example.com", try #require(invited.json["localId"]?.string))
        let page = try await ada.open(String(link.dropFirst("https://auth.example.com".count)))
        _ = try await ada.submit(page, "invitation", ["email": ada.email])
        try await fixture.proveMailbox(ada.id)
        let enrolment = try await ada.enterPassword(ada.email)
        let app = try AuthenticatorApp(["sharedSecretKey": .string(try #require(enrolment.field("secret")))])
        let code = try app.code(at: fixture.gateway.clock.now)
        let database = fixture.gateway.database
        try await database.withSeparateConnection { separate in
            let tasks = try await separate.transaction { transaction in
                // The factor is stored, and the acceptance waits.
                _ = try await transaction.query("SELECT FROM administrator FOR UPDATE")
                let accepting = Task { try await ada.submit(enrolment, "enrolment", ["code": code]) }
                try await database.waitForBlockedStatements()
                let isDone = Mutex(false)
                let removing = Task {
                    defer { isDone.withLock { $0 = true } }
                    return try await Self.perform(.reset, on: ada, in: fixture)
                }
                try await database.waitForBlockedStatements(2) { isDone.withLock { $0 } }
                return [accepting, removing]
            }
            for task in tasks { _ = try await task.value }
        }
        #expect(try await fixture.roles(of: ada) == [:])
        try await Self.expectNoEntry(for: ada, in: fixture)
    }

    @Test("The removal link is not refused for the last owner, whom the command line then invites again")
    func lastOwner() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        #expect(try await Self.perform(.removalLink, on: ada, in: fixture).status == 200)
        #expect(try await fixture.roles(of: ada) == [:])
        #expect(try await fixture.invite(ada.email, "owner").outcome == "200")
    }

    @Test("A person who keeps the authenticator app keeps the roles; with a telephone number only, they end")
    func otherFactor() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "administrator")
        let (_, app) = try await fixture.signInToAPI(ada)
        let phone: JSON = ["mfaEnrollmentId": "phone", "phoneInfo": "+15555550100"]
        func keep(_ factors: [JSON]) async throws {
            let change: JSON = ["localId": .string(ada.id), "mfa": ["enrollments": .array(factors)]]
            #expect(try await fixture.administer("update", change).outcome == "200")
        }
        try await keep([["mfaEnrollmentId": app, "totpInfo": [:]], phone])
        try await keep([["mfaEnrollmentId": app, "totpInfo": [:]]])
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .administrator])
        #expect(try await ada.open("/console/demo/accounts").status == 200)
        try await keep([phone])
        #expect(try await fixture.roles(of: ada) == [:])
        #expect(try await ada.open("/console/demo/accounts").status == 303)
    }

    @Test(
        "An administrator of the console keeps a verified address, because a reclaim would remove the factor",
        arguments: [
            (["email": "lady@example.com"], false), (["email": "lady@example.com", "emailVerified": false], false),
            (["emailVerified": false], false), (["deleteAttribute": ["EMAIL"]], false),
            (["email": "lady@example.com", "emailVerified": true], true), (["email": "ada@example.com"], true),
            (["displayName": "Lady"], true),
        ] as [([String: JSON], Bool)])
    func verifiedAddress(change: [String: JSON], isAccepted: Bool) async throws {
        let fixture = try await ConsoleFixture()
        func update(_ id: String) async throws -> String {
            try await fixture.administer("update", .object(change.merging(["localId": .string(id)]) { $1 })).outcome
        }
        let ada = try await fixture.signIn(as: "owner")
        let outcome = try await update(ada.id)
        let refusal = "400 OPERATION_NOT_ALLOWED : A person with a role in the console needs a verified address."
        #expect(isAccepted ? outcome == "200" : outcome.hasPrefix(refusal), "\(outcome)")
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .owner])
        // An account without a role is like every other one.
        let role = "/v2/projects/other/administrators/\(ada.id)"
        _ = try await fixture.signIn("owner@example.com", as: "owner")
        #expect(try await fixture.gateway.send(.delete, role, by: fixture.operatorsKey).status < 300)
        #expect(try await update(ada.id) == "200")
    }

    @Test("The suspension is in the audit trail of the project, with the role")
    func audit() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "support", in: "demo")
        #expect(try await Self.perform(.reset, on: ada, in: fixture).status == 200)
        let key = try await ServiceKey(id: "reader", in: fixture.gateway)
        let events = try await fixture.gateway.send(
            .get, "/v1/projects/demo/auditEvents", by: key, query: [("action", "administrator.suspended")])
        let event = events.json["auditEvents"]?[0]
        #expect(event?["subject"]?.string == ada.id && event?["actor"]?.string == "key:operators")
        #expect(event?["detail"]?["administratorRole"] == "support")
    }
}
