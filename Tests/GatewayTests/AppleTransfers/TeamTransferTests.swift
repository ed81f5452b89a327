import Crypto
import Identity
import JSON
import Postgres
import Providers
import Storage
import Testing

@testable import Gateway
@testable import Simulators
@testable import Support

@Suite("Transfer of an app to another Apple developer team")
struct TeamTransferTests {
    /// The team to which the app moves from ``AppleServer/team``.
    static let newTeam = "NEWTEAM123"

    /// Ada hides her address; Mary does not.
    static let ada = SimulatedPerson.ada.with { $0.hidesEmail = true }
    static let mary = SimulatedPerson.mary

    struct Fixture {
        let gateway: TestGateway
        let ada: TestGateway.Tokens
        let mary: TestGateway.Tokens

        init() async throws {
            gateway = try await TestGateway(servesApple: true)
            ada = try await gateway.signedInWithApple(TeamTransferTests.ada)
            mary = try await gateway.signedInWithApple(TeamTransferTests.mary)
        }

        /// A fixture in which the app has moved to the new team, and the identities have transfer subjects.
        static func moved() async throws -> Fixture {
            let fixture = try await Fixture()
            _ = try await fixture.export()
            try await fixture.move()
            return fixture
        }

        /// A run of `apple export-transfers` or `apple import-transfers`, with the key of `team`.
        ///
        /// - Parameter change: changes Apple's endpoint.
        func run(
            as team: String, clientID: String? = nil, _ change: (inout AppleMigrationEndpoint) -> Void = { _ in }
        ) throws -> AppleTransferRun {
            let server = try #require(gateway.appleServer)
            let settings = try #require(SimulatedProviders.providers.first)
            var endpoint = AppleMigrationEndpoint.http(
                try AppleServer.client.get(), at: AppleEndpoints(base: server.baseURL), clock: gateway.clock.wallClock)
            change(&endpoint)
            return AppleTransferRun(
                gateway.project.realm, settings: settings, clientID: clientID,
                key: AppleKeyName(teamID: team, keyID: AppleServer.keyID),
                privateKey: Secret(try server.privateKey.pem),
                endpoint: endpoint, pool: gateway.database.pool, clock: gateway.clock.wallClock)
        }

        func export() async throws -> AppleTransferRun.Progress {
            try await run(as: AppleServer.team).export(to: TeamTransferTests.newTeam) { _ in }
        }

        func importAll(retryingRejected: Bool = false) async throws -> AppleTransferRun.Progress {
            try await run(as: TeamTransferTests.newTeam).import(retryingRejected: retryingRejected) { _ in }
        }

        /// The person signs in to the app at Apple again. The gateway does not learn of it.
        func reconnect(_ person: SimulatedPerson) throws { _ = try gateway.appleWithCode(person) }

        /// Apple moves the app, and the operator configures the new team.
        func move() async throws {
            gateway.simulators.apple.transfer(SimulatedProviders.appleClient, to: TeamTransferTests.newTeam)
            _ = try await gateway.database.pool.execute(
                """
                UPDATE identity_provider
                SET settings = jsonb_set(settings, '{apple,teamId}', to_jsonb(\(TeamTransferTests.newTeam)))
                WHERE provider = 'apple.com'
                """)
            gateway.clock.advance(by: .seconds(10))
        }

        func state(_ tokens: TestGateway.Tokens) async throws -> String? {
            let answer = try await gateway.post("/v1/accounts:credentialState", ["idToken": .string(tokens.idToken)])
            return answer.json["identities"]?[0]?["credentialState"]?.string
        }

        /// The subject and address of the identity, and the address of the account.
        func addresses(_ tokens: TestGateway.Tokens) async throws -> [String?] {
            let account = try await gateway.account(tokens.idToken)
            let identity = account["providerUserInfo"]?[0]
            return [identity?["rawId"]?.string, identity?["email"]?.string, account["email"]?.string]
        }

        /// What ``addresses(_:)`` returns after the transfer.
        func expectedAddresses(_ person: SimulatedPerson) -> [String?] {
            let client = AppleClient(id: SimulatedProviders.appleClient, team: TeamTransferTests.newTeam)
            let email = SimulatedApple.email(of: person, for: client, AppleQuirks())
            return [SimulatedApple.subject(of: person, in: TeamTransferTests.newTeam), email, email]
        }
    }

    @Test("A transfer gives every identity its new subject and address, and keeps accounts and sessions")
    func transfer() async throws {
        let fixture = try await Fixture()
        let before = try await fixture.addresses(fixture.ada)
        #expect(try await fixture.export() == .init(all: 2, done: 2))
        #expect(try await fixture.export() == .init(all: 2, done: 2))
        let requests = fixture.gateway.simulators.apple.faultInjection.count(of: SimulatedApple.migrationPath)
        #expect(requests == 2, "the second export requests no identity again")
        #expect(try await fixture.state(fixture.ada) == "AUTHORIZED", "the app is still with the old team")
        try await fixture.move()
        try await fixture.gateway.appleWorkers.check()
        #expect(try await fixture.state(fixture.ada) == "TRANSFERRED")
        #expect(try await fixture.addresses(fixture.ada) == before)
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await fixture.addresses(fixture.ada) == fixture.expectedAddresses(Self.ada))
        #expect(try await fixture.addresses(fixture.mary) == fixture.expectedAddresses(Self.mary))
        #expect(before != fixture.expectedAddresses(Self.ada))
        #expect(try await fixture.state(fixture.ada) == "UNKNOWN", "until the next sign-in")
        #expect(
            try await fixture.gateway.appleGrants()
                == Array(
                    repeating: "UNKNOWN REFRESH_TOKEN com.example.app", count: 2), "the tokens belong to the old team")
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        let again = try TestGateway.Tokens(await fixture.gateway.signIn(fixture.gateway.appleWithCode(Self.ada)))
        #expect(again.localId == fixture.ada.localId)
        #expect(try await fixture.state(again) == "AUTHORIZED")
        try await fixture.gateway.attemptAppleGrants()
        #expect(
            try await fixture.gateway.appleGrants() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "UNKNOWN REFRESH_TOKEN com.example.app",
            ])
    }

    @Test("A sign-in before the import finds the account by transfer_sub, and completes the transfer")
    func signInFirst() async throws {
        let fixture = try await Fixture.moved()
        try await fixture.gateway.appleWorkers.check()
        let exchange = try await fixture.gateway.signIn(fixture.gateway.appleWithCode(Self.ada))
        #expect(exchange.json["isNewUser"] == nil)
        let again = try TestGateway.Tokens(exchange)
        #expect(again.localId == fixture.ada.localId)
        #expect(try await fixture.addresses(again) == fixture.expectedAddresses(Self.ada))
        #expect(try await fixture.state(again) == "AUTHORIZED")
        #expect(
            try await fixture.addresses(fixture.ada) == fixture.expectedAddresses(Self.ada),
            "the old session is still valid")
        let actions = try await fixture.gateway.database.pool.query(
            "SELECT actor || ' ' || action AS line FROM audit_event WHERE action = 'identity.transferred'")
        #expect(try actions.map { try $0.decode("line", as: String.self) } == ["user identity.transferred"])
        try await fixture.gateway.attemptAppleGrants()
        #expect(
            try await fixture.gateway.appleGrants() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "UNKNOWN REFRESH_TOKEN com.example.app",
            ], "the new token replaces that of the old team")
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await fixture.addresses(again) == fixture.expectedAddresses(Self.ada))
    }

    @Test(
        "A token without transfer_sub, or with an unknown transfer_sub, finds no account",
        arguments: [nil, "000000.r0"])
    func unknownTransferSubject(_ transferSubject: String?) async throws {
        let fixture = try await Fixture.moved()
        let exchange = try await fixture.gateway.signIn(
            fixture.gateway.apple(Self.ada) { $0.claims["transfer_sub"] = transferSubject.map { .string($0) } })
        #expect(exchange.json["isNewUser"] == true, "\(exchange.text)")
        #expect(exchange.json["localId"]?.string != fixture.ada.localId)
        let progress = try await fixture.importAll()
        #expect(
            progress == .init(all: 2, done: 1, conflicts: [ID(fixture.ada.localId)]),
            "Ada's new account already has the new subject")
    }

    @Test(
        "The subject takes precedence over the transfer subject, even over that of another user",
        arguments: [ada, mary])
    func precedence(of person: SimulatedPerson) async throws {
        let fixture = try await Fixture()
        let before = try await fixture.addresses(fixture.mary)
        _ = try await fixture.export()
        try await fixture.move()
        let second = try await fixture.gateway.signIn(
            fixture.gateway.apple(Self.ada) { $0.claims["transfer_sub"] = nil })
        let transferSubject = SimulatedApple.transferSubject(of: person, from: AppleServer.team, to: Self.newTeam)
        let again = try await fixture.gateway.signIn(
            fixture.gateway.apple(Self.ada) { $0.claims["transfer_sub"] = .string(transferSubject) })
        #expect(again.status == 200, "\(again.text)")
        #expect(again.json["localId"] == second.json["localId"])
        #expect(try await fixture.addresses(fixture.mary) == before)
    }

    @Test("A merge from before the transfer can be undone; the source gets the identity with its new subject")
    func undoneMerge() async throws {
        let fixture = try await Fixture()
        let gateway = fixture.gateway
        try await gateway.makeServiceKey()
        let target = try await gateway.signUp(email: "target@example.com")
        #expect(try await gateway.merge(fixture.ada.localId, into: target.localId).outcome == "200")
        _ = try await fixture.export()
        try await fixture.move()
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await gateway.undoMerge(fixture.ada.localId).outcome == "200")
        let again = try TestGateway.Tokens(await gateway.signIn(gateway.appleWithCode(Self.ada)))
        #expect(again.localId == fixture.ada.localId)
    }

    @Test("A user who has disconnected the app is counted as rejected, and the others are transferred")
    func disconnected() async throws {
        let fixture = try await Fixture()
        fixture.gateway.simulators.apple.disconnect(Self.mary, from: SimulatedProviders.appleClient)
        #expect(try await fixture.export() == .init(all: 2, done: 1, rejected: 1))
        try await fixture.move()
        #expect(try await fixture.importAll() == .init(all: 1, done: 1))
        #expect(try await fixture.addresses(fixture.ada) == fixture.expectedAddresses(Self.ada))
    }

    @Test("An export fails if Apple rejects every identity, because the team may be wrong")
    func allRejected() async throws {
        let fixture = try await Fixture()
        for person in [Self.ada, Self.mary] {
            fixture.gateway.simulators.apple.disconnect(person, from: SimulatedProviders.appleClient)
        }
        let failure = await #expect(throws: Failure.self) { try await fixture.export() }
        #expect(failure?.message.contains("Apple rejected 2 identities and accepted none") == true)
        #expect(failure?.message.contains("--to-team") == true)
    }

    @Test("An import does not count an identity that was unlinked during the run")
    func changedMeanwhile() async throws {
        let fixture = try await Fixture()
        let gateway = fixture.gateway
        _ = try await fixture.export()
        try await fixture.move()
        let run = try fixture.run(as: Self.newTeam) { endpoint in
            endpoint.user = { [user = endpoint.user] transferSubject, token, client in
                let found = try await user(transferSubject, token, client)
                try await gateway.database.pool.execute(
                    "DELETE FROM linked_identity WHERE account_id = \(fixture.mary.localId)")
                return found
            }
        }
        #expect(try await run.import { _ in } == .init(all: 1, done: 1))
    }

    @Test("An export works with the old team's key even after the move")
    func lateExport() async throws {
        let fixture = try await Fixture()
        try await fixture.move()
        #expect(try await fixture.export() == .init(all: 2, done: 2))
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await fixture.addresses(fixture.ada) == fixture.expectedAddresses(Self.ada))
    }

    @Test(
        "An export fails if Apple rejects the key or is unavailable, and the import asks for an export first",
        arguments: [true, false])
    func failures(isDown: Bool) async throws {
        let fixture = try await Fixture()
        if isDown { fixture.gateway.simulators.apple.faultInjection.injectFault(.unavailable) }
        let failure = await #expect(throws: Failure.self) {
            try await fixture.run(as: isDown ? AppleServer.team : "OTHERTEAM1").export(to: Self.newTeam) { _ in }
        }
        #expect(
            failure?.message.hasPrefix(isDown ? "the request to Apple failed" : "Apple rejects the private key") == true
        )
        let importFailure = await #expect(throws: Failure.self) { try await fixture.importAll() }
        #expect(importFailure?.message.contains("run export-transfers first") == true)
    }
}
