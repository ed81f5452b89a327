import Foundation
import SekishoAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The texts that the tutorials would show on the screen.
let (screen, screenContinuation) = AsyncStream.makeStream(of: String.self)

func show(_ text: String) { screenContinuation.yield(text) }

/// Runs the tutorials one after another against a development server, and prints what they show.
@MainActor @main struct Tutorials {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["SEKISHO_URL"].flatMap({ URL(string: $0) }), let port = server.port,
            let email = environment["SEKISHO_EMAIL"]
        else { throw AuthErrorCode.internalError }
        // The tutorials call `FirebaseApp.configure()` instead.
        var options = SekishoOptions(url: server, apiKey: "any")
        options.store = MemoryStore()
        SekishoApp.configure(options: options)
        Auth.auth().useEmulator(withHost: "127.0.0.1", port: port)

        func wait() async {
            for await text in screen {
                print(text.replacingOccurrences(of: email, with: "EMAIL"))
                return
            }
        }

        let login = LoginController()
        login.viewWillAppear()
        await wait()
        login.signUp(email: email, password: "secret1")
        await wait()
        await wait()
        login.signUp(email: email, password: "secret1")
        await wait()
        login.viewWillDisappear()
        login.signOut()
        await wait()
        login.signIn(email: email, password: "wrong")
        await wait()
        login.signIn(email: email, password: "secret1")
        await wait()
        login.resetPassword(email: email)
        await wait()

        let account = AccountController()
        for step in [account.rename, account.verifyEmail, account.reload, account.token, account.idTokenResult] {
            step()
            await wait()
        }
        account.changePassword(from: "secret1", to: "secret2")
        await wait()
        account.deleteAccount()
        await wait()

        for method in [AppleSignInController.FactoryMethod.current, .beforeVersion12] {
            let apple = AppleSignInController()
            let nonce = "nonce \(method) of \(email)"
            apple.finish(
                idToken: try await appleToken(email: "apple." + email, rawNonce: nonce, server), nonce: nonce,
                method: method)
            await wait()
        }

        let model = AsyncViewModel()
        try await model.run(email: email)
        await wait()
        try await model.observe()
        await wait()
    }

    /// Returns an identity token, as Apple's dialog would.
    private static func appleToken(email: String, rawNonce: String, _ server: URL) async throws -> String {
        var request = URLRequest(
            url: server.appendingPathComponent("emulator/v1/projects/demo/simulatedSignIns"))
        request.httpMethod = "POST"
        request.httpBody = try JSONSerialization.data(withJSONObject: [
            "providerId": "apple.com", "person": ["email": email], "rawNonce": rawNonce,
        ])
        let (data, _) = try await URLSession.shared.data(for: request)
        let response = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return response?["idToken"] as? String ?? ""
    }
}
