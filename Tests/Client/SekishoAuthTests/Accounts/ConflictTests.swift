import Foundation
import Identity
import SekishoAuth
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Conflicts between accounts")
struct ConflictTests {
    @Test("Linking an identity of another account fails; the error contains a credential that signs in to that account")
    func credentialInUse() async throws {
        let app = try await TestApp()
        let ownerUID = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user.uid
        try app.auth.signOut()
        let anonymous = try await app.auth.signInAnonymously().user
        let conflict = await failure { try await anonymous.link(with: app.gateway.appleCredential().oauthCredential()) }
        #expect(conflict == .credentialAlreadyInUse)
        #expect(app.auth.currentUser === anonymous)
        let credential = try #require(conflict?.updatedCredential)
        #expect(credential.provider == "apple.com")
        #expect((credential as? OAuthCredential)?.pendingToken != nil)
        let signedIn = try await app.auth.signIn(with: credential)
        #expect(signedIn.user.uid == ownerUID)
        #expect(signedIn.additionalUserInfo?.isNewUser == false)
    }

    @Test("The error of a conflict still has the credential after a conversion to NSError")
    func nsError() async throws {
        let app = try await TestApp()
        _ = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential())
        try app.auth.signOut()
        let anonymous = try await app.auth.signInAnonymously().user
        let conflict = try #require(
            await failure { try await anonymous.link(with: app.gateway.appleCredential().oauthCredential()) })
        let error = conflict as NSError
        #expect(error.code == 17025, "credentialAlreadyInUse")
        #expect(error.userInfo[AuthErrorUserInfoUpdatedCredentialKey] is AuthCredential)
    }

    @Test(
        "After a sign-in to the account with the same email address, the credential in the error can be linked")
    func otherCredential() async throws {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let ownerUID = try await app.auth.createUser(
            withEmail: "mary@company.example", password: "correct horse battery"
        ).user.uid
        try app.auth.signOut()
        let google = try app.gateway.googleCredential(.mary.with { $0.email = "mary@company.example" })
        let conflict = try #require(await failure { try await app.auth.signIn(with: google.oauthCredential()) })
        #expect(conflict == .accountExistsWithDifferentCredential)
        #expect(conflict.email == "mary@company.example")
        #expect(app.auth.currentUser == nil)
        let user = try await app.auth.signIn(withEmail: "mary@company.example", password: "correct horse battery").user
        try await user.link(with: try #require(conflict.updatedCredential))
        #expect(user.uid == ownerUID)
        #expect(Set(user.providerData.map(\.providerID)) == ["password", "google.com"])
    }

    @Test("Linking a linked provider fails without a request, and unlinking a provider that is not linked fails")
    func alreadyLinked() async throws {
        let app = try await TestApp()
        let user = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user
        let (error, operations) = await app.transport.operations {
            await failure { try await user.link(with: app.gateway.appleCredential().oauthCredential()) }
        }
        #expect(error == .providerAlreadyLinked)
        #expect(operations == [])
        #expect(await failure { try await user.unlink(fromProvider: "google.com") } == .noSuchProvider)
    }

    @Test("A reauthentication as another user fails, and keeps the current user and the token")
    func mismatch() async throws {
        let app = try await TestApp()
        _ = try await app.auth.signIn(with: app.gateway.googleCredential().oauthCredential())
        try app.auth.signOut()
        let user = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user
        let token = try await user.getIDToken()
        #expect(
            await failure { try await user.reauthenticate(with: app.gateway.googleCredential().oauthCredential()) }
                == .userMismatch)
        let unknown = try app.gateway.googleCredential(.alan)
        #expect(await failure { try await user.reauthenticate(with: unknown.oauthCredential()) } == .userMismatch)
        #expect(try await user.getIDToken() == token)
        #expect(app.auth.currentUser === user)
        try await user.reauthenticate(with: app.gateway.appleCredential().oauthCredential())
        #expect(try await user.getIDToken() != token)
    }

    @Test("A merge has a preview, and signs in to the target")
    func merge() async throws {
        let app = try await TestApp()
        let targetUID = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user.uid
        try app.auth.signOut()
        let source = try await app.auth.createUser(withEmail: "guest@example.com", password: "secret1").user
        let conflict = try #require(
            await failure { try await source.link(with: app.gateway.appleCredential().oauthCredential()) })
        let preview = try await source.previewMerge(into: .credential(try #require(conflict.updatedCredential)))
        #expect(preview.sourceUID == source.uid)
        #expect(preview.targetUID == targetUID)
        #expect(app.auth.currentUser === source)
        let merged = try await source.merge(preview)
        #expect(merged.user.uid == targetUID)
        #expect(merged.undoableUntil != nil)
        #expect(app.auth.currentUser === merged.user)
        #expect(try app.authOfNewProcess().currentUser?.uid == targetUID)
    }

    @Test("A merge completes although the caller is cancelled, because the gateway has deleted the source")
    func cancelledMerge() async throws {
        let app = try await TestApp()
        let targetUID = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user.uid
        let source = try await app.auth.createUser(withEmail: "guest@example.com", password: "secret1").user
        let credential = try app.gateway.appleCredential().oauthCredential()
        let conflict = try #require(await failure { try await source.link(with: credential) })
        let preview = try await source.previewMerge(into: .credential(try #require(conflict.updatedCredential)))
        // A dump of the preview shows neither the credential nor the merge token.
        #expect(Mirror(reflecting: preview).children.compactMap(\.label) == ["sourceUID", "targetUID"])
        app.transport.injectNext(.holdResponse, for: "merge")
        let merge = Task { try await source.merge(preview).user.uid }
        try await eventually { app.transport.heldCount == 1 }
        merge.cancel()
        app.transport.releaseResponses()
        #expect(try await merge.value == targetUID)
        #expect(app.auth.currentUser?.uid == targetUID)
    }

    @Test("The user of another instance of Auth proves the ownership of a merge's target")
    func mergeUser() async throws {
        let app = try await TestApp()
        let other = try await TestApp(app.gateway)
        let target = try await other.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let source = try await app.auth.signInAnonymously().user
        let preview = try await source.previewMerge(into: .user(target))
        #expect(try await source.merge(preview).user.uid == target.uid)
    }
}
