import Foundation
import Identity
import SekishoAuth
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Signing in")
struct SignInTests {
    @Test(
        "A sign-in with Apple stores the user's name, whatever its characters, unless the name is blank",
        arguments: [
            ("Ada", "Lovelace"), ("A&B", "100% + 1=2"), ("花子", "山田"), ("🚀", "O’Neill"), (" ", ""),
        ])
    func names(given: String, family: String) async throws {
        let app = try await TestApp()
        var name = PersonNameComponents()
        name.givenName = given
        name.familyName = family
        let result = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential(name: name))
        let expected = [given, family].map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let shown = result.user.displayName ?? ""
        for part in expected { #expect(shown.contains(part)) }
        if expected.isEmpty { #expect(result.user.displayName == nil) }
        #expect(result.additionalUserInfo?.providerID == "apple.com")
        #expect(result.additionalUserInfo?.isNewUser == true)
        #expect(result.additionalUserInfo?.profile?["sub"] is String)
        #expect(result.user.email == "ada.lovelace@example.com")
    }

    @Test("The credentials of three factory methods sign in to the same account")
    func credentialForms() async throws {
        let app = try await TestApp()
        let appleCredentials = try (0..<3).map { _ in try app.gateway.appleCredential() }
        let credentials = [
            OAuthProvider.credential(
                withProviderID: "apple.com", idToken: appleCredentials[0].idToken,
                rawNonce: appleCredentials[0].rawNonce),
            OAuthProvider.credential(
                providerID: .apple, idToken: appleCredentials[1].idToken, rawNonce: appleCredentials[1].rawNonce ?? ""),
            OAuthProvider.appleCredential(
                withIDToken: appleCredentials[2].idToken, rawNonce: appleCredentials[2].rawNonce, fullName: nil),
        ]
        var uids: Set<String> = []
        for credential in credentials { uids.insert(try await app.auth.signIn(with: credential).user.uid) }
        #expect(uids.count == 1)
    }

    @Test("A server auth code of Google signs in once, and the result has Google's tokens")
    func serverAuthCode() async throws {
        let app = try await TestApp()
        let google = app.gateway.simulators.google
        google.register(GoogleClient(id: SimulatedProviders.googleClientID))
        let code = try google.authorize(.mary, client: SimulatedProviders.googleClientID)
        let credential = GoogleAuthProvider.credential(withServerAuthCode: code)
        #expect(!"\(credential)\(String(reflecting: credential))".contains(code))
        let result = try await app.auth.signIn(with: credential)
        #expect(result.user.email == "mary.somerville@gmail.com")
        #expect(result.user.providerData.map(\.providerID) == ["google.com"])
        let tokens = try #require(result.credential as? OAuthCredential)
        #expect(tokens.accessToken?.isEmpty == false)
        #expect(await failure { try await app.auth.signIn(with: credential) } == .invalidCredential)
        let sentAgain = GoogleAuthProvider.credential(
            withIDToken: try #require(tokens.idToken), accessToken: "")
        #expect(try await app.auth.signIn(with: sentAgain).user.uid == result.user.uid)
        let reauthentication = try google.authorize(.mary, client: SimulatedProviders.googleClientID)
        try await result.user.reauthenticate(
            with: GoogleAuthProvider.credential(withServerAuthCode: reauthentication))
    }

    @Test("A sign-in with the nonce of another request fails with missingOrInvalidNonce")
    func otherNonce() async throws {
        let app = try await TestApp()
        let appleCredential = try app.gateway.appleCredential()
        let credential = OAuthProvider.credential(
            withProviderID: "apple.com", idToken: appleCredential.idToken, rawNonce: "of another request")
        let error = await failure { try await app.auth.signIn(with: credential) }
        #expect(error == .missingOrInvalidNonce)
        #expect(error?.localizedDescription.isEmpty == false)
    }

    @Test("A sign-in completes although the look-up after it fails, because the credential can be used only once")
    func lookupFails() async throws {
        let app = try await TestApp()
        // The look-up has two attempts.
        app.transport.injectNext(.dropResponse, for: "lookup")
        app.transport.injectNext(.respond(503), for: "lookup")
        let user = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user
        #expect(user.email == "ada.lovelace@example.com")
        #expect(user.isEmailVerified)
        #expect(user.providerData.isEmpty)
        #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
        try await user.reload()
        #expect(user.providerData.map(\.providerID) == ["apple.com"])
    }

    @Test("A sign-in completes although the caller is cancelled, because the credential can be used only once")
    func cancelled() async throws {
        let app = try await TestApp()
        app.transport.injectNext(.holdResponse, for: "signInWithIdp")
        let credential = try app.gateway.appleCredential().oauthCredential()
        let signIn = Task { try await app.auth.signIn(with: credential).user }
        try await eventually { app.transport.heldCount == 1 }
        signIn.cancel()
        app.transport.releaseResponses()
        let user = try await signIn.value
        #expect(user === app.auth.currentUser)
        #expect(app.auth.currentUser?.providerData.count == 1)
    }

    @Test("A sign-up keeps the current user if the session cannot be stored")
    func storeFails() async throws {
        let app = try await TestApp()
        let current = try await app.auth.signInAnonymously().user
        app.store.setFailure(.failed("disk full"))
        let error = await failure {
            try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1")
        }
        #expect(error == .keychainError)
        #expect(app.auth.currentUser === current)
    }

    @Test("An operation fails without a request if an input is missing or cannot be used")
    func unusableInput() async throws {
        let app = try await TestApp()
        let auth = app.auth
        #expect(await failure { try await auth.signIn(withEmail: "", password: "x") } == .missingEmail)
        #expect(await failure { try await auth.signIn(withEmail: "a@example.com", password: "") } == .wrongPassword)
        #expect(await failure { try await auth.createUser(withEmail: "", password: "x") } == .missingEmail)
        #expect(await failure { try await auth.createUser(withEmail: "a@example.com", password: "") } == .weakPassword)
        #expect(await failure { try await auth.sendPasswordReset(withEmail: "") } == .missingEmail)
        #expect(
            await failure { try await auth.signIn(withEmail: "a@example.com", link: "https://example.com") }
                == .invalidActionCode)
        #expect(
            await failure {
                try await auth.sendSignInLink(toEmail: "a@example.com", actionCodeSettings: ActionCodeSettings())
            } == .operationNotAllowed)
        #expect(
            await failure {
                try await auth.signIn(with: OAuthProvider.credential(withProviderID: "google.com", accessToken: "x"))
            } == .invalidCredential)
        #expect(
            await failure { try await auth.signIn(with: GoogleAuthProvider.credential(withServerAuthCode: "")) }
                == .invalidCredential)
        #expect(app.transport.operations == [])
    }

    @Test("Anonymous sign-ins by several callers at once create one account")
    func anonymousOnce() async throws {
        let app = try await TestApp()
        let users = try await withThrowingTaskGroup(of: User.self) { group in
            for _ in 0..<10 { group.addTask { try await app.auth.signInAnonymously().user } }
            return try await group.reduce(into: Set<User>()) { $0.insert($1) }
        }
        #expect(users.count == 1)
        #expect(app.transport.operations.count { $0 == "signUp" } == 1)
    }

    @Test("A user of another instance can become the current user, unless the tenant differs")
    func updateCurrentUser() async throws {
        let app = try await TestApp()
        let user = try await app.auth.signInAnonymously().user
        let other = try await TestApp(app.gateway)
        try await other.auth.updateCurrentUser(user)
        #expect(other.auth.currentUser?.uid == user.uid)
        #expect(await failure { try await other.auth.updateCurrentUser(nil) } == .nullUser)
        other.auth.tenantID = "another"
        #expect(await failure { try await other.auth.updateCurrentUser(user) } == .tenantIDMismatch)
    }

    @Test("A request has header fields with the API key, the app, the language and the library")
    func headers() async throws {
        let app = try await TestApp()
        app.auth.languageCode = "ja"
        _ = try await app.auth.signInAnonymously()
        let headers = app.transport.headers
        #expect(headers["x-goog-api-key"] == TestGateway.apiKey)
        #expect(headers["X-Ios-Bundle-Identifier"] == SimulatedProviders.appleClientID)
        #expect(headers["X-Firebase-Locale"] == "ja")
        #expect(headers["X-Client-Version"]?.hasPrefix("Swift/SekishoAuth/") == true)
    }

    @Test("The device name is sent in printable ASCII")
    func deviceName() async throws {
        let app = try await TestApp { $0.deviceName = "花子 iPhone\r\nX-Added: 1" }
        _ = try await app.auth.signInAnonymously()
        #expect(app.transport.headers["User-Agent"] == "?? iPhone??X-Added: 1")
        let options = SekishoOptions(url: try #require(URL(string: "https://auth.example.com")), apiKey: "")
        #expect(options.deviceName.unicodeScalars.allSatisfy { $0.isASCII })
    }

    @Test("Completion handlers are called on the main queue, after the listeners")
    func completionHandlers() async throws {
        let app = try await TestApp()
        let log = ListenerLog(app.auth)
        let result: AuthDataResult = try await withCheckedThrowingContinuation { continuation in
            app.auth.createUser(withEmail: "ada@example.com", password: "secret1") { result, error in
                dispatchPrecondition(condition: .onQueue(.main))
                log.append("completed")
                if let result { continuation.resume(returning: result) }
                if let error { continuation.resume(throwing: error) }
            }
        }
        #expect(log.lines == ["signed out", "no token", "signed in", "token", "completed"])
        let token: String = try await withCheckedThrowingContinuation { continuation in
            result.user.getIDToken { token, error in
                if let token { continuation.resume(returning: token) }
                if let error { continuation.resume(throwing: error) }
            }
        }
        #expect(token.split(separator: ".").count == 3)
        let code: Int = await withCheckedContinuation { continuation in
            app.auth.signIn(withEmail: "ada@example.com", password: "wrong") { _, error in
                continuation.resume(returning: (error as NSError?)?.code ?? 0)
            }
        }
        #expect(code == 17009, "wrongPassword")
    }

    @Test("A valid custom token signs in, and an invalid one is rejected")
    func customToken() async throws {
        let app = try await TestApp(TestGateway(transport: .socket, mode: .emulator(project: ID("demo"))))
        // In this mode, the gateway accepts bare JSON claims as a custom token.
        #expect(try await app.auth.signIn(withCustomToken: #"{"uid":"ada"}"#).user.uid == "ada")
        #expect(await failure { try await app.auth.signIn(withCustomToken: "x") } == .invalidCustomToken)
    }
}
