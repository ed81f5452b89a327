import Foundation
import Identity
import Testing

@testable import SekishoAuth
@testable import Support

/// A browser in which a guest signs in on the sign-in page, and answers the question about the guest account.
private struct GuestBrowser: AuthBrowser {
    let gateway: TestGateway
    /// The address of the account to which the guest signs in; `nil` signs in with Google.
    var email: String?
    var answer = "confirm"
    /// Records the headings of the questions.
    let questions = ListenerLog()
    /// Runs while the page asks.
    var meanwhile: @Sendable () async throws -> Void = {}

    func open(_ page: URL, redirectURL: URL, uiDelegate: (any AuthUIDelegate)?) async throws -> URL {
        let browser = SignInPageBrowser(gateway)
        let shown = try await browser.open(page.absoluteString)
        let signedIn =
            if let email {
                try await browser.signIn(email: email, on: shown)
            } else {
                try await browser.signIn(with: "google.com", on: shown)
            }
        var location = try #require(signedIn.location, "\(signedIn.text)")
        if !location.hasPrefix(redirectURL.absoluteString) {
            let question = try await browser.open(location)
            questions.append(question.heading ?? "")
            try await meanwhile()
            let answered = try await browser.submit(question, answer)
            location = try #require(answered.location, "\(answered.text)")
        }
        return try #require(URL(string: location))
    }
}

@Suite("A guest who signs in on the gateway's page")
struct HostedPageGuestTests {
    private func app(
        browser change: (inout GuestBrowser) -> Void = { _ in }, policy changePolicy: (inout Policy) -> Void = { _ in }
    ) async throws -> (app: TestApp, guest: User, questions: ListenerLog, ada: String) {
        let gateway = try await TestGateway(transport: .socket, servesApple: true) { policy in
            policy.emailEnumerationProtection = false
            changePolicy(&policy)
        }.withAppSettings(
            #"{"platform": "ios", "bundleIds": ["com.example.app"], "redirectUris": ["com.example.app:/sekisho"]}"#)
        let ada = try await gateway.signUp(email: "ada@example.com")
        var browser = GuestBrowser(gateway: gateway)
        change(&browser)
        let app = try await TestApp(gateway) { options in
            options.browser = browser
            options.redirectURL = URL(string: "com.example.app:/sekisho")
        }
        return (app, try await app.auth.signInAnonymously().user, browser.questions, ada.localId)
    }

    private static func signIn(_ app: TestApp) async throws -> AuthDataResult {
        try await app.auth.core.signInWithHostedPage(HostedPageSignInTests.key, uiDelegate: nil)
    }

    @Test("With a new identity, the guest keeps the account, also after a restart")
    func upgrade() async throws {
        let (app, guest, questions, _) = try await app()
        let (result, operations) = try await app.transport.operations { try await Self.signIn(app) }
        #expect(operations == ["createSignInUri", "token", "lookup"])
        #expect(questions.lines == ["Keep your guest account"])
        #expect(result.user === guest && app.auth.currentUser === guest)
        #expect(!guest.isAnonymous)
        #expect(guest.providerData.map(\.providerID) == ["google.com"])
        let restored = try #require(try app.authOfNewProcess().currentUser)
        #expect(restored.uid == guest.uid && !restored.isAnonymous)
        #expect(try await guest.getIDTokenResult(forcingRefresh: true).token.isEmpty == false)
    }

    @Test("With another account, the guest account becomes part of it, and its user is the current user")
    func merge() async throws {
        let (app, guest, questions, ada) = try await app { $0.email = "ada@example.com" }
        let result = try await Self.signIn(app)
        #expect(questions.lines == ["You already have an account"])
        #expect(result.user.uid == ada && app.auth.currentUser === result.user)
        #expect(!result.user.isAnonymous)
        #expect(try await result.user.getIDTokenResult(forcingRefresh: true).token.isEmpty == false)
        #expect(await failure { try await guest.getIDTokenResult(forcingRefresh: true) } != nil)
        #expect(app.auth.currentUser === result.user, "the user who signed in meanwhile stays signed in")
    }

    @Test("If the user cancels, the guest stays signed in", arguments: [nil, "ada@example.com"])
    func cancelled(email: String?) async throws {
        let (app, guest, _, _) = try await app {
            $0.answer = "cancel"
            $0.email = email
        }
        #expect(await failure { try await Self.signIn(app) } == .webContextCancelled)
        #expect(app.auth.currentUser === guest && guest.isAnonymous)
        #expect(try await guest.getIDTokenResult(forcingRefresh: true).token.isEmpty == false)
    }

    @Test("If the project allows no merge, the error is that of the page, and the guest stays signed in")
    func refused() async throws {
        let (app, guest, questions, _) = try await app {
            $0.email = "ada@example.com"
        } policy: {
            $0.allowsDeletion = false
        }
        let error = await failure { try await Self.signIn(app) }
        #expect(error == .webSignInUserInteractionFailure)
        #expect(error?.serverCode == "already_linked")
        #expect(questions.lines.isEmpty)
        #expect(app.auth.currentUser === guest && guest.isAnonymous)
    }

    @Test("If the response to the exchange is lost, it is not repeated, and the next reload shows the account")
    func lostResponse() async throws {
        let (app, guest, _, _) = try await app()
        app.transport.injectNext(.dropResponse, for: "token")
        let (error, operations) = await app.transport.operations { await failure { try await Self.signIn(app) } }
        #expect(error == .networkError)
        #expect(operations == ["createSignInUri", "token"], "a second exchange ends the session")
        try await guest.reload()
        #expect(!guest.isAnonymous && app.auth.currentUser === guest)
    }

    @Test("If another user has signed in while the page was open, the account of the page is the current user")
    func otherUser() async throws {
        let auth = Locked<Auth?>(nil)
        let (app, guest, _, _) = try await app { browser in
            browser.meanwhile = {
                _ = try await auth.withLock { $0 }?.signIn(withEmail: "ada@example.com", password: "secret1")
            }
        }
        auth.withLock { $0 = app.auth }
        let result = try await Self.signIn(app)
        #expect(result.user.uid == guest.uid && app.auth.currentUser === result.user)
        #expect(!result.user.isAnonymous)
    }

    @Test("A guest whose session has ended is signed out, and no page opens")
    func endedSession() async throws {
        let (app, guest, questions, _) = try await app()
        let idToken = try await guest.getIDTokenResult().token
        let ended = try await app.gateway.post(
            "/v1/accounts:revokeSession", ["idToken": .string(idToken), "sessionId": "current"])
        #expect(ended.status == 204, "\(ended.text)")
        #expect(await failure { try await Self.signIn(app) } == .userTokenExpired)
        #expect(questions.lines.isEmpty && app.auth.currentUser == nil && guest.isAnonymous)
    }
}
