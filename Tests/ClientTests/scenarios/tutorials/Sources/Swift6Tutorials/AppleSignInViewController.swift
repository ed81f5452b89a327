#if canImport(UIKit)
    import AuthenticationServices
    import CryptoKit
    import Security
    import SekishoAuth
    import UIKit

    /// Sign in with Apple in a view controller, as in tutorials for FirebaseAuth. The tests compile it against stubs.
    final class AppleSignInViewController: UIViewController {
        fileprivate var currentNonce: String?
        private var observer: NSObjectProtocol?

        func startSignInWithAppleFlow() {
            let nonce = randomNonceString()
            currentNonce = nonce
            let appleIDProvider = ASAuthorizationAppleIDProvider()
            let request = appleIDProvider.createRequest()
            request.requestedScopes = [.fullName, .email]
            request.nonce = sha256(nonce)

            let authorizationController = ASAuthorizationController(authorizationRequests: [request])
            authorizationController.delegate = self
            authorizationController.presentationContextProvider = self
            authorizationController.performRequests()
        }

        private func randomNonceString(length: Int = 32) -> String {
            precondition(length > 0)
            var randomBytes = [UInt8](repeating: 0, count: length)
            let errorCode = SecRandomCopyBytes(kSecRandomDefault, randomBytes.count, &randomBytes)
            if errorCode != errSecSuccess {
                fatalError("Unable to generate nonce. SecRandomCopyBytes failed with OSStatus \(errorCode)")
            }
            let charset: [Character] = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVXYZabcdefghijklmnopqrstuvwxyz-._")
            return String(randomBytes.map { charset[Int($0) % charset.count] })
        }

        private func sha256(_ input: String) -> String {
            let hashedData = SHA256.hash(data: Data(input.utf8))
            return hashedData.compactMap { String(format: "%02x", $0) }.joined()
        }

        func signInInTheBrowser() {
            let provider = OAuthProvider(providerID: "oidc.corp")
            provider.scopes = ["email"]
            provider.customParameters = ["login_hint": "user@example.com"]
            provider.getCredentialWith(nil) { credential, error in
                if let error = error { return print(error.localizedDescription) }
                guard let credential = credential else { return }
                Auth.auth().signIn(with: credential) { authResult, error in
                    print(authResult?.user.uid ?? "", error?.localizedDescription ?? "")
                }
            }
        }

        func observe() {
            observer = NotificationCenter.default.addObserver(
                forName: .AuthStateDidChange, object: Auth.auth(), queue: .main
            ) { _ in
                print(Auth.auth().currentUser?.uid ?? "no user")
            }
        }
    }

    extension AppleSignInViewController: @preconcurrency ASAuthorizationControllerDelegate {
        func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            guard let appleIDCredential = authorization.credential as? ASAuthorizationAppleIDCredential else { return }
            guard let nonce = currentNonce else {
                fatalError("Invalid state: A login callback was received, but no login request was sent.")
            }
            guard let appleIDToken = appleIDCredential.identityToken,
                let idTokenString = String(data: appleIDToken, encoding: .utf8)
            else { return print("Unable to fetch identity token") }
            let credential = OAuthProvider.appleCredential(
                withIDToken: idTokenString, rawNonce: nonce, fullName: appleIDCredential.fullName)
            Auth.auth().signIn(with: credential) { (authResult, error) in
                if let error = error {
                    print(error.localizedDescription)
                    return
                }
                self.currentNonce = nil
            }
        }

        func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: Error) {
            print("Sign in with Apple errored: \(error)")
        }
    }

    extension AppleSignInViewController: @preconcurrency ASAuthorizationControllerPresentationContextProviding {
        func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor {
            view.window!
        }
    }
#endif
