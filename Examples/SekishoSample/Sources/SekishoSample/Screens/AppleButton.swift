#if canImport(SwiftUI) && canImport(AuthenticationServices)
    import AuthenticationServices
    import SekishoAuth
    import SwiftUI

    /// The button for Sign in with Apple. Signs in, links or reauthenticates.
    struct AppleButton: View {
        @ObservedObject var model: SampleModel
        let purpose: CredentialPurpose

        var body: some View {
            SignInWithAppleButton(purpose == .signIn ? .signIn : .continue) { request in
                if let nonce = model.nonceForRequest() { request.prepare(with: nonce) }
            } onCompletion: { result in
                guard case .success(let authorization) = result,
                    let apple = authorization.credential as? ASAuthorizationAppleIDCredential,
                    let credential = ProviderAuthorization(apple)
                else { return }
                Task { await model.use(credential, for: purpose) }
            }
            .frame(height: 44)
            .task { await model.prepareNonce() }
        }
    }

    extension ProviderAuthorization {
        /// - Returns: `nil` if Apple's credential has no identity token.
        init?(_ credential: ASAuthorizationAppleIDCredential) {
            guard let idToken = credential.identityToken.flatMap({ String(data: $0, encoding: .utf8) }) else {
                return nil
            }
            self.init(
                providerID: AuthProviderID.apple.rawValue, idToken: idToken, fullName: credential.fullName,
                authorizationCode: credential.authorizationCode.flatMap { String(data: $0, encoding: .utf8) })
        }
    }
#endif
