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
