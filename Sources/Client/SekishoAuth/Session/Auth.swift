internal import Dispatch
public import Foundation

/// The handle of a listener from ``Auth/addStateDidChangeListener(_:)``.
public typealias AuthStateDidChangeListenerHandle = any NSObjectProtocol
/// The handle of a listener from ``Auth/addIDTokenDidChangeListener(_:)``.
public typealias IDTokenDidChangeListenerHandle = any NSObjectProtocol

/// Signs users in and out, and keeps the current user between launches of the app.
///
/// All members can be used on any thread. Completion handlers and listeners run on the main queue. An `async` method
/// returns after the listeners were called for its changes, so the main thread must not be blocked until the method
/// returns. ``signOut()`` does not wait for the listeners.
///
/// Methods throw ``AuthErrorCode``, or `CancellationError` if the calling task is cancelled. Every method that sends a
/// request can throw ``AuthErrorCode/networkError``, ``AuthErrorCode/tooManyRequests``,
/// ``AuthErrorCode/invalidAPIKey``, ``AuthErrorCode/appNotAuthorized`` and ``AuthErrorCode/internalError``. A sign-in
/// can also throw ``AuthErrorCode/keychainError`` if the session cannot be stored. The documentation of each
/// method lists only its further errors.
public final class Auth: Sendable {
    /// The version of the library.
    public static let libraryVersion = "0.1.0"

    private let lockedCore: Locked<AuthCore>
    private let configuredApp: SekishoApp

    /// Returns the instance of the default app. Ends the process if ``SekishoApp/configure(options:)`` was not called.
    public static func auth() -> Auth {
        guard let auth = SekishoApp.auth(name: SekishoApp.defaultName) else {
            preconditionFailure("Call SekishoApp.configure(options:) before Auth.auth().")
        }
        return auth
    }

    /// Returns the instance of an app.
    public static func auth(app: SekishoApp) -> Auth { SekishoApp.auth(name: app.name) ?? Auth(app: app) }

    /// Creates an instance that ``auth()`` does not return, for tests and previews. Ends the process if the options
    /// have a wrong URL.
    public convenience init(options: SekishoOptions) {
        self.init(app: SekishoApp(name: SekishoApp.defaultName, options: options))
    }

    init(app: SekishoApp) {
        if let problem = app.options.problem { preconditionFailure(problem) }
        configuredApp = app
        lockedCore = Locked(AuthCore(appName: app.name, options: app.options))
        core.setOwner(self)
        postNotifications()
        // Restores the session in the background, so that `currentUser` seldom has to wait.
        DispatchQueue.global(qos: .userInitiated).async { [core] in core.restoreIfNeeded() }
    }

    /// Creates an instance with the state of one that the app has released.
    init(core: AuthCore) {
        configuredApp = SekishoApp(name: core.appName, options: core.options)
        lockedCore = Locked(core)
    }

    deinit { core.stopProactiveRefreshes() }

    var core: AuthCore { lockedCore.current }

    /// The app that the instance was created for.
    public var app: SekishoApp? { configuredApp }

    /// The signed-in user, or `nil` if no user is signed in. The first call waits until the stored session is read; no
    /// request is sent.
    ///
    /// While the session store is locked, this is `nil` and no listener is called. See ``isRestoring``.
    public var currentUser: User? { core.currentUser }

    /// Whether the stored session cannot be read yet, because the session store is locked.
    public var isRestoring: Bool { core.withState { $0.restoration == .pending } }

    /// The language of emails, as an RFC 5646 tag such as `ja` (default: the user's preferred languages).
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

    /// In FirebaseAuth, the domain of the sign-in pages. It has no effect here, because the gateway serves its pages
    /// itself.
    public var customAuthDomain: String? {
        get { customDomain.current }
        set { customDomain.withLock { $0 = newValue } }
    }

    private let customDomain = Locked<String?>(nil)

    /// Sends all further requests to a development server (`sekisho dev`), without TLS. Call it before any other
    /// method.
    ///
    /// The session at the development server is stored separately. A user who is signed in to the configured gateway
    /// stays signed in to that gateway.
    ///
    /// - Parameters:
    ///   - host: a host name or an IP address. The call ends the process if it is not valid, for example if it contains
    ///     a scheme or a port.
    ///   - port: a TCP port.
    public func useEmulator(withHost host: String, port: Int) {
        guard let server = Self.emulatorURL(host: host, port: port) else {
            preconditionFailure("useEmulator(withHost:port:): expected a host and a port, got \(host), \(port)")
        }
        lockedCore.withLock { $0 = AuthCore(emulator: server, replacing: $0) }
        core.restoreIfNeeded()
    }

    /// Returns the URL of a development server, or `nil` if the host or the port is not valid.
    static func emulatorURL(host: String, port: Int) -> URL? {
        // An IPv6 address contains at least two colons.
        let colons = host.filter { $0 == ":" }.count
        let name = colons > 1 && !host.hasPrefix("[") ? "[\(host)]" : host
        guard colons != 1, (1...65535).contains(port), let url = URL(string: "http://\(name):\(port)"),
            url.port == port, url.host?.isEmpty == false, url.path.isEmpty, url.query == nil, url.user == nil,
            url.fragment == nil
        else { return nil }
        return url
    }

    // MARK: Listeners

    /// Calls a listener once with the current user, and whenever another user signs in or the user signs out.
    ///
    /// - Returns: a handle for ``removeStateDidChangeListener(_:)``.
    @discardableResult public func addStateDidChangeListener(
        _ listener: @escaping (Auth, User?) -> Void
    ) -> AuthStateDidChangeListenerHandle { addListener(.user, listener) }

    /// Calls a listener once with the current user, and whenever the ID token changes or the user signs out.
    ///
    /// - Returns: a handle for ``removeIDTokenDidChangeListener(_:)``.
    @discardableResult public func addIDTokenDidChangeListener(
        _ listener: @escaping (Auth, User?) -> Void
    ) -> IDTokenDidChangeListenerHandle { addListener(.idToken, listener) }

    /// Removes a listener. After a call on the main queue, the listener is not called any more.
    public func removeStateDidChangeListener(_ handle: AuthStateDidChangeListenerHandle) { remove(handle) }

    /// Removes a listener. After a call on the main queue, the listener is not called any more.
    public func removeIDTokenDidChangeListener(_ handle: IDTokenDidChangeListenerHandle) { remove(handle) }

    /// The current user, and then the new one whenever another user signs in or the user signs out (`nil`: no user).
    public var authStateChanges: AuthStateSequence { AuthStateSequence(lockedCore: lockedCore, subject: .user) }

    /// The current user, and then the user whenever the ID token changes or the user signs out (`nil`: no user).
    public var idTokenChanges: AuthStateSequence { AuthStateSequence(lockedCore: lockedCore, subject: .idToken) }

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
