import Foundation
import SekishoAuth

/// The actions of an account screen, with completion handlers.
final class AccountController {
    func rename() {
        let changeRequest = Auth.auth().currentUser?.createProfileChangeRequest()
        changeRequest?.displayName = "Jane Q. User"
        changeRequest?.photoURL = URL(string: "https://example.com/jane.jpg")
        changeRequest?.commitChanges { error in
            let user = Auth.auth().currentUser
            show("renamed: \(user?.displayName ?? "-"), \(user?.photoURL?.lastPathComponent ?? "-"), \(error == nil)")
        }
    }

    func verifyEmail() {
        Auth.auth().currentUser?.sendEmailVerification { error in
            show("verification sent: \(error == nil)")
        }
    }

    func reload() {
        Auth.auth().currentUser?.reload(completion: { error in
            let providers = Auth.auth().currentUser?.providerData.map { $0.providerID } ?? []
            show("reloaded: \(providers), \(error == nil)")
        })
    }

    func token() {
        Auth.auth().currentUser?.getIDTokenForcingRefresh(true) { idToken, error in
            if let error = error {
                show("no token: \(error)")
                return
            }
            show("token: \(idToken!.split(separator: ".").count) parts")
        }
    }

    func idTokenResult() {
        Auth.auth().currentUser?.getIDTokenResult(completion: { result, error in
            guard let admin = result?.claims["admin"] as? NSNumber else {
                show("no administrator: \(result?.signInProvider ?? "-"), \(error == nil)")
                return
            }
            show("administrator: \(admin.boolValue)")
        })
    }

    func changePassword(from old: String, to new: String) {
        guard let user = Auth.auth().currentUser, let email = user.email else { return }
        let credential = EmailAuthProvider.credential(withEmail: email, password: old)
        user.reauthenticate(with: credential) { result, error in
            if let error = error {
                show("reauthentication failed: \(error.localizedDescription)")
                return
            }
            Auth.auth().currentUser?.updatePassword(to: new) { error in
                show("new password: \(result?.user.uid == user.uid), \(error?.localizedDescription ?? "done")")
            }
        }
    }

    func deleteAccount() {
        let user = Auth.auth().currentUser
        user?.delete { error in
            if let error = error {
                show("not deleted: \(error)")
            } else {
                show("deleted: \(Auth.auth().currentUser == nil)")
            }
        }
    }
}
