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
            let photo = user?.photoURL?.lastPathComponent ?? "-"
            show("renamed: \(user?.displayName ?? "-"), photo: \(photo), no error: \(error == nil)")
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
            show("reloaded: \(providers), no error: \(error == nil)")
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
                show("claim admin: none, provider: \(result?.signInProvider ?? "-"), no error: \(error == nil)")
                return
            }
            show("claim admin: \(admin.boolValue)")
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
                let outcome = error?.localizedDescription ?? "no error"
                show("new password: same user: \(result?.user.uid == user.uid), \(outcome)")
            }
        }
    }

    func deleteAccount() {
        let user = Auth.auth().currentUser
        user?.delete { error in
            if let error = error {
                show("not deleted: \(error)")
            } else {
                show("deleted, signed out: \(Auth.auth().currentUser == nil)")
            }
        }
    }
}
