#if canImport(AuthenticationServices)
    public import AuthenticationServices
    public import Foundation

    #if canImport(UIKit) && !os(watchOS)
        public import UIKit
    #elseif canImport(AppKit)
        public import AppKit
    #endif

    /// Shows the dialogs of Sign in with Apple without a `SignInWithAppleButton`, for example to sign in with an
    /// existing credential when the app starts, or to reauthenticate before an account is deleted.
    ///
    /// Keep a reference to the instance until the call returns. While a dialog is shown, another call throws
    /// ``AuthErrorCode/internalError``.
    @MainActor public final class AppleSignIn: NSObject {
        private let auth: Auth
        #if !os(watchOS)
            private let anchor: () -> ASPresentationAnchor?
        #endif
        private var continuation: CheckedContinuation<Void, any Error>?
        private var authorization: ASAuthorization?
        private var controller: ASAuthorizationController?

        #if os(watchOS)
            /// Creates an instance.
            ///
            /// - Parameter auth: the instance that users sign in to.
            public init(auth: Auth) { self.auth = auth }
        #else
            /// Creates an instance.
            ///
            /// - Parameters:
            ///   - auth: the instance that users sign in to.
            ///   - anchor: returns the window in which the dialogs are shown.
            public init(auth: Auth, anchor: @escaping () -> ASPresentationAnchor?) {
                self.auth = auth
                self.anchor = anchor
            }
        #endif

        /// Signs in with Apple.
        ///
        /// - Throws: `ASAuthorizationError`, for example `canceled` if the user cancels; otherwise as
        ///   ``Auth/signIn(with:)``.
        @discardableResult public func signIn() async throws -> AuthDataResult {
            let (credential, nonce) = try await appleCredential(scopes: [.fullName, .email])
            return try await auth.signIn(with: credential, rawNonce: nonce.rawNonce)
        }

        /// Reauthenticates the current user with Apple.
        ///
        /// - Throws: ``AuthErrorCode/nullUser`` if no user is signed in; `ASAuthorizationError`; otherwise as
        ///   ``User/reauthenticate(with:)``.
        @discardableResult public func reauthenticate() async throws -> AuthDataResult {
            guard let user = auth.currentUser else { throw AuthErrorCode.nullUser }
            let (credential, nonce) = try await appleCredential(scopes: [])
            return try await user.reauthenticate(with: credential, rawNonce: nonce.rawNonce)
        }

        /// Links Apple to the account of an email address and a password, and signs in to that account.
        ///
        /// - Parameters:
        ///   - email: the email address of the account.
        ///   - password: the current password of the account, which proves that the account is the user's.
        ///   - removesPassword: whether the account loses the password.
        /// - Throws: `ASAuthorizationError`; otherwise as
        ///   ``Auth/upgradeToProvider(with:email:password:removesPassword:)``.
        @discardableResult public func upgrade(
            email: String, password: String, removesPassword: Bool
        ) async throws -> AuthDataResult {
            let (credential, nonce) = try await appleCredential(scopes: [.fullName, .email])
            return try await auth.upgradeToApple(
                with: credential, rawNonce: nonce.rawNonce, email: email, password: password,
                removesPassword: removesPassword)
        }

        /// Offers sign-in with an Apple credential or a saved password of this device. Call it when the app starts and
        /// no user is signed in.
        ///
        /// - Throws: as ``Auth/signIn(with:)``.
        /// - Returns: `nil` if the dialog ends with an `ASAuthorizationError`, for example because the device has no
        ///   credential or the user cancels.
        public func signInWithExistingCredentials() async throws -> AuthDataResult? {
            let nonce = try await auth.issueNonce()
            let apple = ASAuthorizationAppleIDProvider().createRequest()
            apple.nonce = nonce.sha256
            let requests: [ASAuthorizationRequest] = [apple, ASAuthorizationPasswordProvider().createRequest()]
            let authorization: ASAuthorization
            do {
                authorization = try await perform(requests, prefersAvailable: true)
            } catch is ASAuthorizationError {
                return nil
            }
            switch authorization.credential {
            case let credential as ASAuthorizationAppleIDCredential:
                return try await auth.signIn(with: credential, rawNonce: nonce.rawNonce)
            case let credential as ASPasswordCredential:
                return try await auth.signIn(withEmail: credential.user, password: credential.password)
            default: return nil
            }
        }

        private func appleCredential(
            scopes: [ASAuthorization.Scope]
        ) async throws -> (ASAuthorizationAppleIDCredential, SignInNonce) {
            let nonce = try await auth.issueNonce()
            let request = ASAuthorizationAppleIDProvider().createRequest()
            request.prepare(with: nonce, requestedScopes: scopes)
            let authorization = try await perform([request], prefersAvailable: false)
            guard let credential = authorization.credential as? ASAuthorizationAppleIDCredential else {
                throw AuthErrorCode.invalidCredential
            }
            return (credential, nonce)
        }

        /// - Parameter prefersAvailable: whether to offer only credentials of this device, if the system can do so.
        private func perform(
            _ requests: [ASAuthorizationRequest], prefersAvailable: Bool
        ) async throws -> ASAuthorization {
            guard continuation == nil else {
                throw AuthErrorCode.internalError.with("An Apple sign-in dialog is already open.")
            }
            let controller = ASAuthorizationController(authorizationRequests: requests)
            controller.delegate = self
            #if !os(watchOS)
                controller.presentationContextProvider = self
            #endif
            self.controller = controller
            try await withCheckedThrowingContinuation { continuation in
                self.continuation = continuation
                #if (os(iOS) || os(visionOS)) && !targetEnvironment(macCatalyst)
                    if prefersAvailable, #available(iOS 16.0, visionOS 1.0, *) {
                        controller.performRequests(options: .preferImmediatelyAvailableCredentials)
                        return
                    }
                #endif
                controller.performRequests()
            }
            defer { authorization = nil }
            guard let authorization else { throw AuthErrorCode.internalError }
            return authorization
        }

        private func finish(_ finished: ASAuthorizationController, _ result: Result<Void, any Error>) {
            guard finished === controller else { return }
            continuation?.resume(with: result)
            continuation = nil
            controller = nil
        }
    }

    // The system calls the methods on the main thread. Not all systems declare that they are isolated to the main
    // actor.

    extension AppleSignIn: ASAuthorizationControllerDelegate {
        /// Called by the system.
        nonisolated public func authorizationController(
            controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
        ) {
            // Both are used only on the main thread.
            nonisolated(unsafe) let (controller, authorization) = (controller, authorization)
            MainActor.assumeIsolated {
                if controller === self.controller { self.authorization = authorization }
                finish(controller, .success(()))
            }
        }

        /// Called by the system.
        nonisolated public func authorizationController(
            controller: ASAuthorizationController, didCompleteWithError error: any Error
        ) {
            nonisolated(unsafe) let controller = controller
            MainActor.assumeIsolated { finish(controller, .failure(error)) }
        }
    }

    #if !os(watchOS)
        extension AppleSignIn: ASAuthorizationControllerPresentationContextProviding {
            /// Called by the system.
            nonisolated public func presentationAnchor(
                for controller: ASAuthorizationController
            ) -> ASPresentationAnchor {
                MainActor.assumeIsolated { anchor() ?? ASPresentationAnchor() }
            }
        }
    #endif
#endif
