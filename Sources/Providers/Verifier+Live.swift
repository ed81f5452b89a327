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
            let presented = try IDTokenInput(credential, from: app, in: project, at: clock.now())
            return switch credential.provider {
            case .apple: try await apple.verify(presented)
            case .google: try await google.verify(presented)
            case let other where other.isGenericOpenID: try await openID.verify(presented)
            default: throw ProviderRefusal.notConfigured
            }
        }
    }
}

extension IDTokenInput {
    init(
        _ credential: FederatedCredential, from app: App, in project: Project, at now: Instant
    ) throws(ProviderRefusal) {
        guard let settings = project.settings(of: credential.provider) else { throw .notConfigured }
        guard settings.isEnabled else { throw .disabled }
        guard let idToken = credential.idToken, !idToken.isEmpty else { throw .credentialMissing }
        self.init(
            idToken: idToken.expose(), rawNonce: credential.rawNonce, nonceIsOurs: credential.nonceIsOurs,
            name: credential.name, settings: settings,
            app: app, policy: project.policy, now: now)
    }
}
