import Encoding
import HTTP
import JSON
import Simulators
import Testing

/// An app moves from one team to another, so that its users get new subjects.
@Suite("Transfer of users at Apple's simulator")
struct AppleMigrationTests {
    static let newTeam = "NEWTEAM001"

    let fixture: AppleFixture

    init() throws {
        fixture = try AppleFixture()
        _ = try fixture.apple.authorize(.grace, client: AppleFixture.app)
    }

    /// Requests the access token with which a team exchanges subjects.
    private func requestToken(team: String, scope: String? = "user.migration") throws -> Response {
        try fixture.apple.post(
            SimulatedApple.tokenPath,
            [
                "grant_type": "client_credentials", "scope": scope, "client_id": AppleFixture.app,
                "client_secret": try fixture.secret { $0["iss"] = .string(team) },
            ])
    }

    private func migrate(_ fields: [String: String?], team: String, bearer: String) throws -> Response {
        let secret = try fixture.secret { $0["iss"] = .string(team) }
        let form = fields.merging(["client_id": AppleFixture.app, "client_secret": secret]) { $1 }
        return try fixture.apple.post(
            SimulatedApple.migrationPath, form, headers: ["Authorization": "Bearer \(bearer)"])
    }

    @Test("The old team exchanges a subject for its transfer_sub, and the new team exchanges that for its own subject")
    func exchange() throws {
        let oldTeamsToken = try #require(try requestToken(team: AppleFixture.team).json["access_token"]?.text)
        let subject = SimulatedApple.subject(of: .grace, in: AppleFixture.team)
        let form: [String: String?] = ["sub": subject, "target": Self.newTeam]
        let transferSubject = try #require(
            try migrate(form, team: AppleFixture.team, bearer: oldTeamsToken).json["transfer_sub"]?.text)

        fixture.apple.transfer(AppleFixture.app, to: Self.newTeam)
        let claims = try fixture.claims(of: fixture.apple.identityToken(for: .grace, audience: AppleFixture.app))
        #expect(claims["transfer_sub"] == .string(transferSubject))
        let newTeamsToken = try #require(try requestToken(team: Self.newTeam).json["access_token"]?.text)
        let json = try migrate(["transfer_sub": transferSubject], team: Self.newTeam, bearer: newTeamsToken).json
        #expect(
            json
                == ["sub": claims["sub"], "email": claims["email"], "is_private_email": .bool(true)]
                .compactMapValues { $0 })
    }

    @Test("An exchange is rejected for another scope or team, a wrong or expired token, or a person without consent")
    func refused() throws {
        #expect(try requestToken(team: AppleFixture.team, scope: "name").outcome == "400 invalid_scope")
        #expect(try requestToken(team: AppleFixture.team, scope: nil).outcome == "400 invalid_scope")
        #expect(try requestToken(team: Self.newTeam).outcome == "400 invalid_client")
        let bearer = try #require(try requestToken(team: AppleFixture.team).json["access_token"]?.text)
        func outcome(of person: SimulatedPerson, bearer: String) throws -> String {
            let subject = SimulatedApple.subject(of: person, in: AppleFixture.team)
            let form: [String: String?] = ["sub": subject, "target": Self.newTeam]
            return try migrate(form, team: AppleFixture.team, bearer: bearer).outcome
        }
        #expect(try outcome(of: .grace, bearer: "a0") == "400 invalid_request")
        #expect(try outcome(of: .ada, bearer: bearer) == "400 invalid_request")
        #expect(try outcome(of: .grace, bearer: bearer) == "200")
        fixture.apple.disconnect(.grace, from: AppleFixture.app)
        #expect(try outcome(of: .grace, bearer: bearer) == "400 invalid_request")
        _ = try fixture.apple.authorize(.grace, client: AppleFixture.app)
        #expect(try outcome(of: .grace, bearer: bearer) == "200")
        fixture.clock.advance(by: 3600)
        #expect(try outcome(of: .grace, bearer: bearer) == "400 invalid_request")
    }
}
