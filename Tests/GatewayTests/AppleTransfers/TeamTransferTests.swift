import Crypto
import Encoding
import Identity
import JSON
import Postgres
import Providers
import Storage
import Testing

@testable import Gateway
@testable import Simulators
@testable import Support

/// A user's Apple subject differs between teams. Before or after Apple moves the app, an export with the old team's key
/// requests a transfer subject (`transfer_sub`) for each identity. After the move, an import with the new team's key
/// exchanges the transfer subject for the user's new subject.
@Suite("Transfer of an app to another Apple developer team")
struct TeamTransferTests {
    /// The team to which the app moves from ``AppleServer/team``.
    static let newTeam = "NEWTEAM123"

    /// Ada hides her address; Mary does not.
    static let ada = SimulatedPerson.ada.with { $0.hidesEmail = true }
    static let mary = SimulatedPerson.mary

    /// An Apple identity, and the address of its account.
    struct StoredIdentity: Equatable {
        let subject: String?
        let email: String?
        let accountEmail: String?
    }

    /// A gateway at which Ada and Mary have signed in with Apple.
    struct Fixture {
        let gateway: TestGateway
        let ada: TestGateway.Tokens
        let mary: TestGateway.Tokens

        init() async throws {
            gateway = try await TestGateway(servesApple: true)
            ada = try await gateway.signInWithAppleAndRedeemCode(TeamTransferTests.ada)
            mary = try await gateway.signInWithAppleAndRedeemCode(TeamTransferTests.mary)
        }

        /// A fixture in which the identities were exported, and then the app has moved to the new team.
        static func withMovedApp() async throws -> Fixture {
            let fixture = try await Fixture()
            _ = try await fixture.export()
            try await fixture.moveApp()
            return fixture
        }

        /// A run of `apple export-transfers` or `apple import-transfers`, which authenticates as `team`.
        ///
        /// - Parameters:
        ///   - clientID: the client ID of all requests (default: that of each identity's latest sign-in).
        ///   - change: replaces functions of Apple's endpoint.
        func transferRun(
            as team: String, clientID: String? = nil, _ change: (inout AppleMigrationEndpoint) -> Void = { _ in }
        ) throws -> AppleTransferRun {
            let server = try #require(gateway.appleServer)
            let settings = try #require(SimulatedProviders.providers.first)
            var endpoint = AppleMigrationEndpoint.http(
                try AppleServer.httpClient.get(), at: AppleEndpoints(base: server.baseURL),
                clock: gateway.clock.wallClock)
            change(&endpoint)
            return AppleTransferRun(
                gateway.realm.id, settings: settings, clientID: clientID,
                key: AppleKeyName(teamID: team, keyID: AppleServer.keyID),
                privateKey: Secret(try server.privateKey.pem),
                endpoint: endpoint, pool: gateway.database.pool, clock: gateway.clock.wallClock,
                recording: gateway.realm.recording(by: .commandLine))
        }

        func export() async throws -> AppleTransferRun.Progress {
            try await transferRun(as: AppleServer.team).export(to: TeamTransferTests.newTeam) { _ in }
        }

        func importAll(retryingRejected: Bool = false) async throws -> AppleTransferRun.Progress {
            try await transferRun(as: TeamTransferTests.newTeam).import(retryingRejected: retryingRejected) { _ in }
        }

        /// Connects the person's Apple account to the app again, without a sign-in at the gateway.
        func reconnect(_ person: SimulatedPerson) throws { _ = try gateway.appleCredentialWithCode(person) }

        /// Apple moves the app, and the operator configures the new team.
        func moveApp() async throws {
            gateway.simulators.apple.transfer(SimulatedProviders.appleClientID, to: TeamTransferTests.newTeam)
            _ = try await gateway.database.pool.execute(
                """
                UPDATE identity_provider
                SET settings = jsonb_set(settings, '{apple,teamId}', to_jsonb(\(TeamTransferTests.newTeam)))
                WHERE provider = 'apple.com'
                """)
            gateway.clock.advance(by: .seconds(10))
        }

        func credentialState(of tokens: TestGateway.Tokens) async throws -> String? {
            let answer = try await gateway.post("/v1/accounts:credentialState", ["idToken": .string(tokens.idToken)])
            return answer.json["identities"]?[0]?["credentialState"]?.string
        }

        func identity(of tokens: TestGateway.Tokens) async throws -> StoredIdentity {
            let account = try await gateway.accountSeenByUser(tokens.idToken)
            let identity = account["providerUserInfo"]?[0]
            return StoredIdentity(
                subject: identity?["rawId"]?.string, email: identity?["email"]?.string,
                accountEmail: account["email"]?.string)
        }

        /// What ``identity(of:)`` returns after the transfer.
        func identityAfterTransfer(of person: SimulatedPerson) -> StoredIdentity {
            let client = AppleClient(id: SimulatedProviders.appleClientID, team: TeamTransferTests.newTeam)
            let email = SimulatedApple.email(of: person, for: client, AppleQuirks())
            return StoredIdentity(
                subject: SimulatedApple.subject(of: person, in: TeamTransferTests.newTeam), email: email,
                accountEmail: email)
        }
    }

    @Test("A transfer gives every identity its new subject and address, and keeps its account and sessions")
    func transfer() async throws {
        let fixture = try await Fixture()
        let before = try await fixture.identity(of: fixture.ada)
        #expect(try await fixture.export() == .init(all: 2, done: 2))
        #expect(try await fixture.export() == .init(all: 2, done: 2))
        let requests = fixture.gateway.simulators.apple.faultInjection.requestCount(at: SimulatedApple.migrationPath)
        #expect(requests == 2, "the second export sends no request")
        #expect(
            try await fixture.credentialState(of: fixture.ada) == "AUTHORIZED", "the app is still with the old team")
        try await fixture.moveApp()
        try await fixture.gateway.appleGrantWorkers.checkDueTokens()
        #expect(try await fixture.credentialState(of: fixture.ada) == "TRANSFERRED")
        #expect(try await fixture.identity(of: fixture.ada) == before)
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await fixture.identity(of: fixture.ada) == fixture.identityAfterTransfer(of: Self.ada))
        #expect(try await fixture.identity(of: fixture.mary) == fixture.identityAfterTransfer(of: Self.mary))
        #expect(before != fixture.identityAfterTransfer(of: Self.ada))
        #expect(
            try await fixture.credentialState(of: fixture.ada) == "UNKNOWN", "it stays unknown until the next sign-in")
        #expect(
            try await fixture.gateway.appleGrantLines()
                == Array(repeating: "UNKNOWN REFRESH_TOKEN com.example.app", count: 2),
            "the tokens belong to the old team")
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        let again = try TestGateway.Tokens(
            await fixture.gateway.signIn(fixture.gateway.appleCredentialWithCode(Self.ada)))
        #expect(again.localId == fixture.ada.localId)
        #expect(try await fixture.credentialState(of: again) == "AUTHORIZED")
        try await fixture.gateway.processDueAppleGrants()
        #expect(
            try await fixture.gateway.appleGrantLines() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "UNKNOWN REFRESH_TOKEN com.example.app",
            ])
    }

    @Test("A sign-in before the import finds the account by transfer_sub, and completes the transfer")
    func signInFirst() async throws {
        let fixture = try await Fixture.withMovedApp()
        try await fixture.gateway.appleGrantWorkers.checkDueTokens()
        let exchange = try await fixture.gateway.signIn(fixture.gateway.appleCredentialWithCode(Self.ada))
        #expect(exchange.json["isNewUser"] == nil)
        let again = try TestGateway.Tokens(exchange)
        #expect(again.localId == fixture.ada.localId)
        #expect(try await fixture.identity(of: again) == fixture.identityAfterTransfer(of: Self.ada))
        #expect(try await fixture.credentialState(of: again) == "AUTHORIZED")
        #expect(
            try await fixture.identity(of: fixture.ada) == fixture.identityAfterTransfer(of: Self.ada),
            "the session from before the transfer is still valid")
        let actions = try await fixture.gateway.database.pool.query(
            "SELECT actor || ' ' || action AS line FROM audit_event WHERE action = 'identity.transferred'")
        #expect(try actions.map { try $0.decode("line", as: String.self) } == ["user identity.transferred"])
        try await fixture.gateway.processDueAppleGrants()
        #expect(
            try await fixture.gateway.appleGrantLines() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "UNKNOWN REFRESH_TOKEN com.example.app",
            ], "the new token replaces that of the old team")
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await fixture.identity(of: again) == fixture.identityAfterTransfer(of: Self.ada))
    }

    @Test(
        "A sign-in after the move creates an account if its token has no transfer_sub, or an unknown one",
        arguments: [nil, "000000.r0"])
    func unknownTransferSubject(_ transferSubject: String?) async throws {
        let fixture = try await Fixture.withMovedApp()
        let exchange = try await fixture.gateway.signIn(
            fixture.gateway.appleCredential(Self.ada) {
                $0.claims["transfer_sub"] = transferSubject.map { .string($0) }
            })
        #expect(exchange.json["isNewUser"] == true, "\(exchange.text)")
        #expect(exchange.json["localId"]?.string != fixture.ada.localId)
        let progress = try await fixture.importAll()
        #expect(
            progress == .init(all: 2, done: 1, conflicts: [ID(fixture.ada.localId)]),
            "Ada's new account already has the new subject")
    }

    @Test(
        "If an account has the token's subject, a sign-in ignores the token's transfer_sub, even that of another user",
        arguments: [ada, mary])
    func precedence(of person: SimulatedPerson) async throws {
        let fixture = try await Fixture()
        let before = try await fixture.identity(of: fixture.mary)
        _ = try await fixture.export()
        try await fixture.moveApp()
        let second = try await fixture.gateway.signIn(
            fixture.gateway.appleCredential(Self.ada) { $0.claims["transfer_sub"] = nil })
        let transferSubject = SimulatedApple.transferSubject(of: person, from: AppleServer.team, to: Self.newTeam)
        let again = try await fixture.gateway.signIn(
            fixture.gateway.appleCredential(Self.ada) { $0.claims["transfer_sub"] = .string(transferSubject) })
        #expect(again.status == 200, "\(again.text)")
        #expect(again.json["localId"] == second.json["localId"])
        #expect(try await fixture.identity(of: fixture.mary) == before)
    }

    @Test("A merge from before the transfer can be undone, and the source gets the identity with its new subject")
    func undoneMerge() async throws {
        let fixture = try await Fixture()
        let gateway = fixture.gateway
        try await gateway.makeServiceKey()
        let target = try await gateway.signUp(email: "target@example.com")
        #expect(try await gateway.mergeAsAdmin(fixture.ada.localId, into: target.localId).outcome == "200")
        _ = try await fixture.export()
        try await fixture.moveApp()
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await gateway.undoMergeAsAdmin(fixture.ada.localId).outcome == "200")
        let again = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredentialWithCode(Self.ada)))
        #expect(again.localId == fixture.ada.localId)
    }

    @Test("An export counts a user who has disconnected the app as rejected, and the other user is transferred")
    func disconnected() async throws {
        let fixture = try await Fixture()
        fixture.gateway.simulators.apple.disconnect(Self.mary, from: SimulatedProviders.appleClientID)
        #expect(try await fixture.export() == .init(all: 2, done: 1, rejectedInThisRun: 1))
        try await fixture.moveApp()
        #expect(try await fixture.importAll() == .init(all: 1, done: 1))
        #expect(try await fixture.identity(of: fixture.ada) == fixture.identityAfterTransfer(of: Self.ada))
    }

    @Test("An export fails if Apple rejects every identity, because the team may be wrong")
    func allRejected() async throws {
        let fixture = try await Fixture()
        for person in [Self.ada, Self.mary] {
            fixture.gateway.simulators.apple.disconnect(person, from: SimulatedProviders.appleClientID)
        }
        let failure = await #expect(throws: Failure.self) { try await fixture.export() }
        #expect(failure?.message.contains("Apple rejected 2 identities and accepted none") == true)
        #expect(failure?.message.contains("--to-team") == true)
    }

    @Test("An import does not count an identity that is unlinked during the run")
    func changedMeanwhile() async throws {
        let fixture = try await Fixture()
        let gateway = fixture.gateway
        _ = try await fixture.export()
        try await fixture.moveApp()
        let run = try fixture.transferRun(as: Self.newTeam) { endpoint in
            endpoint.transferredUser = { [transferredUser = endpoint.transferredUser] transferSubject, token, client in
                let found = try await transferredUser(transferSubject, token, client)
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
        try await fixture.moveApp()
        #expect(try await fixture.export() == .init(all: 2, done: 2))
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        #expect(try await fixture.identity(of: fixture.ada) == fixture.identityAfterTransfer(of: Self.ada))
    }

    @Test(
        "An export fails if Apple rejects the key or is unavailable, and a later import asks for an export first",
        arguments: [true, false])
    func failures(isDown: Bool) async throws {
        let fixture = try await Fixture()
        if isDown { fixture.gateway.simulators.apple.faultInjection.injectFault(.unavailable) }
        let run = try fixture.transferRun(as: isDown ? AppleServer.team : "OTHERTEAM1")
        let failure = await #expect(throws: Failure.self) { try await run.export(to: Self.newTeam) { _ in } }
        #expect(
            failure?.message.hasPrefix(isDown ? "the request to Apple failed" : "Apple rejects the private key") == true
        )
        let importFailure = await #expect(throws: Failure.self) { try await fixture.importAll() }
        #expect(importFailure?.message.contains("run export-transfers first") == true)
    }
}
