import Encoding
import Identity
import Providers
import Storage
import Synchronization
import Testing

@testable import Gateway
@testable import Simulators
@testable import Support

/// An import exchanges the transfer subject (`transfer_sub`) of each identity, which an earlier export has stored, for
/// the user's new subject. It uses the key of the new team.
/// Apple rejects the request for a user who has disconnected the app, until the user signs in with Apple again.
@Suite("Imports that Apple rejects")
struct RejectedImportTests {
    @Test("A rejection is recorded with Apple's error code, and the next import repeats the request only with a flag")
    func rejectedImport() async throws {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.mary, from: SimulatedProviders.appleClientID)
        let rejections = [
            AppleTransferStore.RejectedImport(account: ID(fixture.mary.localId), error: "invalid_request")
        ]
        #expect(
            try await fixture.importAll()
                == .init(all: 2, done: 1, rejectedInThisRun: 1, recordedRejections: rejections))
        let store = AppleTransferStore(pool: fixture.gateway.database.pool)
        let waiting = try await store.countsOfWaitingImports(in: fixture.gateway.realm.id)
        #expect(waiting.isEmpty, "`check` does not report the import as unfinished")
        try fixture.reconnect(TeamTransferTests.mary)
        #expect(try await fixture.importAll() == .init(all: 2, done: 1, recordedRejections: rejections))
        #expect(try await fixture.importAll(retryingRejected: true) == .init(all: 2, done: 2))
        #expect(
            try await fixture.identity(of: fixture.mary) == fixture.identityAfterTransfer(of: TeamTransferTests.mary))
    }

    @Test("A sign-in completes a transfer whose import Apple rejected")
    func signInAfterRejection() async throws {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.mary, from: SimulatedProviders.appleClientID)
        #expect(try await fixture.importAll().recordedRejections.count == 1)
        let again = try TestGateway.Tokens(
            await fixture.gateway.signIn(fixture.gateway.appleCredential(TeamTransferTests.mary)))
        #expect(again.localId == fixture.mary.localId)
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
    }

    @Test("An import in which Apple rejects every identity fails and records nothing, because the team may be wrong")
    func allImportsRejected() async throws {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        for person in [TeamTransferTests.ada, TeamTransferTests.mary] {
            fixture.gateway.simulators.apple.disconnect(person, from: SimulatedProviders.appleClientID)
        }
        await #expect(throws: Failure.self) { try await fixture.importAll() }
        for person in [TeamTransferTests.ada, TeamTransferTests.mary] { try fixture.reconnect(person) }
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
    }

    @Test("A rejection is not recorded if Apple accepts the identity at the second request of the same import")
    func acceptedAgain() async throws {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        let requests = Mutex<[String: Int]>([:])
        let subjectOfMary = SimulatedApple.transferSubject(
            of: TeamTransferTests.mary, from: AppleServer.team, to: TeamTransferTests.newTeam)
        let run = try fixture.transferRun(as: TeamTransferTests.newTeam) { endpoint in
            endpoint.transferredUser = { [transferredUser = endpoint.transferredUser] transferSubject, token, client in
                let count = requests.withLock { requests in
                    requests[transferSubject, default: 0] += 1
                    return requests[transferSubject]
                }
                guard transferSubject == subjectOfMary, count == 1 else {
                    return try await transferredUser(transferSubject, token, client)
                }
                return .failed(.rejected(.invalidRequest))
            }
        }
        #expect(try await run.import { _ in } == .init(all: 2, done: 2))
        #expect(requests.withLock { $0[subjectOfMary] } == 2)
    }

    @Test("A rejection is not recorded if the request had another client ID than the identity's latest sign-in")
    func otherClientID() async throws {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        #expect(try await fixture.gateway.signIn(fixture.gateway.appleCredential(TeamTransferTests.ada)).status == 200)
        let run = try fixture.transferRun(as: TeamTransferTests.newTeam, clientID: "com.example.other") { endpoint in
            endpoint.accessToken = { _ in .found(Secret("token")) }
            endpoint.transferredUser = { _, _, _ in .failed(.rejected(.invalidRequest)) }
        }
        #expect(try await run.import { _ in } == .init(all: 2, done: 1, rejectedInThisRun: 1))
        #expect(try await fixture.importAll() == .init(all: 2, done: 2))
    }

    @Test("If a sign-in has already moved an identity, a rejection is recorded although the import itself moves none")
    func movedEarlier() async throws {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        #expect(try await fixture.gateway.signIn(fixture.gateway.appleCredential(TeamTransferTests.ada)).status == 200)
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.mary, from: SimulatedProviders.appleClientID)
        let progress = try await fixture.importAll()
        #expect(progress.recordedRejections.map(\.account) == [ID(fixture.mary.localId)])
    }

    @Test(
        "A recorded rejection is removed when Apple accepts the identity, even if another account has the new subject")
    func conflictAfterRejection() async throws {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        fixture.gateway.simulators.apple.disconnect(TeamTransferTests.ada, from: SimulatedProviders.appleClientID)
        #expect(try await fixture.importAll().recordedRejections.count == 1)
        let exchange = try await fixture.gateway.signIn(
            fixture.gateway.appleCredential(TeamTransferTests.ada) { $0.claims["transfer_sub"] = nil })
        #expect(exchange.json["isNewUser"] == true, "\(exchange.text)")
        try fixture.reconnect(TeamTransferTests.ada)
        let conflict = AppleTransferRun.Progress(all: 2, done: 1, conflicts: [ID(fixture.ada.localId)])
        #expect(try await fixture.importAll(retryingRejected: true) == conflict)
        #expect(try await fixture.importAll() == conflict, "without a recorded rejection, Apple is asked again")
    }
}
