/// The state of the simulated Google. Times are in seconds since 1970.
struct GoogleState: Sendable {
    /// In seconds.
    static let codeLifetime: Int64 = 600
    /// The `expires_in` of Google's responses, in seconds.
    static let accessTokenLifetime: Int64 = 3599

    struct Code {
        let signIn: GoogleSignIn
        let redirectURI: String?
        /// The code challenge of the method S256, in base64url (RFC 7636 §4.2).
        let challenge: String?
        let givesRefreshToken: Bool
        let expiresAt: Int64
    }

    var keys: SigningKeys
    var stream = SimulatedGoogleStream()
    var issuer: String
    /// The `max-age` in `Cache-Control` of the response with the public keys, in seconds.
    var keysMaxAge = 21_600
    var clients: [String: GoogleClient] = [:]
    var checksClientSecrets = true
    var redirectURIs = RedirectURIRule()
    /// The consents of people to clients, until the person or the client ends them.
    var consents: Set<ConsentKey> = []
    var codes: [String: Code] = [:]
    /// The sign-ins for which the refresh tokens were issued, by refresh token.
    var refreshTokens: [String: GoogleSignIn] = [:]
    var accessTokens: [String: (consentKey: ConsentKey, expiresAt: Int64)] = [:]

    init(keys: SigningKeys, issuer: String) {
        self.keys = keys
        self.issuer = issuer
    }

    /// Removes a consent, and the codes and tokens that depend on it.
    mutating func endConsent(_ consentKey: ConsentKey) {
        consents.remove(consentKey)
        codes = codes.filter { $0.value.signIn.consentKey != consentKey }
        refreshTokens = refreshTokens.filter { $0.value.consentKey != consentKey }
        accessTokens = accessTokens.filter { $0.value.consentKey != consentKey }
    }

    mutating func removeExpired(at now: Int64) {
        codes = codes.filter { $0.value.expiresAt > now }
        accessTokens = accessTokens.filter { $0.value.expiresAt > now }
    }
}

/// One sign-in of a person to a client. It determines the claims of the tokens that the client gets.
struct GoogleSignIn: Sendable {
    let person: SimulatedPerson
    let clientID: String
    let authorizedParty: String
    let nonce: String?

    var consentKey: ConsentKey { ConsentKey(personID: person.id, clientID: clientID) }

    /// A copy without the nonce, for the tokens that a refresh returns.
    var withoutNonce: GoogleSignIn {
        GoogleSignIn(person: person, clientID: clientID, authorizedParty: authorizedParty, nonce: nil)
    }
}
