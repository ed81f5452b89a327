internal import Foundation

/// A named configuration of the library. The counterpart of `FirebaseApp`.
public final class SekishoApp: Sendable {
    /// The name of the default app.
    public static let defaultName = "default"

    private static let configured = Locked<[String: Auth]>([:])

    /// The name of the app. Apps with different names have separate sessions.
    public let name: String
    /// The options that the app was configured with.
    public let options: SekishoOptions

    init(name: String, options: SekishoOptions) {
        self.name = name
        self.options = options
    }

    /// Configures the default app. Call it once, before the first ``Auth/auth()``. Ends the process if
    /// ``SekishoOptions/url`` does not begin with `https`.
    public static func configure(options: SekishoOptions) { configure(name: defaultName, options: options) }

    /// Configures an app with a name. Another call with the same name replaces the configuration: ``Auth/auth()`` and
    /// ``Auth/auth(app:)`` then return a new instance.
    public static func configure(name: String, options: SekishoOptions) {
        let auth = Auth(app: SekishoApp(name: name, options: options))
        let replaced = configured.withLock { $0.updateValue(auth, forKey: name) }
        replaced?.core.stopProactiveRefreshes()
    }

    /// Returns the default app, or `nil` if it is not configured.
    public static func app() -> SekishoApp? { app(name: defaultName) }

    /// Returns the app with a name, or `nil` if it is not configured.
    public static func app(name: String) -> SekishoApp? { auth(name: name)?.app }

    static func auth(name: String) -> Auth? { configured.withLock { $0[name] } }
}
