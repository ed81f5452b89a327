public import Identity

extension Verifier {
    /// Verifies the credentials of all supported providers.
    public static func live(
        endpoints: ProviderEndpoints = .live, keys: JWKSCache, clock: WallClock
    ) -> Verifier {
        let apple = Apple(endpoint: endpoints.apple, keys: keys)
        let google = Google(endpoint: endpoints.google, keys: keys)
        let openID = GenericOpenID(keys: keys)
        return Verifier { credential, app, project in
            guard let settings = project.settings(of: credential.provider) else {
                throw ProviderRefusal.notConfigured
            }
            guard let idToken = credential.idToken, !idToken.isEmpty else { throw ProviderRefusal.credentialMissing }
            let input = IDTokenInput(
                idToken: idToken.expose(), credential: credential, settings: settings, app: app,
                policy: project.policy, now: clock.now())
            return switch credential.provider {
            case .apple: try await apple.verify(input)
            case .google: try await google.verify(input)
            case let other where other.isGenericOpenID: try await openID.verify(input)
            default: throw ProviderRefusal.notConfigured
            }
        } loadKeys: { provider, project in
            let address: DocumentAddress
            switch provider {
            case .apple: address = endpoints.apple.keys
            case .google: address = endpoints.google.keys
            default:
                guard let settings = project.settings(of: provider)?.openID else {
                    throw ProviderRefusal.notConfigured
                }
                address = try await keys.address(ofKeysOf: settings.issuer, provider)
            }
            try await keys.load(address, of: provider)
        }
    }
}

/// An unverified identity token with the settings of the project and the app.
struct IDTokenInput: Sendable {
    let idToken: String
    /// What the token came with.
    let credential: FederatedCredential
    let settings: ProviderSettings
    let app: App
    let policy: Policy
    let now: Instant

    /// If the app lists its own client IDs, only those are accepted, even if the list is empty.
    var audiences: [String] { app.audiences(of: settings) }

    /// The client IDs of the app and of the project.
    var authorizedParties: [String] {
        audiences + settings.clientIDs.filter { !audiences.containsExactly($0) }
    }
}

/// The issuers and key addresses of Apple and Google. They are fixed at start: no request, token or discovery document
/// changes them.
public struct ProviderEndpoints: Sendable {
    public struct Issuer: Sendable {
        /// `iss` is exactly one of these.
        public let issuers: [String]
        public let keysURL: String

        public init(issuers: [String], keysURL: String) {
            self.issuers = issuers
            self.keysURL = keysURL
        }

        var keys: DocumentAddress { DocumentAddress(url: keysURL, isConfigured: false) }
    }

    public let apple: Issuer
    public let google: Issuer

    public init(apple: Issuer, google: Issuer) {
        self.apple = apple
        self.google = google
    }

    public static let live = ProviderEndpoints(
        apple: Issuer(issuers: ["https://appleid.apple.com"], keysURL: "https://appleid.apple.com/auth/keys"),
        google: Issuer(
            issuers: ["https://accounts.google.com", "accounts.google.com"],
            keysURL: "https://www.googleapis.com/oauth2/v3/certs"))
}
