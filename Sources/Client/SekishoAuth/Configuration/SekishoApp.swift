internal import Foundation

/// A configuration of the library under a name. Takes the place of `FirebaseApp`.
public final class SekishoApp: Sendable {
    /// The name of the app that ``configure(options:)`` creates.
    public static let defaultName = "default"

    private static let configured = Locked<[String: Auth]>([:])

    /// Distinguishes configurations. It is part of the key under which the session is stored.
    public let name: String
    /// The options that the app was configured with.
    public let options: SekishoOptions

    init(name: String, options: SekishoOptions) {
        self.name = name
        self.options = options
    }

    /// Configures the default app. Call it once, before the first ``Auth/auth()``.
    public static func configure(options: SekishoOptions) { configure(name: defaultName, options: options) }

    /// Configures an app under a name. A later call with the same name replaces the configuration for later calls of
    /// ``Auth/auth(app:)``.
    public static func configure(name: String, options: SekishoOptions) {
        let auth = Auth(app: SekishoApp(name: name, options: options))
        let replaced = configured.withLock { $0.updateValue(auth, forKey: name) }
        replaced?.core.stop()
    }

    /// The default app, or `nil` if it is not configured.
    public static func app() -> SekishoApp? { app(name: defaultName) }

    /// The app with a name, or `nil` if it is not configured.
    public static func app(name: String) -> SekishoApp? { auth(name: name)?.app }

    static func auth(name: String) -> Auth? { configured.withLock { $0[name] } }
}
