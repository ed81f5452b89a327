import Foundation
import SekishoAuth

/// A view model of an app without completion handlers.
@MainActor final class AsyncViewModel {
    private(set) var user: User?
    private(set) var errorMessage = ""
    private var handle: IDTokenDidChangeListenerHandle?

    init() {
        handle = Auth.auth().addIDTokenDidChangeListener { _, user in
            self.user = user
        }
    }

    func run(email: String) async throws {
        try Auth.auth().signOut()
        let guest = try await Auth.auth().signInAnonymously().user
        let credential = EmailAuthProvider.credential(withEmail: email, password: "secret3")
        do {
            let result = try await guest.link(with: credential)
            precondition(result.user.uid == guest.uid && !guest.isAnonymous)
            try await guest.reauthenticate(with: credential)
            try await Auth.auth().signIn(withEmail: email, password: "wrong")
        } catch AuthErrorCode.wrongPassword {
            errorMessage = "wrong password"
        } catch let error as AuthErrorCode where error.code == .credentialAlreadyInUse {
            errorMessage = "\(error.updatedCredential?.provider ?? "-")"
        } catch {
            let error = error as NSError
            errorMessage = "\(error.code == AuthErrorCode.networkError.rawValue)"
        }
        try await user?.reload()
        let token = try await user?.getIDToken()
        show("linked: \(user?.email ?? "-"), token: \(token != nil), error: \(errorMessage)")
    }

    func observe() async throws {
        var users: [String] = []
        for await user in Auth.auth().authStateChanges {
            users.append(user?.email ?? "no user")
            if user == nil { break }
            try await user?.delete()
        }
        show("sequence: \(users)")
    }
}
