public import Foundation

/// What the library needs to know about the gateway and the app.
public struct SekishoOptions: Sendable {
    /// The gateway, for example `https://auth.example.com`. Use ``Auth/useEmulator(withHost:port:)`` for a development
    /// server without TLS.
    public var url: URL
    /// The API key of the app. It identifies the app and is not a secret.
    public var apiKey: String
    /// The bundle identifier that the gateway compares with the app's configuration (default: that of the main bundle).
    public var bundleIdentifier: String?
    /// The tenant that users sign in to (default: the project itself). ``Auth/tenantID`` changes it later.
    public var tenantID: String?
    /// The name of this device in the user's list of sessions, in printable ASCII characters
    /// (default: the app, the device's model and its system).
    public var deviceName: String
    /// Where the session is stored (default: the keychain, or a file if there is no keychain).
    public var store: any SessionStore
    /// How requests reach the gateway (default: a private `URLSession`).
    public var transport: any HTTPTransport
    /// Source of time (default: the device's clocks).
    public var clock: AuthClock
    /// Whether ID tokens are renewed before they expire, without a call of the app (default: true).
    public var refreshesProactively: Bool
    /// Seconds after which a request fails with ``AuthErrorCode/networkError`` (default: 60).
    public var requestTimeout: TimeInterval

    /// Creates options with the defaults.
    public init(url: URL, apiKey: String) {
        self.url = url
        self.apiKey = apiKey
        bundleIdentifier = Bundle.main.bundleIdentifier
        deviceName = DeviceName.standard
        #if canImport(Security)
            store = KeychainStore()
        #else
            store = FileStore()
        #endif
        transport = URLSessionTransport()
        clock = .device
        refreshesProactively = true
        requestTimeout = 60
    }
}
