import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Removing identities in a password reset")
struct ResetRemedyTests {
    /// Creates an account with Google. Then the user adds an Apple identity, and an administrator adds a Facebook
    /// identity.
    private static func gatewayWithThreeIdentities() async throws -> (TestGateway, localId: String) {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        try await gateway.makeServiceKey()
        let person = SimulatedPerson.named("Per", "Son").with { $0.email = "person@gmail.com" }
        let owner = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(person)))
        gateway.clock.advance(by: .seconds(60))
        var headers = Headers()
        headers.add("User-Agent", "Your account is safe <do nothing> (iPhone; iOS 19.0)")
        let linked = try await gateway.post(
            "/v1/accounts:signInWithIdp",
            [
                "postBody": .string(gateway.appleCredential(.alan).postBody), "requestUri": "http://localhost",
                "idToken": .string(owner.idToken),
            ], headers: headers)
        #expect(linked.status == 200, "\(linked.text)")
        gateway.clock.advance(by: .seconds(60))
        let facebook = try await gateway.linkIdentity(
            ["providerId": "facebook.com", "rawId": "f1"], to: owner.localId)
        #expect(facebook.status == 200, "\(facebook.text)")
        gateway.clock.advance(by: .seconds(60))
        return (gateway, owner.localId)
    }

    private static func linkedProviders(_ localId: String, at gateway: TestGateway) async throws -> [String] {
        try await gateway.identities(of: localId).compactMap { $0["providerId"]?.string }.sorted()
    }

    @Test("A reset on the page removes an identity only if the page offers it and the user selects it")
    func page() async throws {
        let (gateway, localId) = try await Self.gatewayWithThreeIdentities()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "person@gmail.com"])
        let page = try await gateway.openActionPage(code)
        #expect(page.checkboxes.sorted() == ["remove.apple.com", "remove.facebook.com"])
        #expect(!page.text.contains(" checked"))
        // The device that linked the Apple identity, and the date of the test's clock.
        #expect(page.text.contains("App on iPhone") && page.text.contains("15 January 2027"))
        #expect(!page.text.contains("account is safe"))
        let events = try await gateway.newAuditEvents {
            let done = try await gateway.submitActionPage(
                code,
                [
                    "newPassword": "staple battery", "remove.apple.com": "true", "remove.google.com": "true",
                    "remove.oidc.other": "true", "remove.": "true",
                ])
            #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        }
        #expect(try await Self.linkedProviders(localId, at: gateway) == ["facebook.com", "google.com"])
        #expect(
            events.map(\.description) == [
                "user identity.unlinked \(localId) provider=apple.com", "user password.changed \(localId)",
            ])
        #expect(try await gateway.recordedEvents().outbox.contains("identity.unlinked \(localId) apple.com"))
        #expect(try await gateway.signIn(gateway.appleCredential(.alan)).json["localId"]?.string != localId)
    }

    @Test(
        "A reset through the API keeps all identities, and emails a link that removes each that may not be the owner's")
    func api() async throws {
        let (gateway, localId) = try await Self.gatewayWithThreeIdentities()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "person@gmail.com"])
        #expect(try await gateway.resetPassword(code, "staple battery").status == 200)
        #expect(try await Self.linkedProviders(localId, at: gateway) == ["apple.com", "facebook.com", "google.com"])
        let removals = try #require(try await gateway.emails(.passwordChanged).last?.content.removals)
        #expect(removals.map(\.provider.rawValue).sorted() == ["apple.com", "facebook.com"])
        gateway.clock.advance(by: .seconds(60))
        let facebook = try #require(removals.first { $0.provider.rawValue == "facebook.com" })
        #expect(try await gateway.submitActionPage(facebook.code).text.contains("Now set a new password"))
        #expect(try await Self.linkedProviders(localId, at: gateway) == ["apple.com", "google.com"])
        let apple = try #require(removals.first { $0.provider == .apple })
        #expect(try await gateway.submitActionPage(apple.code).text.contains("Now set a new password"))
        #expect(try await Self.linkedProviders(localId, at: gateway) == ["google.com"])
    }

}
