import Foundation
import HTTP
import Identity
import Testing

@testable import SekishoAuth
@testable import Support

/// A browser in which a user signs in with a password on the sign-in page.
private struct PageBrowser: AuthBrowser {
    let gateway: TestGateway
    /// Whether the user cancels on the page.
    var cancels = false
    /// Replaces the state in the URL that the browser returns.
    var state: String?

    func open(_ page: URL, redirectURL: URL, uiDelegate: (any AuthUIDelegate)?) async throws -> URL {
        let browser = SignInPageBrowser(gateway)
        let shown = try await browser.open(page.absoluteString)
        let done =
            try await cancels
            ? browser.submit(shown, "cancel") : browser.signIn(email: "ada@example.com", on: shown)
        var result = try #require(done.location, "\(done.text)")
        if let state { result = result.replacing(#/state=[^&]*/#, with: "state=\(state)") }
        return try #require(URL(string: result))
    }
}

@Suite("A sign-in on the gateway's page")
struct HostedPageSignInTests {
    /// RFC 7636, appendix B.
    static let key = ProofKey(
        verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")

    private func app(browser change: (inout PageBrowser) -> Void = { _ in }) async throws -> TestApp {
        let gateway = try await TestGateway(transport: .socket).withAppSettings(
            #"{"platform": "ios", "bundleIds": ["com.example.app"], "redirectUris": ["com.example.app:/sekisho"]}"#)
        _ = try await gateway.signUp(email: "ada@example.com")
        var browser = PageBrowser(gateway: gateway)
        change(&browser)
        return try await TestApp(gateway) { options in
            options.browser = browser
            options.redirectURL = URL(string: "com.example.app:/sekisho")
        }
    }

    @Test("The user signs in on the page, and the app gets a session that it can refresh")
    func signIn() async throws {
        let app = try await app()
        let result = try await app.auth.core.signInWithHostedPage(Self.key, uiDelegate: nil)
        #expect(result.additionalUserInfo?.isNewUser == false)
        #expect(result.user.email == "ada@example.com")
        #expect(app.auth.currentUser === result.user)
        #expect(try await result.user.getIDTokenResult(forcingRefresh: true).token.isEmpty == false)
    }

    @Test("If the user cancels on the page, the error is webContextCancelled")
    func cancelled() async throws {
        let app = try await app { $0.cancels = true }
        let error = await failure { try await app.auth.core.signInWithHostedPage(Self.key, uiDelegate: nil) }
        #expect(error == .webContextCancelled)
        #expect(app.auth.currentUser == nil)
    }

    @Test("A URL with the state of another sign-in is rejected, and its code is not sent")
    func otherState() async throws {
        let app = try await app { $0.state = "other" }
        let (error, operations) = await app.transport.operations {
            await failure { try await app.auth.core.signInWithHostedPage(Self.key, uiDelegate: nil) }
        }
        #expect(error == .webSignInUserInteractionFailure)
        #expect(operations == ["createSignInUri"])
    }
}
