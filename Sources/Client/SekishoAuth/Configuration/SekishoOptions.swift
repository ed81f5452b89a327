public import Foundation

/// The configuration of the library: gateway, API key, tenant, storage, transport.
public struct SekishoOptions: Sendable {
    /// The URL of the gateway, for example `https://auth.example.com`. The configuration ends the process if the scheme
    /// is not `https`. For a development server without TLS, call ``Auth/useEmulator(withHost:port:)``.
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
    /// Shows the pages of providers (default: ``SystemBrowser``; `nil` on systems without
    /// `ASWebAuthenticationSession`).
    public var browser: (any AuthBrowser)?
    /// The URL to which the browser returns after a sign-in at a provider. It must be one of the app's `redirectUris`
    /// at the gateway (default: `BUNDLE-IDENTIFIER:/sekisho`, for example `com.example.app:/sekisho`; `nil` without a
    /// bundle identifier).
    public var redirectURL: URL?
    /// Source of time (default: the device's clocks).
    public var clock: AuthClock
    /// Whether ID tokens are refreshed automatically before they expire (default: true). Otherwise they are refreshed
    /// when they are needed.
    public var refreshesProactively: Bool
    /// Timeout of a request in seconds, after which it fails with ``AuthErrorCode/networkError`` (default: 60; for a
    /// refresh of the tokens, at most 20).
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
        redirectURL = bundleIdentifier.flatMap { URL(string: "\($0):/sekisho") }
        #if canImport(AuthenticationServices)
            if #available(tvOS 16.0, *) { browser = SystemBrowser() }
        #endif
        transport = URLSessionTransport()
        clock = .device
        refreshesProactively = true
        requestTimeout = 60
    }

    /// What is wrong with the options, or `nil`.
    var problem: String? {
        guard url.scheme?.lowercased() == "https", url.host?.isEmpty == false else {
            return """
                SekishoOptions.url must begin with https and have a host, got \(url.absoluteString). For a development \
                server, call useEmulator(withHost:port:) after the configuration.
                """
        }
        return nil
    }
}
