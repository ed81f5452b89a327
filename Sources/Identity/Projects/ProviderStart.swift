internal import Encoding

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
    /// See ``Provider/hashesNonce``.
    public let hashesNonce: Bool
    private let supportedScopes: ProviderScopes

    /// - Returns: `nil` if this release does not support the provider.
    public init?(of settings: ProviderSettings, for app: App, in realm: Realm) {
        guard let provider = realm.project.supportedProviders[settings.provider] else { return nil }
        let audiences = app.audiences(of: settings)
        if settings.provider == .apple {
            webClientID = audiences.first { realm.isServicesID($0, for: app) }
            clientID = realm.appleClientID(for: app, among: audiences)
        } else {
            webClientID = settings.clientIDs.first { audiences.contains($0) } ?? audiences.first
            clientID = audiences.first
        }
        supportedScopes = provider.scopes
        scopes =
            provider.scopes.base
            + AppSettings.RequestedScope.allCases.filter(app.settings.requestedScopes.contains)
            .compactMap { provider.scopes.optional[$0] }
        hashesNonce = provider.hashesNonce
        requiresNonce = provider.hashesNonce && realm.policy.requiresNonce
    }

    /// Returns ``scopes``, with the scopes of `requested` that the provider can accept.
    func scopes(adding requested: [String]) -> [String] {
        let known = requested.filter { scope in
            supportedScopes.acceptsOthers
                ? Self.isScope(scope) : supportedScopes.optional.values.contains { $0.isExactly(scope) }
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
