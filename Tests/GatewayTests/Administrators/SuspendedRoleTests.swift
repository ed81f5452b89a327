import HTTP
import Identity
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
        // The thief of the mailbox sets a password by email, and enrolls an own authenticator app.
        try await fixture.proveMailbox(ada.id)
        let thief = ConsoleVisitor(fixture.gateway)
        let enrolment = try await thief.enterPassword(ada.email)
        let app = try AuthenticatorApp(["sharedSecretKey": .string(try #require(enrolment.field("secret")))])
        let code = try app.code(at: fixture.gateway.clock.now)
        let refused = try await thief.submit(enrolment, "enrolment", ["code": code])
        #expect(refused.status == 400 && refused.text.contains("The account has no role in the console."))
        #expect(try await fixture.invite(ada.email, "administrator").outcome == "200")
    }

    @Test("The removal link is not refused for the last owner, whom the command line then invites again")
    func lastOwner() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        #expect(try await Self.perform(.removalLink, on: ada, in: fixture).status == 200)
        #expect(try await fixture.roles(of: ada) == [:])
        #expect(try await fixture.invite(ada.email, "owner").outcome == "200")
    }

    @Test("A person who keeps another factor keeps the roles")
    func otherFactor() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "administrator")
        let phone: JSON = ["mfaEnrollmentId": "phone", "phoneInfo": "+15555550100"]
        let change: JSON = ["localId": .string(ada.id), "mfa": ["enrollments": [phone]]]
        #expect(try await fixture.administer("update", change).outcome == "200")
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .administrator])
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
