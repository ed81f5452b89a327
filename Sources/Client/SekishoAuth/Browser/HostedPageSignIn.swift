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

/// A code with which the sign-in page has returned to the app.
private struct HostedPageCode: Sendable {
    let code: String
    let continueURI: String
}

extension AuthCore {
    func signInWithHostedPage(_ key: ProofKey, uiDelegate: (any AuthUIDelegate)?) async throws -> AuthDataResult {
        let code = try await codeOfHostedPage(for: key, uiDelegate: uiDelegate)
        return try await performSignIn { [self] in try await exchange(code, verifier: key.verifier) }
    }

    private func codeOfHostedPage(
        for key: ProofKey, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> HostedPageCode {
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
                codeChallenge: key.challenge))
        guard let page = URL(string: response.signInUri) else {
            throw AuthErrorCode.internalError.with("The response contains no valid signInUri.")
        }
        let url = try await browser.open(page, redirectURL: redirectURL, uiDelegate: uiDelegate)
        return HostedPageCode(
            code: try Self.code(returnedTo: url, state: state), continueURI: redirectURL.absoluteString)
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
            throw AuthErrorCode.webSignInUserInteractionFailure.with("The sign-in page returned the error \(error).")
        }
        guard let code = value("code"), !code.isEmpty else {
            throw AuthErrorCode.webSignInUserInteractionFailure.with("The URL from the browser has no code.")
        }
        return code
    }

    private func exchange(_ code: HostedPageCode, verifier: String) async throws -> Authentication {
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
        /// ``SekishoOptions/redirectURL`` must be one of the app's `redirectUris` at the gateway.
        ///
        /// - Throws: ``AuthErrorCode/webContextCancelled`` if the user cancels;
        ///   ``AuthErrorCode/webContextAlreadyPresented``; ``AuthErrorCode/unauthorizedDomain`` or
        ///   ``AuthErrorCode/invalidContinueURI`` for the redirect URL;
        ///   ``AuthErrorCode/webSignInUserInteractionFailure`` for another error of the page.
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
