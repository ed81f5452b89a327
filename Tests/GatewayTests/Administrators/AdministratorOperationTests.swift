import Crypto
import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Storage
@testable import Support

@Suite("Operations on administrators", .serialized)
struct AdministratorOperationTests {
    private static let operators = ID<Project>("other")

    /// A gateway whose operators' project is `other`, with service keys of both projects.
    private struct Fixture {
        let gateway: TestGateway
        let shopKey: ServiceKey
        let operatorsKey: ServiceKey

        init(scopes: ServiceKeyScopes = .all) async throws {
            let plain = try await TestGateway()
            try await plain.makeOtherProject(serviceKey: "sks_elsewhere")
            gateway = try plain.with { $0.console = ConsoleSettings(project: operators) }
            shopKey = try await ServiceKey(id: "shop", in: gateway, scopes: scopes)
            operatorsKey = try await ServiceKey(id: "operators", of: operators, in: gateway)
        }

        func send(
            _ method: HTTP.Method, _ suffix: String = "", _ body: JSON? = nil, everywhere: Bool = false
        ) async throws -> Exchange {
            let path = "/v2/projects/\(everywhere ? "other" : "demo")/administrators\(suffix)"
            return try await gateway.send(method, path, body, by: everywhere ? operatorsKey : shopKey)
        }

        /// Accepts the invitation in a response, as the console does after the sign-in.
        func accept(_ invitation: Exchange, as account: String? = nil) async throws -> Bool {
            let link = try #require(invitation.json["invitationUri"]?.string)
            let code = try #require(link.split(separator: "=").last)
            let id = try #require(account ?? invitation.json["localId"]?.string)
            try await addAuthenticatorApp(to: id)
            let session = Session(
                id: ID("session"), account: ID(id), generation: 1, method: .password,
                authenticatedAt: gateway.clock.now, secondFactor: SessionFactor(.totp, ID("app")), device: nil)
            let acceptance = RoleAcceptance(
                of: Digest.sha256(Array(code.utf8)), by: session,
                recording: EventRecording(by: .system, wanting: []), announcing: RoleAnnouncement { _, _ in .none },
                notice: { _, _ in .none })
            return try await PostgresAdministratorStore(pool: gateway.database.pool).accept(
                acceptance, at: gateway.clock.now, of: operators)
        }

        private func addAuthenticatorApp(to account: String) async throws {
            let app = Factor(id: ID("app"), kind: .totp, displayName: nil, enrolledAt: gateway.clock.now)
            let insertion: SQL = .insert(
                NewTOTP(factor: app, sealedSecret: [], lastStep: 0), of: ID(account), in: ID(operators))
            _ = try await gateway.database.pool.execute(insertion)
            _ = try await gateway.database.pool.execute(.countFactors(of: ID(account), in: ID(operators)))
        }

        func roles(of id: String) async throws -> [ID<Project>: AdministratorRole] {
            try await PostgresAdministratorStore(pool: gateway.database.pool).roles(of: ID(id), in: operators)
        }
    }

    @Test("A role takes effect when the invitation is accepted, once, within 24 hours, by the invited account")
    func invitation() async throws {
        let fixture = try await Fixture()
        let invited = try await fixture.send(.post, "", ["email": "ada@example.com", "role": "support"])
        #expect(invited.outcome == "200")
        let id = try #require(invited.json["localId"]?.string)
        #expect(
            invited.json["invitationUri"]?.string?.hasPrefix("https://auth.example.com/console/invitation?") == true)
        #expect(try await fixture.roles(of: id) == [:])
        let other = try await fixture.send(.post, "", ["email": "eve@example.com", "role": "support"])
        #expect(try await !fixture.accept(invited, as: other.json["localId"]?.string))
        #expect(try await fixture.accept(invited))
        #expect(try await fixture.roles(of: id) == [ID("demo"): .support])
        #expect(try await !fixture.accept(invited))
        fixture.gateway.clock.advance(by: .seconds(86_400))
        #expect(try await !fixture.accept(other))
        let listed = try await fixture.send(.get).json["administrators"]?.elements ?? []
        #expect(Set(listed.compactMap { $0["email"]?.string }) == ["ada@example.com", "eve@example.com"])
        #expect(listed.allSatisfy { $0["invitationUri"] == nil })
    }

    @Test(
        "The end of a role with its account, deleted or replaced by an import, is in the trail of the role's project",
        arguments: [false, true])
    func goneAccount(isReplaced: Bool) async throws {
        let fixture = try await Fixture()
        let invited = try await fixture.send(.post, "", ["email": "ada@example.com", "role": "support"])
        #expect(try await fixture.accept(invited))
        let id = try #require(invited.json["localId"]?.string)
        let account: JSON = ["localId": .string(id)]
        let (operation, body): (String, JSON) =
            isReplaced ? ("batchCreate", ["users": [account], "allowOverwrite": true]) : ("delete", account)
        let changed = try await fixture.gateway.send(
            .post, "/v1/projects/other/accounts:\(operation)", body, by: fixture.operatorsKey)
        #expect(changed.outcome == "200" && changed.json["error"] == nil, "\(changed.text)")
        #expect(try await fixture.roles(of: id) == [:])
        let statement: SQL = """
            SELECT realm_id || ' ' || action || ' ' || actor AS line FROM audit_event
            WHERE subject = \(id) AND action IN ('administrator.removed', 'account.deleted') ORDER BY 1
            """
        let lines = try await fixture.gateway.database.pool.query(statement)
            .map { try $0.decode("line", as: String.self) }
        let removed = "demo administrator.removed key:operators"
        #expect(lines == (isReplaced ? [removed] : [removed, "other account.deleted key:operators"]))
    }

    @Test("The owner of a project ends no session of an operator by withdrawing an invitation")
    func withdrawnInvitation() async throws {
        let fixture = try await Fixture()
        let first = try await fixture.send(.post, "", ["email": "ada@example.com", "role": "owner"], everywhere: true)
        #expect(try await fixture.accept(first))
        let id = try #require(first.json["localId"]?.string)
        let pool = fixture.gateway.database.pool
        let opened: SQL = """
            INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)
            SELECT 'other', gen_random_uuid(), a.id, a.generation, 'password', now(), now(), now() FROM account a
            WHERE a.realm_id = 'other' AND a.id = \(id)
            """
        #expect(try await pool.execute(opened) == 1)
        let invited = try await fixture.send(.post, "", ["email": "ada@example.com", "role": "viewer"])
        #expect(invited.outcome == "200")
        #expect(try await fixture.send(.delete, "/\(id)").status < 300)
        #expect(try await pool.query("SELECT FROM session WHERE realm_id = 'other' AND ended_at IS NULL").count == 1)
    }

    @Test(
        "Invalid invitations are rejected",
        arguments: [
            (["role": "viewer"], "400 INVALID_EMAIL"), (["email": "ada", "role": "viewer"], "400 INVALID_EMAIL"),
            (
                ["email": "ada@example.com", "role": "root"],
                "400 Invalid JSON payload received. /role must be one of viewer, support, administrator, owner"
            ),
        ] as [(JSON, String)])
    func invalidInvitations(body: JSON, outcome: String) async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.send(.post, "", body).outcome == outcome)
    }

    @Test("A caller grants and removes only roles whose scopes the caller has")
    func grants() async throws {
        let scopes: Set<ServiceKeyScope> = [.writeAdministrators, .readUsers, .readAudit, .readConfig]
        let fixture = try await Fixture(scopes: ServiceKeyScopes(scopes))
        let viewer: JSON = ["email": "ada@example.com", "role": "viewer"]
        let invited = try await fixture.send(.post, "", viewer)
        #expect(try await fixture.accept(invited))
        let path = "/\(try #require(invited.json["localId"]?.string))"
        let refusal = "403 PERMISSION_DENIED : The caller lacks scopes of the role owner."
        #expect(try await fixture.send(.patch, path, ["role": "owner"]).outcome == refusal)
        let owner: JSON = ["email": "eve@example.com", "role": "owner"]
        #expect(try await fixture.send(.post, "", owner).outcome == refusal)
        #expect(try await fixture.send(.delete, path).status == 204)
        #expect(try await fixture.send(.delete, path).outcome == "400 USER_NOT_FOUND")
    }

    @Test("The last owner of all projects stays, and a person with a role is not invited again")
    func lastOwner() async throws {
        let fixture = try await Fixture()
        let input: JSON = ["email": "ada@example.com", "role": "owner"]
        let ada = try await fixture.send(.post, "", input, everywhere: true)
        #expect(try await fixture.accept(ada))
        let path = "/\(try #require(ada.json["localId"]?.string))"
        #expect(try await fixture.send(.delete, path, everywhere: true).outcome.hasPrefix("400 OPERATION_NOT_ALLOWED"))
        let demotion = try await fixture.send(.patch, path, ["role": "viewer"], everywhere: true)
        #expect(demotion.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED : The last owner"))
        let again = try await fixture.send(.post, "", input, everywhere: true)
        #expect(again.outcome.hasPrefix("400 OPERATION_NOT_ALLOWED : The person has a role"))
        let eve = try await fixture.send(.post, "", ["email": "eve@example.com", "role": "owner"], everywhere: true)
        #expect(
            try await fixture.send(.delete, path, everywhere: true).outcome.hasPrefix("400"),
            "who has not accepted yet is not an owner")
        #expect(try await fixture.accept(eve))
        #expect(try await fixture.send(.delete, path, everywhere: true).status == 204)
    }

    @Test("Each change is in the audit trail of the project")
    func audit() async throws {
        let fixture = try await Fixture()
        let clock = fixture.gateway.clock
        let invited = try await fixture.send(.post, "", ["email": "ada@example.com", "role": "viewer"])
        clock.advance(by: .seconds(1))
        #expect(try await fixture.accept(invited))
        clock.advance(by: .seconds(1))
        let id = try #require(invited.json["localId"]?.string)
        #expect(try await fixture.send(.patch, "/\(id)", ["role": "support"]).status == 200)
        clock.advance(by: .seconds(1))
        #expect(try await fixture.send(.delete, "/\(id)").status == 204)
        let events = try await fixture.gateway.send(
            .get, "/v1/projects/demo/auditEvents", by: fixture.shopKey, query: [("subject", id)]
        ).json["auditEvents"]?.elements
        let lines = events?.reversed().map { "\($0["action"]?.string ?? "") \($0["actor"]?.string ?? "")" }
        #expect(
            lines == [
                "administrator.invited key:shop", "administrator.accepted administrator:\(id)",
                "administrator.changed key:shop", "administrator.removed key:shop",
            ])
    }
}
