internal import Encoding

/// A sign-in in the browser between its start and the provider's response: the content of `state`, which only the
/// gateway can read. It holds everything that is needed to process the response, so the database stores nothing before
/// the provider has responded.
public struct AuthorizationFlow: Hashable, SealedTokenContent {
    public static let purpose = "authorization-flow"

    /// The operation that the flow was started for. The identity that results from ``link`` can only be linked. The
    /// identity that results from another operation cannot be linked.
    public enum Operation: String, CaseIterable, Codable, Sendable {
        case signIn = "SIGN_IN"
        case link = "LINK"
        /// Never creates an account.
        case reauthenticate = "REAUTHENTICATE"
    }

    /// How the result reaches the app.
    public enum Delivery: Hashable, Codable, Sendable {
        /// A redirect to the app, with the grant (see ``FlowResultSecrets``) in the query. The client has the
        /// `sessionId` of `createAuthUri`.
        ///
        /// - Parameter sessionHash: the SHA-256 of that `sessionId` in base64url.
        case app(AuthorizationTarget, sessionHash: String)
        /// An event for the frame of Firebase's SDK in the window that opened the popup.
        case popup(SDKEvent, returnTo: AuthorizationTarget)
        /// An event that is stored in the browser for the SDK's frame, and a redirect to the app's page.
        case page(SDKEvent, returnTo: AuthorizationTarget)
        /// The gateway's own sign-in page, which continues its flow.
        case signInPage(SignInPageFlow.Reference, returnTo: AuthorizationTarget)
    }

    public let app: ID<App>
    public let provider: ProviderID
    public let clientID: String
    /// The provider's issuer at the start; see ``VerifiedIdentity/issuer``.
    public let issuer: String?
    public let operation: Operation
    /// Issued by the gateway, single-use, and part of the provider's identity token.
    public let nonce: String
    /// The code verifier of PKCE (RFC 7636); `nil` for a provider that does not support PKCE.
    public let verifier: String?
    /// Where the provider sends its response.
    public let redirectURI: String
    public let delivery: Delivery
    /// `nil` for a flow that is bound to a client instead of a browser.
    public let cookie: Cookie?

    /// Binds the flow to the browser that started it.
    public struct Cookie: Hashable, Codable, Sendable {
        public let name: String
        /// The SHA-256 of the value in base64url.
        public let hash: String
        public let isSecure: Bool
    }
}

extension AuthorizationFlow {
    public var target: AuthorizationTarget {
        switch delivery {
        case .app(let target, _), .popup(_, let target), .page(_, let target), .signInPage(_, let target): target
        }
    }

    /// Requires that a response came to the redirect URI of this flow. Each `oidc.NAME` has its own redirect URI, so
    /// that no provider receives the code of another provider (RFC 9700 §4.4.2). The built-in providers share one.
    func requireRedirectURI(endingIn path: String) throws(AuthorizationRefusal) {
        guard redirectURI.endsExactly(with: path) else { throw .invalidResponse }
    }

    /// Requires that the app may still return to the target. Domains and redirect URIs may have been removed after the
    /// start of the flow.
    func requireTarget(of app: App, in realm: Realm) throws(ContinueURLRefusal) {
        switch delivery {
        case .app(let target, _): _ = try AuthorizationTarget(target.text, of: app, in: realm)
        case .popup(_, let target), .page(_, let target): _ = try AuthorizationTarget(page: target.text, in: realm)
        case .signInPage(_, let target):
            guard app.isAccountPage else {
                _ = try AuthorizationTarget(target.text, of: app, in: realm)
                return
            }
        }
    }

    /// The purpose of the proof of the identity.
    var proofPurpose: LoginServices.Purpose { operation == .link ? .link : .signIn }
}

/// The values in an event that come from Firebase's JavaScript SDK, and that it gets back unchanged.
public struct SDKEvent: Hashable, Codable, Sendable {
    /// The SDK's `authType`, such as `signInViaPopup`.
    public let type: String
    public let eventID: String?
    public let apiKey: String
    public let appName: String
    public let tenant: String?

    public init(type: String, eventID: String?, apiKey: String, appName: String, tenant: String?) {
        self.type = type
        self.eventID = eventID
        self.apiKey = apiKey
        self.appName = appName
        self.tenant = tenant
    }
}

/// The result of a completed flow: a verified identity and the provider's tokens. It is stored for the client that
/// presents its grant; see ``FlowResultSecrets``.
public struct AuthorizationResult: Hashable, SealedTokenContent {
    public static let purpose = "authorization-result"

    public let identity: VerifiedIdentity
    public let operation: AuthorizationFlow.Operation
    public let tokens: ProviderTokens
}

/// A result for which a client has presented the grant and the `sessionId` of the flow (see ``FlowResultSecrets``).
public struct RedeemedAuthorization: Sendable {
    public let result: AuthorizationResult
    /// Makes the grant single-use; consumed by the sign-in.
    let replayKey: ReplayKey

    public var tokens: ProviderTokens { result.tokens }

    var mayCreateAccount: Bool { result.operation != .reauthenticate }

    /// - Parameter linking: whether the request links the identity.
    /// - Throws: ``AuthorizationRefusal/otherOperation`` if only one of them links: the request or the flow.
    func requireOperation(linking: Bool) throws(AuthorizationRefusal) {
        guard linking == (result.operation == .link) else { throw .otherOperation }
    }
}
