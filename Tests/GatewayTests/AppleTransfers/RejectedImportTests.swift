import Identity
import Providers
import Storage
import Synchronization
import Testing

@testable import Gateway
@testable import Simulators
@testable import Support

@Suite("Imports that Apple rejects")
struct RejectedImportTests {
    @Test("An import that Apple rejects is recorded with Apple's reason, and requested again only on demand")
    func rejectedImport() async throws {
        let fixture = try await TeamTransferTests.Fixture.moved()
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.mary, from: SimulatedProviders.appleClient)
        let rejected = [
            AppleTransferStore.RejectedImport(account: ID(fixture.mary.localId), error: "invalid_request")
        ]
        #expect(try await fixture.importAll() == .init(all: 2, done: 1, rejected: 1, rejectedImports: rejected))
        let store = AppleTransferStore(pool: fixture.gateway.database.pool)
        #expect(try await store.waitingCounts(in: fixture.gateway.project.realm).isEmpty, "`check` does not report it")
        try fixture.reconnect(TeamTransferTests.mary)
        #expect(try await fixture.importAll() == .init(all: 2, done: 1, rejectedImports: rejected))
        #expect(try await fixture.importAll(retryingRejected: true) == .init(all: 2, done: 2))
        #expect(try await fixture.addresses(fixture.mary) == fixture.expectedAddresses(TeamTransferTests.mary))
    }

    @Test("A sign-in completes a transfer whose import Apple rejected")
    func signInAfterRejection() async throws {
        let fixture = try await TeamTransferTests.Fixture.moved()
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.mary, from: SimulatedProviders.appleClient)
        #expect(try await fixture.importAll().rejectedImports.count == 1)
        let again = try TestGateway.Tokens(await fixture.gateway.signIn(fixture.gateway.apple(TeamTransferTests.mary)))
        #expect(again.localId == fixture.mary.localId)
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
    }

    @Test("An import in which Apple rejects every identity fails and records nothing, because the team may be wrong")
    func allImportsRejected() async throws {
        let fixture = try await TeamTransferTests.Fixture.moved()
        for person in [TeamTransferTests.ada, TeamTransferTests.mary] {
            fixture.gateway.simulators.apple.disconnect(person, from: SimulatedProviders.appleClient)
        }
        await #expect(throws: Failure.self) { try await fixture.importAll() }
        for person in [TeamTransferTests.ada, TeamTransferTests.mary] { try fixture.reconnect(person) }
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
    }

    @Test("A rejection is not recorded if Apple accepts the identity when it is requested again")
    func acceptedAgain() async throws {
        let fixture = try await TeamTransferTests.Fixture.moved()
        let requests = Mutex<[String: Int]>([:])
        let subjectOfMary = SimulatedApple.transferSubject(
            of: TeamTransferTests.mary, from: AppleServer.team, to: TeamTransferTests.newTeam)
        let run = try fixture.run(as: TeamTransferTests.newTeam) { endpoint in
            endpoint.user = { [user = endpoint.user] transferSubject, token, client in
                let count = requests.withLock { requests in
                    requests[transferSubject, default: 0] += 1
                    return requests[transferSubject]
                }
                guard transferSubject == subjectOfMary, count == 1 else {
                    return try await user(transferSubject, token, client)
                }
                return .failed(.rejected(.invalidRequest))
            }
        }
        #expect(try await run.import { _ in } == .init(all: 2, done: 2))
        #expect(requests.withLock { $0[subjectOfMary] } == 2)
    }

    @Test("A rejection is not recorded if the client ID of the request is not that of the identity's latest sign-in")
    func otherClientID() async throws {
        let fixture = try await TeamTransferTests.Fixture.moved()
        #expect(try await fixture.gateway.signIn(fixture.gateway.apple(TeamTransferTests.ada)).status == 200)
        let run = try fixture.run(as: TeamTransferTests.newTeam, clientID: "com.example.other") { endpoint in
            endpoint.token = { _ in .found(Secret("token")) }
            endpoint.user = { _, _, _ in .failed(.rejected(.invalidRequest)) }
        }
        #expect(try await run.import { _ in } == .init(all: 2, done: 1, rejected: 1))
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
    }

    @Test("A rejection is recorded if another identity was moved to the team, even if only by a sign-in")
    func movedEarlier() async throws {
        let fixture = try await TeamTransferTests.Fixture.moved()
        #expect(try await fixture.gateway.signIn(fixture.gateway.apple(TeamTransferTests.ada)).status == 200)
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.mary, from: SimulatedProviders.appleClient)
        let progress = try await fixture.importAll()
        #expect(progress.rejectedImports.map(\.account) == [ID(fixture.mary.localId)])
    }

    @Test(
        "A recorded rejection is removed when Apple accepts the identity, even if another account has the new subject")
    func conflictAfterRejection() async throws {
        let fixture = try await TeamTransferTests.Fixture.moved()
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.ada, from: SimulatedProviders.appleClient)
        #expect(try await fixture.importAll().rejectedImports.count == 1)
        let exchange = try await fixture.gateway.signIn(
            fixture.gateway.apple(TeamTransferTests.ada) { $0.claims["transfer_sub"] = nil })
        #expect(exchange.json["isNewUser"] == true, "\(exchange.text)")
        try fixture.reconnect(TeamTransferTests.ada)
        let conflict = AppleTransferRun.Progress(all: 2, done: 1, conflicts: [ID(fixture.ada.localId)])
        #expect(try await fixture.importAll(retryingRejected: true) == conflict)
        #expect(try await fixture.importAll() == conflict)
    }
}
