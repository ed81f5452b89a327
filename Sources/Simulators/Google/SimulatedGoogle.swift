internal import Crypto
internal import Encoding
public import JOSE
internal import Synchronization

/// Google's side of Sign in with Google: ID tokens, the consent page, and authorization codes with PKCE.
///
/// One host serves the paths of all of Google's hosts. The paths do not overlap.
public final class SimulatedGoogle: SimulatedProvider {
    public static let keysPath = "/oauth2/v3/certs"
    public static let authorizationPath = "/o/oauth2/v2/auth"
    public static let tokenPath = "/token"
    public static let revocationPath = "/revoke"

    public let faultInjection = FaultInjection()
    let clock: @Sendable () -> Int64
    let people: SimulatedPeople
    /// Guards the state of Google, so that concurrent requests redeem a code only once.
    let state: Mutex<GoogleState>

    /// - Parameters:
    ///   - clock: seconds since 1970.
    ///   - keySupply: must not be shared with another provider, whose tokens would then verify as Google's.
    ///   - keyCount: the initial number of published keys.
    ///   - people: the people that the consent page lists.
    public init(
        issuer: String = GoogleIssuer.url.rawValue, clock: @escaping @Sendable () -> Int64,
        keys keySupply: RSAKeySupply = RSAKeySupply(), publishing keyCount: Int = 2,
        people: SimulatedPeople = SimulatedPeople()
    ) throws {
        self.clock = clock
        self.people = people
        // 40 hexadecimal digits, like Google's key IDs.
        let keys = try SigningKeys(keySupply, count: keyCount) { key in
            Hexadecimal.encode(Digest.sha256(Array(JWK.thumbprint(of: key).utf8)).prefix(20))
        }
        state = Mutex(GoogleState(keys: keys, issuer: issuer))
    }

    /// The `iss` of new tokens.
    public var issuer: String {
        get { state.withLock { $0.issuer } }
        set { state.withLock { $0.issuer = newValue } }
    }

    /// The JWK set that ``keysPath`` returns.
    public var jwks: JWKSet { state.withLock { $0.keys.jwks } }

    /// Whether a key with this ID was ever published.
    public func hasPublishedKey(_ id: String) -> Bool { state.withLock { $0.keys.everPublishedIDs.contains(id) } }

    /// The number of requests for ``keysPath``.
    public var keyFetches: Int { faultInjection.requestCount(at: Self.keysPath) }

    /// The `max-age` in `Cache-Control` of the response with the public keys, in seconds.
    public var keysMaxAge: Int {
        get { state.withLock { $0.keysMaxAge } }
        set { state.withLock { $0.keysMaxAge = newValue } }
    }

    /// Generates a new key, which signs all tokens from then on.
    ///
    /// - Parameter keepingOld: whether the old keys stay published, so that older tokens can still be verified.
    public func rotateKeys(keepingOld: Bool = true) throws {
        try state.withLock { try $0.keys.rotate(keepingOld: keepingOld) }
    }

    public func register(_ client: GoogleClient) {
        state.withLock { $0.clients[client.id] = client }
    }

    /// If `false`, `/token` accepts any client secret, or none.
    public var checksClientSecrets: Bool {
        get { state.withLock { $0.checksClientSecrets } }
        set { state.withLock { $0.checksClientSecrets = newValue } }
    }

    /// Decides which redirect URIs are accepted besides those that a client has registered.
    public var redirectURIs: RedirectURIRule {
        get { state.withLock { $0.redirectURIs } }
        set { state.withLock { $0.redirectURIs = newValue } }
    }

    /// Returns an ID token like those that Google's SDKs return to an app.
    ///
    /// - Parameters:
    ///   - audience: on iOS, the web client ID if one is configured.
    ///   - authorizedParty: `azp` (default: the audience).
    ///   - nonce: the value of the claim `nonce`, unhashed.
    ///   - change: changes the token before it is signed.
    public func idToken(
        for person: SimulatedPerson, audience: String, authorizedParty: String? = nil, nonce: String? = nil,
        flow: GoogleFlow = .signIn, changing change: (inout TokenDraft) throws -> Void = { _ in }
    ) throws -> String {
        let signIn = GoogleSignIn(
            person: person, clientID: audience, authorizedParty: authorizedParty ?? audience, nonce: nonce)
        return try idTokenDraft(for: signIn, flow: flow).signed(changing: change)
    }

    /// Returns the `sub` of the person, which is the same for every client.
    public static func subject(of person: SimulatedPerson) -> String {
        "1" + Derived.digits(from: "google subject", person.id, count: 20)
    }
}
