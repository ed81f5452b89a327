/// The parameters that an app sends to a provider when a sign-in begins.
public struct ProviderStart: Hashable, Sendable {
    /// The client ID for a native sign-in or a sign-in on the app's own page; `nil` if there is none for this app. For
    /// Apple: a bundle ID on Apple's platforms, a Services ID on the web, Android and Windows, otherwise the first
    /// client ID that the app accepts.
    public let clientID: String?
    /// The client ID for a sign-in in the browser, on any platform; `nil` if there is none. For Apple, this is a
    /// Services ID. For other providers, this is the first of the project's client IDs that the app accepts. If the app
    /// accepts none of them, this is the app's own first client ID. The project's client IDs come first, because the
    /// client secret belongs to the first of them.
    public let webClientID: String?
    /// OAuth 2.0 scopes, in the provider's spelling.
    public let scopes: [String]
    public let requiresNonce: Bool
    /// Whether the app sends the SHA-256 of the nonce, in hexadecimal, to the provider, and not the nonce itself. The
    /// provider returns in the token what it received.
    public var hashesNonce: Bool { isApple }
    private let isApple: Bool

    public init(of settings: ProviderSettings, for app: App, in project: Project) {
        let audiences = app.audiences(of: settings)
        let requestedScopes = app.settings.requestedScopes
        isApple = settings.provider == .apple
        guard settings.provider == .apple else {
            clientID = audiences.first
            webClientID = settings.clientIDs.first { audiences.contains($0) } ?? audiences.first
            scopes =
                ["openid"] + (requestedScopes.contains(.email) ? ["email"] : [])
                + (requestedScopes.contains(.name) ? ["profile"] : [])
            requiresNonce = false
            return
        }
        webClientID = audiences.first { project.isServicesID($0, for: app) }
        clientID = project.appleClientID(for: app, among: audiences)
        scopes = AppSettings.RequestedScope.allCases.filter(requestedScopes.contains).map(\.rawValue)
        requiresNonce = project.policy.requiresNonce
    }

    /// Returns ``scopes``, with the scopes of `requested` that the provider can accept. Apple knows only `name` and
    /// `email`.
    func scopes(adding requested: [String]) -> [String] {
        let known = requested.filter { scope in
            isApple ? AppSettings.RequestedScope(rawValue: scope) != nil : Self.isScope(scope)
        }
        return known.prefix(Self.scopeLimit).reduce(into: scopes) { all, scope in
            if !all.contains(scope) { all.append(scope) }
        }
    }

    /// The maximum number of requested scopes that are added.
    private static let scopeLimit = 50

    /// RFC 6749 §3.3.
    private static func isScope(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }
}
