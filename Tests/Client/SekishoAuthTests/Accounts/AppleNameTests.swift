import Foundation
import Identity
import Simulators
import Testing

@testable import SekishoAuth
@testable import Support

/// Apple sends the user's name only at the first sign-in to the app.
@Suite("The name from Apple")
struct AppleNameTests {
    private static let ada: PersonNameComponents = {
        var name = PersonNameComponents()
        name.givenName = "Ada"
        name.familyName = "Lovelace"
        return name
    }()

    private func credential(_ app: TestApp, name: PersonNameComponents? = nil) throws -> OAuthCredential {
        try app.gateway.appleCredential().oauthCredential(name: name)
    }

    @Test("A name that the gateway did not get is sent with the next credential, even after a restart")
    func lostRequest() async throws {
        let app = try await TestApp()
        app.transport.injectNext(.dropRequest)
        let first = try credential(app, name: Self.ada)
        #expect(await failure { try await app.auth.signIn(with: first) } == .networkError)
        let restarted = try app.authOfNewProcess()
        #expect(try await restarted.signIn(with: credential(app)).user.displayName == "Ada Lovelace")
        // Only the session is left in the store.
        try restarted.signOut()
        #expect(app.store.isEmpty)
    }

    @Test("A name is kept during a conflict, and sent with the credential that resolves it")
    func conflict() async throws {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let user = try await app.auth.createUser(withEmail: "a@example.com", password: "correct horse battery").user
        app.transport.injectNext(
            .respond(400, [:], #"{"error":{"code":400,"message":"CREDENTIAL_TOO_OLD_LOGIN_AGAIN"}}"#),
            for: "signInWithIdp")
        let first = try credential(app, name: Self.ada)
        #expect(await failure { try await user.link(with: first) } == .requiresRecentLogin)
        try await user.link(with: credential(app))
        try await user.reload()
        #expect(user.displayName == "Ada Lovelace")
    }

    @Test("A name is sent only with the credential of the same user of Apple")
    func anotherUser() async throws {
        let app = try await TestApp()
        app.transport.injectNext(.dropRequest)
        let first = try credential(app, name: Self.ada)
        #expect(await failure { try await app.auth.signIn(with: first) } == .networkError)
        let mary = try app.gateway.appleCredential(.mary).oauthCredential()
        #expect(try await app.auth.signIn(with: mary).user.displayName == nil)
        #expect(try await app.auth.signIn(with: credential(app)).user.displayName == "Ada Lovelace")
    }

    @Test("A sign-in succeeds although the name cannot be stored")
    func failingStore() async throws {
        let app = try await TestApp()
        app.transport.injectNext(.holdRequest, for: "signInWithIdp")
        app.store.setFailure(.failed("disk full"))
        let first = try credential(app, name: Self.ada)
        let signIn = Task { try await app.auth.signIn(with: first) }
        try await eventually { app.transport.heldRequestCount == 1 }
        app.store.setFailure(nil)
        app.transport.releaseRequests()
        #expect(try await signIn.value.user.displayName == "Ada Lovelace")
    }

    @Test("The number of kept names is bounded; the oldest is removed first")
    func bound() {
        var names = AppleNames()
        for number in 0...AppleNames.limit { names.set(PersonName(givenName: "\(number)"), of: "id\(number)") }
        #expect(names.entries.count == AppleNames.limit)
        #expect(names.name(of: "id0") == nil)
        #expect(names.name(of: "id1")?.givenName == "1")
    }
}
