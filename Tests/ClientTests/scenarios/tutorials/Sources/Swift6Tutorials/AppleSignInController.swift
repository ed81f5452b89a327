import Foundation
import SekishoAuth

/// Signs in with the identity token that the delegate of Apple's dialog gets.
final class AppleSignInController {
    enum FactoryMethod {
        case current
        /// FirebaseAuth removed this method in version 12.
        case beforeVersion12
    }

    func finish(idToken idTokenString: String, nonce: String, method: FactoryMethod) {
        let fullName = PersonNameComponents()
        let credential =
            switch method {
            case .current:
                OAuthProvider.appleCredential(
                    withIDToken: idTokenString, rawNonce: nonce, fullName: fullName)
            case .beforeVersion12:
                OAuthProvider.credential(
                    withProviderID: "apple.com", idToken: idTokenString, rawNonce: nonce)
            }
        Auth.auth().signIn(with: credential) { (authResult, error) in
            if let error = error {
                // The error `missingOrInvalidNonce` means that the request to Apple had another nonce.
                show("Apple failed: \(error.localizedDescription)")
                return
            }
            let provider = authResult?.additionalUserInfo?.providerID ?? "-"
            show("Apple: \(provider), new: \(authResult!.additionalUserInfo!.isNewUser)")
        }
    }
}
