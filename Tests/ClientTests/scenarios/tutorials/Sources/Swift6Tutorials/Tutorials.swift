import Foundation
import SekishoAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The texts that an app with the code of the tutorials would show on its screen.
let (screen, screenContinuation) = AsyncStream.makeStream(of: String.self)

func show(_ text: String) { screenContinuation.yield(text) }

/// Runs the code of this folder against `sekisho dev`, and prints the texts of ``screen``. The code is written as in
/// tutorials for FirebaseAuth.
@MainActor @main struct Tutorials {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = environment["SEKISHO_URL"].flatMap({ URL(string: $0) }), let port = server.port,
            let email = environment["SEKISHO_EMAIL"], let url = URL(string: "https://auth.example.com")
        else { fatalError("SEKISHO_URL must be a URL with a port, and SEKISHO_EMAIL must be set") }
        // Apps that use FirebaseAuth call `FirebaseApp.configure()` instead.
        var options = SekishoOptions(url: url, apiKey: "any")
        options.store = MemoryStore()
        SekishoApp.configure(options: options)
        Auth.auth().useEmulator(withHost: "127.0.0.1", port: port)

        func printNextText() async {
            for await text in screen {
                print(text.replacingOccurrences(of: email, with: "EMAIL"))
                return
            }
        }

        let login = LoginController()
        login.viewWillAppear()
        await printNextText()
        login.signUp(email: email, password: "secret1")
        // The texts of the listener and of the completion handler.
        await printNextText()
        await printNextText()
        login.signUp(email: email, password: "secret1")
        await printNextText()
        login.viewWillDisappear()
        login.signOut()
        await printNextText()
        login.signIn(email: email, password: "wrong")
        await printNextText()
        login.signIn(email: email, password: "secret1")
        await printNextText()
        login.resetPassword(email: email)
        await printNextText()

        let account = AccountController()
        for step in [account.rename, account.verifyEmail, account.reload, account.token, account.idTokenResult] {
            step()
            await printNextText()
        }
        account.changePassword(from: "secret1", to: "secret2")
        await printNextText()
        account.deleteAccount()
        await printNextText()

        for method in [AppleSignInController.FactoryMethod.current, .beforeVersion12] {
            let apple = AppleSignInController()
            let nonce = "nonce \(method) of \(email)"
            apple.finish(
                idToken: try await appleToken(email: "apple." + email, rawNonce: nonce, server), nonce: nonce,
                method: method)
            await printNextText()
        }

        let model = AsyncViewModel()
        try await model.run(email: email)
        await printNextText()
        try await model.observe()
        await printNextText()
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
