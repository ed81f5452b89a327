import Foundation
import SekishoAuth

/// Sign-up, sign-in and sign-out with completion handlers.
final class LoginController {
    private var handle: AuthStateDidChangeListenerHandle?

    func viewWillAppear() {
        handle = Auth.auth().addStateDidChangeListener { auth, user in
            if let user = user {
                show("listener: \(user.email ?? "-"), current user: \(auth.currentUser?.uid == user.uid)")
            } else {
                show("listener: no user")
            }
        }
    }

    func viewWillDisappear() {
        Auth.auth().removeStateDidChangeListener(handle!)
    }

    func signUp(email: String, password: String) {
        Auth.auth().createUser(withEmail: email, password: password) { authResult, error in
            if let error = error as NSError? {
                switch AuthErrorCode(rawValue: error.code) {
                case .emailAlreadyInUse:
                    show("taken: \(error.localizedDescription)")
                case .weakPassword, .invalidEmail:
                    show("rejected")
                default:
                    show("failed: \(error.domain)")
                }
                return
            }
            guard let user = authResult?.user else { return }
            show("signed up \(user.email!), new: \(authResult?.additionalUserInfo?.isNewUser ?? false)")
        }
    }

    func signIn(email: String, password: String) {
        Auth.auth().signIn(withEmail: email, password: password) { [weak self] authResult, error in
            guard self != nil else { return }
            if let error = error, let code = AuthErrorCode(rawValue: error._code) {
                show("wrong password: \(code == .wrongPassword), domain of Auth: \(error._domain == AuthErrorDomain)")
                return
            }
            show("signed in, anonymous: \(authResult!.user.isAnonymous)")
        }
    }

    func signOut() {
        let firebaseAuth = Auth.auth()
        do {
            try firebaseAuth.signOut()
            show("signed out: \(firebaseAuth.currentUser == nil)")
        } catch let signOutError as NSError {
            show("sign-out failed: \(signOutError)")
        }
    }

    func resetPassword(email: String) {
        Auth.auth().languageCode = "ja"
        Auth.auth().sendPasswordReset(withEmail: email) { error in
            show("reset sent: \(error == nil)")
        }
    }
}
