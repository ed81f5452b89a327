internal import Foundation

/// A provider that signs in with its own dialog, for example in the browser.
public protocol FederatedAuthProvider: AnyObject, Sendable {
    /// The provider's ID.
    var providerID: String { get }

    /// Shows the provider's dialog, and returns the credential.
    ///
    /// - Parameter uiDelegate: see ``AuthUIDelegate``.
    func credential(with uiDelegate: (any AuthUIDelegate)?) async throws -> AuthCredential
}

extension AuthCore {
    /// The operation that the gateway then performs with the result of the browser.
    enum BrowserOperation: String, Sendable {
        case signIn = "SIGN_IN"
        case link = "LINK"
        case reauthenticate = "REAUTHENTICATE"
    }

    /// Signs the user in at a provider in the browser, and returns the credential. It can be used once, within a
    /// minute, and only for `operation`.
    func browserCredential(
        of provider: any FederatedAuthProvider, for operation: BrowserOperation, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthCredential {
        guard let provider = provider as? OAuthProvider else { return try await provider.credential(with: uiDelegate) }
        guard let browser = options.browser else {
            throw AuthErrorCode.operationNotAllowed.with("SekishoOptions.browser is nil.")
        }
        guard let redirectURL = options.redirectURL else {
            throw AuthErrorCode.invalidContinueURI.with("SekishoOptions.redirectURL is nil.")
        }
        let sessionID = String.randomHexadecimal()
        let parameters = provider.customParameters ?? [:]
        let scopes = (provider.scopes ?? []).filter { !$0.isEmpty }
        let response: CreateAuthUriResponse = try await post(
            "/v1/accounts:createAuthUri",
            CreateAuthUriRequest(
                tenantId: tenantID, continueUri: redirectURL.absoluteString, providerId: provider.providerID,
                operation: operation.rawValue, oauthScope: scopes.isEmpty ? nil : scopes.joined(separator: " "),
                customParameter: parameters.isEmpty ? nil : parameters, sessionId: sessionID))
        guard let page = response.authUri.flatMap({ URL(string: $0) }) else {
            throw AuthErrorCode.internalError.with("The response contains no valid authUri.")
        }
        let url = try await browser.open(page, redirectURL: redirectURL, uiDelegate: uiDelegate)
        return try Self.credential(of: provider.providerID, returnedTo: url, sessionID: sessionID)
    }

    /// - Throws: the error that the gateway has added to the URL, for example ``AuthErrorCode/webContextCancelled``.
    private static func credential(
        of provider: String, returnedTo url: URL, sessionID: String
    ) throws -> AuthCredential {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        if let error = items.first(where: { $0.name == "error" })?.value {
            if error == "user_cancelled" { throw AuthErrorCode.webContextCancelled }
            throw ServerError(message: error).authError
        }
        guard items.contains(where: { $0.name == "grant" && $0.value?.isEmpty == false }) else {
            throw AuthErrorCode.webSignInUserInteractionFailure.with("The URL from the browser has no grant.")
        }
        return OAuthCredential(
            provider: provider, .browser(requestURI: url.absoluteString, sessionID: sessionID))
    }
}

extension Auth {
    /// Signs in at a provider in the browser, for example with `OAuthProvider(providerID: "oidc.corp")`.
    ///
    /// ``SekishoOptions/redirectURL`` must be one of the app's `redirectUris` at the gateway.
    ///
    /// - Throws: ``AuthErrorCode/webContextCancelled`` if the user cancels;
    ///   ``AuthErrorCode/webContextAlreadyPresented``; ``AuthErrorCode/unauthorizedDomain`` or
    ///   ``AuthErrorCode/invalidContinueURI`` for the redirect URL; otherwise as ``signIn(with:)``.
    @discardableResult public func signIn(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthDataResult {
        try await signIn(
            with: core.browserCredential(of: provider, for: .signIn, uiDelegate: uiDelegate))
    }

    /// Completion-handler form of the `async` method.
    public func signIn(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
        completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(with: provider, uiDelegate: uiDelegate) }
    }
}

extension User {
    /// Links an identity after a sign-in at its provider in the browser.
    ///
    /// - Throws: as ``Auth/signIn(with:uiDelegate:)`` and ``link(with:)``.
    @discardableResult public func link(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthDataResult {
        try await link(with: core.browserCredential(of: provider, for: .link, uiDelegate: uiDelegate))
    }

    /// Reauthenticates after a sign-in at a provider in the browser.
    ///
    /// - Throws: as ``Auth/signIn(with:uiDelegate:)`` and ``reauthenticate(with:)``.
    @discardableResult public func reauthenticate(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?
    ) async throws -> AuthDataResult {
        try await reauthenticate(
            with: core.browserCredential(of: provider, for: .reauthenticate, uiDelegate: uiDelegate))
    }

    /// Completion-handler form of the `async` method.
    public func link(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
        completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.link(with: provider, uiDelegate: uiDelegate) }
    }

    /// Completion-handler form of the `async` method.
    public func reauthenticate(
        with provider: any FederatedAuthProvider, uiDelegate: (any AuthUIDelegate)?,
        completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.reauthenticate(with: provider, uiDelegate: uiDelegate) }
    }
}
