import Foundation
import Identity
import SekishoAuth
import Simulators
import Testing

@testable import Support

/// A browser in which a person signs in at a simulated provider.
private struct SimulatedBrowser: AuthBrowser {
    let gateway: TestGateway
    var person = SimulatedPerson.ada
    /// Whether the user cancels at the provider.
    var cancels = false
    /// What the browser returns in place of the gateway's URL.
    var other: URL?

    func open(_ page: URL, redirectURL: URL, uiDelegate: (any AuthUIDelegate)?) async throws -> URL {
        if let other { return other }
        let response = try await TestBrowser(gateway).signInAtProvider(person, opening: page.absoluteString) {
            if cancels { $0 = $0.filter { $0.0 == "state" } + [("error", "access_denied")] }
        }
        return try #require(response.location.flatMap { URL(string: $0) })
    }
}

@Suite("A sign-in at a provider in the browser")
struct BrowserSignInTests {
    private static let redirectURL = "com.example.app:/sekisho"

    private func app(
        redirectURL: String? = redirectURL, browser change: (inout SimulatedBrowser) -> Void = { _ in }
    ) async throws -> TestApp {
        let gateway = try await TestGateway(transport: .socket, servesApple: true).withAppSettings(
            #"{"bundleIds": ["com.example.app"], "redirectUris": ["\#(Self.redirectURL)"]}"#)
        var browser = SimulatedBrowser(gateway: gateway)
        change(&browser)
        return try await TestApp(gateway) { options in
            options.browser = browser
            options.redirectURL = redirectURL.flatMap { URL(string: $0) }
        }
    }

    @Test("Google and Apple sign in, without their libraries", arguments: ["google.com", "apple.com"])
    func signIn(providerID: String) async throws {
        let app = try await app()
        let provider = OAuthProvider(providerID: providerID)
        let result = try await app.auth.signIn(with: provider, uiDelegate: nil)
        #expect(result.additionalUserInfo?.isNewUser == true)
        #expect(result.user.providerData.map(\.providerID) == [providerID])
        #expect(app.auth.currentUser === result.user)
        #expect(try await app.auth.signIn(with: provider, uiDelegate: nil).user.uid == result.user.uid)
    }

    @Test("A credential from getCredentialWith signs in once")
    func credential() async throws {
        let app = try await app()
        let provider = OAuthProvider(providerID: "google.com", auth: app.auth)
        provider.scopes = ["https://www.googleapis.com/auth/calendar.readonly"]
        provider.customParameters = ["login_hint": "ada@example.com"]
        let credential: AuthCredential = try await withCheckedThrowingContinuation { continuation in
            provider.getCredentialWith(nil) { credential, error in
                if let credential { continuation.resume(returning: credential) }
                if let error { continuation.resume(throwing: error) }
            }
        }
        #expect(app.transport.body?["oauthScope"]?.string == provider.scopes?.first)
        #expect(app.transport.body?["customParameter"]?["login_hint"]?.string == "ada@example.com")
        _ = try await app.auth.signIn(with: credential)
        #expect(await failure { try await app.auth.signIn(with: credential) } != nil)
    }

    @Test("A user links a provider, and reauthenticates with it")
    func linkAndReauthenticate() async throws {
        let app = try await app()
        let user = try await app.auth.signInAnonymously().user
        let provider = OAuthProvider(providerID: "google.com")
        try await user.link(with: provider, uiDelegate: nil)
        #expect(user.providerData.map(\.providerID) == ["google.com"])
        let other = try await user.reauthenticate(with: provider, uiDelegate: nil)
        #expect(other.user === user)
    }

    @Test("A reauthentication as another person fails, and creates no account")
    func otherPerson() async throws {
        let app = try await app { $0.person = .mary }
        let ada = try app.gateway.appleCredential().oauthCredential()
        let user = try await app.auth.signIn(with: ada).user
        let provider = OAuthProvider(providerID: "google.com")
        #expect(await failure { try await user.reauthenticate(with: provider, uiDelegate: nil) } == .userMismatch)
        #expect(app.auth.currentUser === user)
    }

    @Test("If the user cancels, the error is webContextCancelled, and no further request is sent")
    func cancelled() async throws {
        let app = try await app { $0.cancels = true }
        let provider = OAuthProvider(providerID: "google.com")
        let (error, operations) = await app.transport.operations {
            await failure { try await app.auth.signIn(with: provider, uiDelegate: nil) }
        }
        #expect(error == .webContextCancelled)
        #expect(operations == ["createAuthUri"])
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var redirectURL: String? = BrowserSignInTests.redirectURL
        var returned: String?
        let error: AuthErrorCode
    }

    @Test(
        "A sign-in without a usable redirect URL, or with another URL from the browser, fails",
        arguments: [
            Row(testDescription: "no redirect URL", redirectURL: nil, error: .invalidContinueURI),
            Row(testDescription: "a redirect URL of no app", redirectURL: "com.other:/x", error: .unauthorizedDomain),
            Row(
                testDescription: "a URL without a grant", returned: redirectURL,
                error: .webSignInUserInteractionFailure),
            Row(
                testDescription: "an error of the gateway", returned: redirectURL + "?error=INVALID_IDP_RESPONSE",
                error: .invalidCredential),
            Row(
                testDescription: "a grant of somebody else", returned: redirectURL + "?grant=stolen",
                error: .invalidCredential),
        ])
    func failures(row: Row) async throws {
        let app = try await app(redirectURL: row.redirectURL) { browser in
            browser.other = row.returned.flatMap { URL(string: $0) }
        }
        let provider = OAuthProvider(providerID: "google.com")
        #expect(await failure { try await app.auth.signIn(with: provider, uiDelegate: nil) } == row.error)
        #expect(app.auth.currentUser == nil)
    }

    @Test("Without a browser, the call fails")
    func noBrowser() async throws {
        let app = try await TestApp()
        let provider = OAuthProvider(providerID: "google.com")
        #expect(await failure { try await app.auth.signIn(with: provider, uiDelegate: nil) } == .operationNotAllowed)
    }
}
