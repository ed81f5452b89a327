/// A session of a browser on the pages of the gateway. The browser proves it with a cookie.
///
/// It is an ordinary session of the account: its owner finds it in the list of sessions and can end it there. No app
/// has its tokens.
public struct BrowserSession: Sendable {
    public let caller: Caller
    /// Whether the user chose to stay signed in.
    public let staysSignedIn: Bool
    /// SHA-256 of the cookie's secret. Form tokens are bound to it.
    public let secretHash: [UInt8]
}

extension BrowserSession {
    /// Whether the session has the second factor that the policy demands of the account now.
    public func meetsFactorPolicy(of realm: Realm) -> Bool {
        realm.policy.secondFactors.accepts(caller.session, of: caller.account)
    }
}

/// How long the session of a browser lasts.
public struct BrowserSessionLifetime: Hashable, Sendable {
    /// The session ends if the browser does not use it for this time.
    public let idle: Duration
    /// The session ends in any case.
    public let absolute: Duration

    /// Until the user leaves the pages of the gateway.
    public static let visit = BrowserSessionLifetime(idle: .seconds(3600), absolute: .seconds(12 * 3600))
    /// With "Stay signed in".
    public static let stay = BrowserSessionLifetime(idle: .seconds(7 * 86_400), absolute: .seconds(30 * 86_400))
}

/// The content of the cookie: a secret, and the tenant whose accounts the session belongs to.
public struct BrowserSessionValue: Sendable {
    public let secret: Secret
    /// `nil` for an account of the project itself.
    public let tenant: ID<Tenant>?

    public init(secret: Secret, tenant: ID<Tenant>?) {
        self.secret = secret
        self.tenant = tenant
    }

    /// - Returns: `nil` unless the text is 43 characters of base64url, or these with a dot and a tenant ID.
    public init?(_ text: String) {
        guard let match = text.wholeMatch(of: /([A-Za-z0-9_-]{43})(?:\.([A-Za-z0-9_-]{1,63}))?/) else { return nil }
        self.init(secret: Secret(String(match.1)), tenant: match.2.map { ID(String($0)) })
    }

    /// The realm of the session.
    func realm(in project: ID<Project>) -> ID<Realm> { tenant.map { ID($0, of: project) } ?? ID(project) }

    public var text: String { secret.expose() + (tenant.map { ".\($0)" } ?? "") }
}

/// Finds and ends the sessions of browsers. ``SignInCodes`` opens them.
public struct BrowserSessions: Sendable {
    private let store: any BrowserSessionStore
    private let authenticator: Authenticator
    private let secrets: FlowSecrets
    private let clock: WallClock

    public init(
        store: any BrowserSessionStore, authenticator: Authenticator, secrets: FlowSecrets, clock: WallClock
    ) {
        self.store = store
        self.authenticator = authenticator
        self.secrets = secrets
        self.clock = clock
    }

    /// Returns the session that a cookie proves, and extends it. An account that must enrol a second factor first has
    /// no session here.
    ///
    /// - Returns: `nil` if the session has ended, or belongs to another tenant than `realm`.
    public func find(_ value: BrowserSessionValue, in realm: Realm) async throws -> BrowserSession? {
        guard value.tenant == realm.tenant?.id else { return nil }
        let hash = secrets.hash(value.secret.expose())
        guard let stored = try await store.use(hash, at: clock.now(), in: realm.id) else { return nil }
        do {
            let caller = try authenticator.caller(inBrowserWith: stored.found, in: realm)
            return BrowserSession(caller: caller, staysSignedIn: stored.staysSignedIn, secretHash: hash)
        } catch is any Refusal {
            return nil
        }
    }

    /// Lets the browser follow a change that has replaced its session. The browser gets a new cookie: the former one
    /// proves nothing any more.
    public func renew(
        _ session: BrowserSession, as signedIn: SignedIn, in realm: Realm
    ) async throws -> BrowserSessionValue {
        let secret = Secret(secrets.random())
        let isRenewed = try await store.renew(
            session.secretHash, as: secrets.hash(secret.expose()), of: signedIn.session.id, in: realm.id)
        guard isRenewed else { throw TokenRefusal.sessionEnded }
        return BrowserSessionValue(secret: secret, tenant: realm.tenant?.id)
    }

    /// Ends the session of a browser. The sessions of apps stay.
    public func end(_ session: BrowserSession, in realm: Realm, from context: RequestContext) async throws {
        let id = session.caller.session.id
        try await store.end(
            session.secretHash, events: [AccountEvent(.sessionRevoked(id), of: session.caller.account.id)],
            recording: realm.recording(by: .user(context.trace)), at: clock.now(), in: realm.id)
    }
}
