/// Apple's authorization endpoint, and Google's authorization and token endpoints. All are fixed at start, like
/// ``ProviderEndpoints``. ``AppleEndpoints`` has Apple's token endpoint.
public struct AuthorizationEndpoints: Sendable {
    public let appleAuthorizationURL: String
    public let google: Endpoints

    public struct Endpoints: Hashable, Sendable {
        public let authorizationURL: String
        public let tokenURL: String

        public init(authorizationURL: String, tokenURL: String) {
            self.authorizationURL = authorizationURL
            self.tokenURL = tokenURL
        }
    }

    public init(appleAuthorizationURL: String, google: Endpoints) {
        self.appleAuthorizationURL = appleAuthorizationURL
        self.google = google
    }

    /// - Parameters:
    ///   - apple: the base URL of a simulated Apple, without a slash at the end.
    ///   - google: the base URL of a simulated Google, without a slash at the end.
    public init(apple: String, google: String) {
        self.init(
            appleAuthorizationURL: apple + "/auth/authorize",
            google: Endpoints(authorizationURL: google + "/o/oauth2/v2/auth", tokenURL: google + "/token"))
    }

    public static let live = AuthorizationEndpoints(
        appleAuthorizationURL: "https://appleid.apple.com/auth/authorize",
        google: Endpoints(
            authorizationURL: "https://accounts.google.com/o/oauth2/v2/auth",
            tokenURL: "https://oauth2.googleapis.com/token"))
}
