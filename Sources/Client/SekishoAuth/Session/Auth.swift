internal import Dispatch
public import Foundation

/// Identifies a listener of ``Auth``.
public typealias AuthStateDidChangeListenerHandle = any NSObjectProtocol
/// Identifies a listener of ``Auth``.
public typealias IDTokenDidChangeListenerHandle = any NSObjectProtocol

/// Signs users in and keeps the current user, also between launches of the app.
///
/// All members can be used on any thread. Completion handlers and listeners run on the main queue; listeners run before
/// the result of the call that caused the change. Do not block the main thread until a call returns.
public final class Auth: Sendable {
    /// The version of the library.
    public static let libraryVersion = "0.1.0"

    private let cores: Locked<AuthCore>
    private let configuredApp: SekishoApp

    /// Returns the instance of the default app. The app must have called ``SekishoApp/configure(options:)``.
    public static func auth() -> Auth {
        guard let auth = SekishoApp.auth(name: SekishoApp.defaultName) else {
            preconditionFailure("Call SekishoApp.configure(options:) before Auth.auth().")
        }
        return auth
    }

    /// Returns the instance of an app.
    public static func auth(app: SekishoApp) -> Auth { SekishoApp.auth(name: app.name) ?? Auth(app: app) }

    /// Creates an instance that is not registered under a name, for tests and previews.
    public convenience init(options: SekishoOptions) {
        self.init(app: SekishoApp(name: SekishoApp.defaultName, options: options))
    }

    init(app: SekishoApp) {
        configuredApp = app
        cores = Locked(AuthCore(appName: app.name, options: app.options))
        // The store is read now, so that `currentUser` seldom has to wait.
        DispatchQueue.global(qos: .userInitiated).async { [core] in core.withState { _ in } }
    }

    deinit { core.stop() }

    var core: AuthCore { cores.current }

    /// The app that the instance was created for.
    public var app: SekishoApp? { configuredApp }

    /// The signed-in user, or `nil`. The first call waits until the stored session is read, without a request.
    ///
    /// While the session store is locked, this is `nil` and no listener is called. See ``isRestoring``.
    public var currentUser: User? { core.currentUser }

    /// Whether the session store is locked, so that it is not known yet who is signed in.
    public var isRestoring: Bool { core.withState { $0.restoration == .pending } }

    /// The language of emails, as an RFC 5646 tag such as `ja` (default: the user's languages).
    public var languageCode: String? {
        get { core.state.withLock(\.languageCode) }
        set { core.state.withLock { $0.languageCode = newValue } }
    }

    /// Sets ``languageCode`` to the app's current language.
    public func useAppLanguage() {
        languageCode = Bundle.main.preferredLocalizations.first ?? Locale.preferredLanguages.first
    }

    /// The tenant that users sign in to, or `nil` for the project itself.
    public var tenantID: String? {
        get { core.withState(\.tenantID) }
        set { core.withState { $0.tenantID = newValue } }
    }

    /// The host of the gateway's pages. The gateway serves them itself, so this property has no effect.
    public var customAuthDomain: String? {
        get { customDomain.current }
        set { customDomain.withLock { $0 = newValue } }
    }

    private let customDomain = Locked<String?>(nil)

    /// Uses a development server (`sekisho dev`) without TLS. Its session is stored separately from that of the
    /// configured gateway, whose user stays signed in there. Call it before any other method.
    public func useEmulator(withHost host: String, port: Int) {
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        guard let server = URL(string: "http://\(name):\(port)") else { return }
        cores.withLock { $0 = AuthCore(emulator: server, replacing: $0) }
        core.withState { _ in }
    }

    // MARK: Listeners

    /// Calls a listener when another user signs in or the user signs out, and once with the current user.
    ///
    /// - Returns: a handle for ``removeStateDidChangeListener(_:)``.
    @discardableResult public func addStateDidChangeListener(
        _ listener: @escaping (Auth, User?) -> Void
    ) -> AuthStateDidChangeListenerHandle { addListener(.user, listener) }

    /// Calls a listener when the ID token changes, and once with the current user.
    ///
    /// - Returns: a handle for ``removeIDTokenDidChangeListener(_:)``.
    @discardableResult public func addIDTokenDidChangeListener(
        _ listener: @escaping (Auth, User?) -> Void
    ) -> IDTokenDidChangeListenerHandle { addListener(.idToken, listener) }

    /// Removes a listener. After a removal on the main queue, it is not called any more.
    public func removeStateDidChangeListener(_ handle: AuthStateDidChangeListenerHandle) { remove(handle) }

    /// Removes a listener. After a removal on the main queue, it is not called any more.
    public func removeIDTokenDidChangeListener(_ handle: IDTokenDidChangeListenerHandle) { remove(handle) }

    /// The users that sign in and out, beginning with the current one.
    public var authStateChanges: AuthStateSequence { AuthStateSequence(cores: cores, subject: .user) }

    /// The user after each change of the ID token, beginning with the current one.
    public var idTokenChanges: AuthStateSequence { AuthStateSequence(cores: cores, subject: .idToken) }

    private func addListener(
        _ subject: Observer.Subject, _ listener: @escaping (Auth, User?) -> Void
    ) -> any NSObjectProtocol {
        let handler = MainQueueHandler<User?> { [weak self] user in
            if let self { listener(self, user) }
        }
        return ListenerHandle(core.addObserver(subject, .handler(handler)))
    }

    private func remove(_ handle: any NSObjectProtocol) {
        if let handle = handle as? ListenerHandle { core.removeObserver(handle.id) }
    }
}

extension Auth: CustomStringConvertible, CustomReflectable {
    /// The name of the app.
    public var description: String { "Auth(app: \(configuredApp.name))" }
    /// The name of the app.
    public var customMirror: Mirror { Mirror(self, children: ["app": configuredApp.name]) }
}
