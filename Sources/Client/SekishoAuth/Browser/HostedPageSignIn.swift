internal import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#endif

/// A code verifier and its challenge (RFC 7636), which bind the code of the sign-in page to this app.
struct ProofKey: Sendable {
    let verifier: String
    /// The base64url of the SHA-256 of the verifier.
    let challenge: String
}

/// The sign-in page for one sign-in.
private struct HostedPage: Sendable {
    let browser: any AuthBrowser
    let url: URL
    let redirectURL: URL
    let state: String
}

/// A code with which the sign-in page has returned to the app.
private struct HostedPageCode: Sendable {
    let code: String
    let continueURI: String
}

extension AuthCore {
    func signInWithHostedPage(_ key: ProofKey, uiDelegate: (any AuthUIDelegate)?) async throws -> AuthDataResult {
        if let user = currentUser, user.isAnonymous {
            return try await user.signInGuestWithHostedPage(key, uiDelegate: uiDelegate)
        }
        let code = try await code(from: hostedPage(for: key), uiDelegate: uiDelegate)
        return try await performSignIn { [self] in try await exchange(code, verifier: key.verifier) }
    }

    /// - Parameter guest: the ID token of a guest, who then keeps the account, or merges it into another one.
    fileprivate func hostedPage(for key: ProofKey, guest: String? = nil) async throws -> HostedPage {
        guard let browser = options.browser else {
            throw AuthErrorCode.operationNotAllowed.with("SekishoOptions.browser is nil.")
        }
        guard let redirectURL = options.redirectURL else {
            throw AuthErrorCode.invalidContinueURI.with("SekishoOptions.redirectURL is nil.")
        }
        let state = String.randomHexadecimal()
        let response: CreateSignInUriResponse = try await post(
            "/v1/accounts:createSignInUri",
            CreateSignInUriRequest(
                tenantId: tenantID, continueUri: redirectURL.absoluteString, state: state,
                codeChallenge: key.challenge, operation: guest == nil ? nil : BrowserOperation.link.rawValue,
                idToken: guest))
        guard let url = URL(string: response.signInUri) else {
            throw AuthErrorCode.internalError.with("The response contains no valid signInUri.")
        }
        return HostedPage(browser: browser, url: url, redirectURL: redirectURL, state: state)
    }

    fileprivate func code(from page: HostedPage, uiDelegate: (any AuthUIDelegate)?) async throws -> HostedPageCode {
        let url = try await page.browser.open(page.url, redirectURL: page.redirectURL, uiDelegate: uiDelegate)
        return HostedPageCode(
            code: try Self.code(returnedTo: url, state: page.state), continueURI: page.redirectURL.absoluteString)
    }

    /// - Throws: ``AuthErrorCode/webContextCancelled`` if the user cancelled on the page.
    private static func code(returnedTo url: URL, state: String) throws -> String {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let value = { (name: String) in items.first { $0.name == name }?.value }
        // Another app or page may have opened the URL.
        guard value("state") == state else {
            throw AuthErrorCode.webSignInUserInteractionFailure.with("The URL from the browser has another state.")
        }
        if let error = value("error") {
            if error == "access_denied" { throw AuthErrorCode.webContextCancelled }
            throw AuthErrorCode.webSignInUserInteractionFailure.with(
                "The sign-in page returned the error \(error).", details: [AuthErrors.userInfoServerCodeKey: error])
        }
        guard let code = value("code"), !code.isEmpty else {
            throw AuthErrorCode.webSignInUserInteractionFailure.with("The URL from the browser has no code.")
        }
        return code
    }

    fileprivate func exchange(_ code: HostedPageCode, verifier: String) async throws -> Authentication {
        let response: TimedResponse<TokenResponse> = try await postForm(
            "/v1/token",
            [
                "grant_type": "authorization_code", "code": code.code, "code_verifier": verifier,
                "continue_uri": code.continueURI, "tenant_id": tenantID ?? "",
            ], timeout: options.requestTimeout)
        return Authentication(
            tokens: try .required(response.tokens),
            additionalUserInfo: AdditionalUserInfo(providerID: "", isNewUser: response.value.isNewUser ?? false))
    }
}

extension User {
    /// Signs a guest in on the sign-in page: the guest account gets a sign-in method, or is merged into the account to
    /// which the user signs in there.
    fileprivate func signInGuestWithHostedPage(
        _ key: ProofKey, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthDataResult {
        let page = try await withIDToken { [core] in try await core.hostedPage(for: key, guest: $0) }
        let code = try await core.code(from: page, uiDelegate: uiDelegate)
        return try await replacingTokens(onAccountError: .keepUser) {
            [self] idToken -> Result<AuthDataResult, any Error> in
            // A second exchange of a code ends the session, so the exchange is not repeated after an error.
            do {
                let authentication = try await core.exchange(code, verifier: key.verifier)
                return .success(try await completeSignIn(authentication, since: idToken))
            } catch { return .failure(error) }
        }.get()
    }

    /// - Parameter idToken: the ID token that the guest had before.
    private func completeSignIn(
        _ authentication: Authentication, since idToken: String
    ) async throws -> AuthDataResult {
        let account = try IDTokenClaims(of: authentication.tokens.idToken).subject
        // After a merge, the tokens are of the other account. The app can also have signed the guest out meanwhile.
        guard account == uid, core.currentUser === self else { return try await core.completeSignIn(authentication) }
        await adopt(authentication.tokens, since: idToken) { $0.isAnonymous = false }
        // The account has the sign-in method. If the profile cannot be loaded now, the next `reload()` loads it.
        do {
            try await loadProfile(with: authentication.tokens.idToken)
        } catch let error as AuthErrorCode where error.isTransient {}
        return AuthDataResult(
            user: self, additionalUserInfo: authentication.additionalUserInfo, credential: authentication.credential)
    }
}

#if canImport(CryptoKit)
    extension ProofKey {
        /// Returns a verifier of 256 random bits.
        static func random() -> ProofKey {
            let verifier = String.randomHexadecimal()
            let challenge = Data(SHA256.hash(data: Data(verifier.utf8))).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            return ProofKey(verifier: verifier, challenge: challenge)
        }
    }

    extension Auth {
        /// Signs in on the gateway's sign-in page, which shows every method that the app offers.
        ///
        /// If the current user is anonymous, the page says what happens to the guest account, and asks the user:
        /// - With a new sign-in method, the guest account stays. The result has the same ``User``.
        /// - With another account, the guest account is merged into that account. The result has a new ``User``.
        ///
        /// To sign in without the guest account, call ``signOut()`` first.
        ///
        /// ``SekishoOptions/redirectURL`` must be one of the app's `redirectUris` at the gateway.
        ///
        /// - Throws: ``AuthErrorCode/webContextCancelled`` if the user cancels;
        ///   ``AuthErrorCode/webContextAlreadyPresented``; ``AuthErrorCode/unauthorizedDomain`` or
        ///   ``AuthErrorCode/invalidContinueURI`` for the redirect URL;
        ///   ``AuthErrorCode/webSignInUserInteractionFailure`` for another error of the page, which is the
        ///   ``AuthErrorCode/serverCode``, such as `already_linked` if the project allows no merge. After
        ///   ``AuthErrorCode/internalError`` with the ``AuthErrorCode/serverCode`` `INVALID_CODE`, nothing is
        ///   merged, because an account has changed since the user confirmed: call the method again. After
        ///   ``AuthErrorCode/networkError``, the accounts may be merged already, as after ``User/merge(_:)``.
        @discardableResult public func signInWithHostedPage(
            uiDelegate: (any AuthUIDelegate)? = nil
        ) async throws -> AuthDataResult {
            try await core.signInWithHostedPage(.random(), uiDelegate: uiDelegate)
        }

        /// Completion-handler form of the `async` method.
        public func signInWithHostedPage(
            uiDelegate: (any AuthUIDelegate)? = nil, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
        ) {
            MainQueue.complete(completion) { try await self.signInWithHostedPage(uiDelegate: uiDelegate) }
        }
    }
#endif
