import Foundation
import SekishoAuth

/// What the delegate of Apple's dialog does with the identity token.
final class AppleSignInController {
    enum Spelling {
        case current
        /// FirebaseAuth removed it in version 12.
        case beforeVersion12
    }

    func finish(idToken idTokenString: String, nonce: String, spelling: Spelling) {
        let fullName = PersonNameComponents()
        let credential =
            switch spelling {
            case .current:
                OAuthProvider.appleCredential(
                    withIDToken: idTokenString, rawNonce: nonce, fullName: fullName)
            case .beforeVersion12:
                OAuthProvider.credential(
                    withProviderID: "apple.com", idToken: idTokenString, rawNonce: nonce)
            }
        Auth.auth().signIn(with: credential) { (authResult, error) in
            if let error = error {
                // With `missingOrInvalidNonce`, the request to Apple had another nonce.
                show("Apple failed: \(error.localizedDescription)")
                return
            }
            let provider = authResult?.additionalUserInfo?.providerID ?? "-"
            show("Apple: \(provider), new: \(authResult!.additionalUserInfo!.isNewUser)")
        }
    }
}
