public import Foundation

/// The configuration of the library: gateway, API key, tenant, storage, transport.
public struct SekishoOptions: Sendable {
    /// The URL of the gateway, for example `https://auth.example.com`. The scheme must be `https`. For a development
    /// server without TLS, call ``Auth/useEmulator(withHost:port:)``.
    public var url: URL
    /// The API key. It identifies the app and is not a secret.
    public var apiKey: String
    /// The bundle identifier, which the gateway compares with the app's configuration (default: that of the main
    /// bundle).
    public var bundleIdentifier: String?
    /// The initial ``Auth/tenantID`` (default: `nil`, the project itself).
    public var tenantID: String?
    /// The `User-Agent` of requests, which ``UserSession/device`` shows (default: app, device model and system, for
    /// example `Juice/2.1 (iPhone17,1; iOS 26.1)`). Characters other than printable ASCII are sent as `?`.
    public var deviceName: String
    /// The store of the session (default: ``KeychainStore``; on systems without a keychain, ``FileStore``).
    public var store: any SessionStore
    /// Sends the requests (default: ``URLSessionTransport``).
    public var transport: any HTTPTransport
    /// Source of time (default: the device's clocks).
    public var clock: AuthClock
    /// Whether ID tokens are refreshed automatically before they expire (default: true). Otherwise they are refreshed
    /// when they are needed.
    public var refreshesProactively: Bool
    /// Timeout of a request in seconds, after which it fails with ``AuthErrorCode/networkError`` (default: 60).
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
