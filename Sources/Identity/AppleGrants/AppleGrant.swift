/// A stored authorization code or token from Apple. The gateway uses it to check whether the user still uses the app,
/// and to disconnect the app. At most one grant that is ``State/authorized``, ``State/revoked`` or ``State/unknown`` is
/// stored for each identity and client ID.
public struct AppleGrant: Hashable, Sendable {
    public enum State: String, CaseIterable, Sendable {
        /// A worker has not redeemed the code or token of a sign-in yet; see ``Purpose/redeem``.
        case redeeming = "REDEEMING"
        case authorized = "AUTHORIZED"
        /// The user, or the gateway for the user, has disconnected the app.
        case revoked = "REVOKED"
        /// The token was obtained with a team or private key that is no longer configured.
        case unknown = "UNKNOWN"
        /// The token has to be revoked at Apple. A code has to be exchanged for a token first.
        case revoking = "REVOKING"
    }

    /// The wire's `tokenType`.
    public enum TokenType: String, CaseIterable, Codable, Sendable {
        case refreshToken = "REFRESH_TOKEN"
        case accessToken = "ACCESS_TOKEN"
        case code = "CODE"
    }

    /// The operation that a worker performs on a pending grant.
    public enum Purpose: String, CaseIterable, Sendable {
        /// The worker exchanges a code for a refresh token. After a sign-in in the browser, the gateway already has a
        /// refresh token. In both cases, the token becomes the ``State/authorized`` grant of its identity.
        case redeem
        case revoke
    }

    public let id: ID<AppleGrant>
    public let realm: ID<Realm>
    /// `nil` if no account has the identity: it was unlinked, its account was deleted, or no sign-in used the token.
    public let subject: String?
    /// The client ID that the token was issued to.
    public let clientID: String
    public let state: State
    public let tokenType: TokenType
    /// Encrypted, bound to ``id``.
    public let token: [UInt8]
    /// The redirect URI of the web flow; `nil` for a native app.
    public let redirectURI: String?
    /// When the worker gives up; `nil` if no redemption or revocation is pending. A code has this time from the start.
    /// A refresh token or access token gets it when a worker first claims or postpones it.
    public let expiresAt: Instant?
    /// Attempts so far, including the current one.
    public let attempts: Int

    public init(
        id: ID<AppleGrant>, realm: ID<Realm>, subject: String?, clientID: String, state: State, tokenType: TokenType,
        token: [UInt8], redirectURI: String? = nil, expiresAt: Instant? = nil, attempts: Int = 0
    ) {
        self.id = id
        self.realm = realm
        self.subject = subject
        self.clientID = clientID
        self.state = state
        self.tokenType = tokenType
        self.token = token
        self.redirectURI = redirectURI
        self.expiresAt = expiresAt
        self.attempts = attempts
    }
}

/// A client ID of one realm. The gateway counts the daily checks of grants (``AppleGrantChecks``) for each client ID
/// separately, and stops the checks of a client ID if too many of them fail.
public struct AppleClientReference: Hashable, Sendable {
    public let realm: ID<Realm>
    public let clientID: String

    public init(realm: ID<Realm>, clientID: String) {
        self.realm = realm
        self.clientID = clientID
    }
}

extension AppleGrant {
    public var client: AppleClientReference { AppleClientReference(realm: realm, clientID: clientID) }
    /// The pending operation of a grant that waits to be redeemed or revoked. Meaningless for other grants.
    public var purpose: Purpose { tokenType == .code || state == .redeeming ? .redeem : .revoke }
}
