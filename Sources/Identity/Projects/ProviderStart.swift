/// What an app sends to a provider when a sign-in begins.
public struct ProviderStart: Hashable, Sendable {
    /// `nil` if the provider has no client ID for this app.
    public let clientID: String?
    /// OAuth 2.0 scopes, in the provider's spelling.
    public let scopes: [String]
    public let requiresNonce: Bool
    /// Whether the app hashes the nonce (SHA-256, hexadecimal) before it sends it to the provider.
    public let hashesNonce: Bool

    public init(of settings: ProviderSettings, for app: App, in project: Project) {
        let audiences = app.audiences(of: settings)
        let platform = app.settings.platform
        let wanted = app.settings.requestedScopes
        guard settings.provider == .apple else {
            clientID = audiences.first
            scopes =
                ["openid"] + (wanted.contains(.email) ? ["email"] : []) + (wanted.contains(.name) ? ["profile"] : [])
            (requiresNonce, hashesNonce) = (false, false)
            return
        }
        clientID =
            switch platform {
            case .ios, .macos: app.settings.bundleIDs.first(where: audiences.contains)
            case .web, .android, .windows: audiences.first { project.isServicesID($0, for: app) }
            case .other: audiences.first
            }
        scopes = AppSettings.RequestedScope.allCases.filter(wanted.contains).map(\.rawValue)
        requiresNonce = project.policy.requiresNonce
        // In Apple's web flow, the token contains the nonce as the page sent it.
        hashesNonce = platform != .web
    }
}
