public import Encoding

/// What a client requests when it starts a flow.
public struct AuthorizationStart: Sendable {
    public let provider: ProviderID
    public let operation: AuthorizationFlow.Operation
    public let delivery: Delivery
    /// The URL to which the provider sends its response, e.g. `https://auth.example.com/__/auth/handler`.
    public let redirectURI: String
    public let scopes: [String]
    /// Additional parameters for the URL of the provider's page, without a `prompt` that contains `none`. The user must
    /// see a page of the provider, which `prompt=none` would prevent.
    public let customParameters: [ByteText: String]

    public enum Delivery: Sendable {
        /// - Parameter sessionID: as the client chose it; `nil` lets the gateway choose.
        case app(AuthorizationTarget, sessionID: String?)
        case popup(SDKEvent, returnTo: AuthorizationTarget)
        case page(SDKEvent, returnTo: AuthorizationTarget)
        case signInPage(SignInPageFlow.Reference, returnTo: AuthorizationTarget)
    }

    public init(
        provider: ProviderID, operation: AuthorizationFlow.Operation, delivery: Delivery, redirectURI: String,
        scopes: [String] = [], customParameters: [ByteText: String] = [:]
    ) {
        self.provider = provider
        self.operation = operation
        self.delivery = delivery
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.customParameters = customParameters.filter { name, value in
            !(name.rawValue.lowercased().isExactly("prompt") && value.lowercased().containsBytes(of: "none"))
        }
    }
}

/// A flow that was started. The next step is the provider's response.
public struct StartedFlow: Sendable {
    public let authorizationURL: String
    /// `nil` for a flow that is bound to a browser.
    public let sessionID: String?
    /// The cookie with its value; `nil` for a flow that is bound to a client.
    public let cookie: (cookie: AuthorizationFlow.Cookie, value: String)?
}

extension AuthorizationFlows {
    /// Starts a flow. The rules about App Review guideline 4.8 and about providers that the app offers only for linking
    /// apply here, and again when the result is used.
    public func start(
        _ start: AuthorizationStart, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> StartedFlow {
        try verifier.requireAllowed(start.provider, app, realm, start.operation == .link ? .link : .signIn)
        try limiter.count(
            .authorizationFlows(from: context.network), Policy.authorizationFlowLimit,
            Policy.authorizationFlowWindow, ID(realm.project.id))
        guard let settings = realm.settings(of: start.provider),
            let provider = realm.project.supportedProviders[start.provider],
            let parameters = ProviderStart(of: settings, for: app, in: realm),
            let clientID = parameters.webClientID
        else { throw ProviderRefusal.notConfigured }
        let (delivery, sessionID) = try checkedDelivery(start.delivery)
        let end = clock.now() + Self.lifetime
        let codeVerifier = provider.usesPKCE ? secrets.random() : nil
        let cookie = sessionID == nil ? newCookie(isSecure: start.redirectURI.beginsExactly(with: "https://")) : nil
        let flow = AuthorizationFlow(
            app: app.id, provider: start.provider, clientID: clientID, issuer: realm.issuer(of: start.provider),
            operation: start.operation,
            nonce: sealedTokens.nonce(until: end, in: realm.id).raw, verifier: codeVerifier,
            redirectURI: start.redirectURI, delivery: delivery, cookie: cookie?.cookie)
        let state = AuthorizationState(
            sealed: try sealedTokens.encode(flow, until: end, in: realm.id), realm: realm.id)
        let url = try await servers.authorizationURL(
            AuthorizationRequest(
                provider: provider, settings: settings, clientID: clientID, redirectURI: start.redirectURI,
                state: state.text,
                nonce: flow.nonce, codeChallenge: codeVerifier.map { Base64URL.encode(secrets.hash($0)) },
                scopes: parameters.scopes(adding: start.scopes),
                customParameters: start.customParameters))
        countEvent(.started)
        return StartedFlow(authorizationURL: url, sessionID: sessionID, cookie: cookie)
    }

    private func checkedDelivery(
        _ delivery: AuthorizationStart.Delivery
    ) throws(AuthorizationRefusal) -> (AuthorizationFlow.Delivery, sessionID: String?) {
        switch delivery {
        case .app(let target, let chosen):
            guard chosen.map(Self.isValidSessionID) ?? true else { throw .invalidSessionID }
            let sessionID = chosen ?? secrets.random()
            return (.app(target, sessionHash: encodedHash(sessionID)), sessionID)
        case .popup(let event, let target): return (.popup(event, returnTo: target), nil)
        case .page(let event, let target): return (.page(event, returnTo: target), nil)
        case .signInPage(let flow, let target): return (.signInPage(flow, returnTo: target), nil)
        }
    }

    /// Requires at least 16 characters, because a short session ID could be guessed.
    private static func isValidSessionID(_ text: String) -> Bool { text.isVisibleASCII(16...128) }

    /// Each flow has its own cookie, so that flows in several tabs do not interfere.
    private func newCookie(isSecure: Bool) -> (cookie: AuthorizationFlow.Cookie, value: String) {
        let value = secrets.random()
        let name = (isSecure ? "__Host-" : "") + "sekisho-flow-" + secrets.random().prefix(10)
        return (AuthorizationFlow.Cookie(name: name, hash: encodedHash(value), isSecure: isSecure), value)
    }

    /// The SHA-256 of `text` in base64url.
    private func encodedHash(_ text: String) -> String { Base64URL.encode(secrets.hash(text)) }
}
