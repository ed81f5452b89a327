/// Stores which cookie proves which session.
public protocol BrowserSessionStore: Sendable {
    /// Returns an active session, and extends it by its idle time. At most one write per minute.
    ///
    /// - Parameter secret: SHA-256 of the cookie's secret.
    /// - Returns: `nil` if there is no such session, or if it has ended.
    func use(_ secret: [UInt8], at now: Instant, in realm: ID<Realm>) async throws -> StoredBrowserSession?

    /// Replaces the secret of a cookie and its session. The times at which it ends stay.
    ///
    /// - Parameters:
    ///   - secret: SHA-256 of the former secret.
    ///   - newSecret: SHA-256 of the new one.
    /// - Returns: whether there was such a cookie.
    func renew(
        _ secret: [UInt8], as newSecret: [UInt8], of session: ID<Session>, in realm: ID<Realm>
    ) async throws -> Bool

    /// Ends the session. Does nothing if it has ended.
    func end(
        _ secret: [UInt8], events: [AccountEvent], recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws
}

/// An active session of a browser, as it is stored.
public struct StoredBrowserSession: Sendable {
    public let found: FoundSession
    public let staysSignedIn: Bool

    public init(found: FoundSession, staysSignedIn: Bool) {
        self.found = found
        self.staysSignedIn = staysSignedIn
    }
}

/// A session of a browser to store. ``SignInCompletion`` has opened the session itself.
public struct NewBrowserSession: Sendable {
    public let secretHash: [UInt8]
    public let session: ID<Session>
    public let lifetime: BrowserSessionLifetime
    public let openedAt: Instant
    /// SHA-256 of the secret of the cookie that the new one replaces, and the realm of its session, which ends. A
    /// project and its tenants share the cookie. `nil` if there is none.
    public let replaced: (secretHash: [UInt8], realm: ID<Realm>)?
}
