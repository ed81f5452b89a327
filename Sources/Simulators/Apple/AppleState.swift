/// The state of the simulated Apple. Times are in seconds since 1970.
struct AppleState: Sendable {
    /// In seconds.
    static let codeLifetime: Int64 = 300
    /// In seconds.
    static let accessTokenLifetime: Int64 = 3600

    struct Code {
        let signIn: AppleSignIn
        let redirectURI: String?
        let expiresAt: Int64
        var isUsed = false
    }

    struct Consent {
        let person: SimulatedPerson
        let scopes: Set<AppleScope>
    }

    struct AccessToken {
        let consentKey: ConsentKey
        let expiresAt: Int64
    }

    var keys: SigningKeys
    var quirks = AppleQuirks()
    var clients: [String: AppleClient] = [:]
    var redirectURIs = RedirectURIRule()
    /// The consents of people to clients, until the person or the client ends them.
    var consents: [ConsentKey: Consent] = [:]
    var codes: [String: Code] = [:]
    /// The sign-ins for which the refresh tokens were issued, by refresh token.
    var refreshTokens: [String: AppleSignIn] = [:]
    var accessTokens: [String: AccessToken] = [:]
    /// The expiry times of the access tokens for the migration of users to another team.
    var migrationTokens: [String: Int64] = [:]
    /// The number of accepted revocations, including those of unknown tokens.
    var revocations = 0
    /// The invalid refresh tokens of people who have disconnected the client. For their error, see
    /// ``AppleQuirks/refusalAfterDisconnecting``.
    var disconnectedRefreshTokens: Set<String> = []

    init(keys: SigningKeys) {
        self.keys = keys
    }

    /// Returns a client. An unregistered client is treated as an app of the default team.
    func client(_ id: String) -> AppleClient { clients[id] ?? AppleClient(id: id) }

    /// Removes a consent, and the codes and tokens that depend on it. The next sign-in is treated as the first.
    mutating func endConsent(_ consentKey: ConsentKey) {
        consents[consentKey] = nil
        codes = codes.filter { $0.value.signIn.consentKey != consentKey }
        refreshTokens = refreshTokens.filter { $0.value.consentKey != consentKey }
        accessTokens = accessTokens.filter { $0.value.consentKey != consentKey }
    }

    /// Removes expired tokens, and codes that expired at least five minutes ago. Until then, the error for an expired
    /// code says that it has expired.
    mutating func removeExpired(at now: Int64) {
        codes = codes.filter { $0.value.expiresAt + Self.codeLifetime > now }
        accessTokens = accessTokens.filter { $0.value.expiresAt > now }
        migrationTokens = migrationTokens.filter { $0.value > now }
    }
}

/// One sign-in of a person to a client. It determines the claims of the tokens that the client gets.
struct AppleSignIn: Sendable {
    let person: SimulatedPerson
    let clientID: String
    private(set) var nonce: String?
    /// In seconds since 1970.
    let authenticatedAt: Int64
    var sharesEmail = true
    /// Whether this is the first sign-in to the client, ever or since the consent was revoked.
    var isFirst = false
    /// Whether the sign-in began in a browser, without Apple's frameworks.
    var isOnWeb = false

    init(person: SimulatedPerson, clientID: String, nonce: String?, at now: Int64) {
        self.person = person
        self.clientID = clientID
        self.nonce = nonce
        authenticatedAt = now
    }

    var consentKey: ConsentKey { ConsentKey(personID: person.id, clientID: clientID) }

    /// A copy in which ``isFirst`` is `false`, for the tokens that the client gets for its code.
    var withoutFirstFlag: AppleSignIn {
        var signIn = self
        signIn.isFirst = false
        return signIn
    }

    /// A copy in which ``isFirst`` is `false` and ``nonce`` is `nil`, for the tokens that a refresh returns.
    var withoutFirstFlagAndNonce: AppleSignIn {
        var signIn = withoutFirstFlag
        signIn.nonce = nil
        return signIn
    }
}
