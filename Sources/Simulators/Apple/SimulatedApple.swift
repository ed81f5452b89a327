public import JOSE
internal import Synchronization

/// Apple's side of Sign in with Apple: identity tokens, the consent page, authorization codes, tokens and
/// notifications.
///
/// Rate limits are not simulated.
public final class SimulatedApple: SimulatedProvider {
    /// The team of unregistered clients.
    public static let defaultTeam = "SIMULATED0"

    public let issuer: String
    public let faultInjection = FaultInjection()
    let clock: @Sendable () -> Int64
    let people: SimulatedPeople
    /// Guards the state of Apple, so that concurrent requests redeem a code only once.
    let state: Mutex<AppleState>

    /// - Parameters:
    ///   - clock: seconds since 1970.
    ///   - keySupply: must not be shared with another provider, whose tokens would then verify as Apple's.
    ///   - keyCount: the initial number of published keys.
    ///   - people: the people that the consent page lists.
    public init(
        issuer: String = "https://appleid.apple.com", clock: @escaping @Sendable () -> Int64,
        keys keySupply: RSAKeySupply = RSAKeySupply(), publishing keyCount: Int = 3,
        people: SimulatedPeople = SimulatedPeople()
    ) throws {
        self.issuer = issuer
        self.clock = clock
        self.people = people
        // The IDs have ten characters, like Apple's key IDs since 2024.
        let keys = try SigningKeys(keySupply, count: keyCount) { key in
            String(JWK.thumbprint(of: key).filter { $0 != "-" && $0 != "_" }.prefix(10))
        }
        state = Mutex(AppleState(keys: keys))
    }

    public var quirks: AppleQuirks {
        get { state.withLock { $0.quirks } }
        set { state.withLock { $0.quirks = newValue } }
    }

    // MARK: Keys

    public static let keysPath = "/auth/keys"

    /// The JWK set that ``keysPath`` returns.
    public var jwks: JWKSet { state.withLock { $0.keys.jwks } }

    /// Whether a key with this ID was ever published.
    public func hasPublishedKey(_ id: String) -> Bool { state.withLock { $0.keys.everPublishedIDs.contains(id) } }

    /// The number of requests for ``keysPath``.
    public var keyFetches: Int { faultInjection.requestCount(at: Self.keysPath) }

    /// Generates a new key, which signs all tokens from then on.
    ///
    /// - Parameter keepingOld: whether the old keys stay published, so that older tokens can still be verified.
    public func rotateKeys(keepingOld: Bool = true) throws {
        try state.withLock { try $0.keys.rotate(keepingOld: keepingOld) }
    }

    /// The number of accepted revocations, including those of unknown tokens.
    public var revocations: Int { state.withLock { $0.revocations } }

    // MARK: Clients

    public func register(_ client: AppleClient) {
        state.withLock { $0.clients[client.id] = client }
    }

    /// Decides which redirect URIs are accepted besides those that a client has registered.
    public var redirectURIs: RedirectURIRule {
        get { state.withLock { $0.redirectURIs } }
        set { state.withLock { $0.redirectURIs = newValue } }
    }

    /// The teams of all clients, and the team of unregistered clients.
    public var teams: Set<String> { state.withLock { Set($0.clients.values.map(\.team)) }.union([Self.defaultTeam]) }

    /// The team of a client, which need not be registered.
    public func team(of clientID: String) -> String { state.withLock { $0.client(clientID).team } }

    /// Whether the client was moved to another team.
    public func isTransferred(_ clientID: String) -> Bool {
        state.withLock { $0.clients[clientID]?.formerTeam != nil }
    }

    /// Moves an app to another team. Subjects and relay addresses change at once. For the next 60 days, identity tokens
    /// contain `transfer_sub`.
    public func transfer(_ clientID: String, to team: String) {
        let now = clock()
        state.withLock { state in
            var client = state.client(clientID)
            client.formerTeam = client.team
            client.transferredAt = now
            client.team = team
            state.clients[clientID] = client
        }
    }

    /// The client IDs of the apps and sites that a person has consented to use, each with the email address that it
    /// gets.
    public func consents(of person: SimulatedPerson) -> [(clientID: String, email: String?)] {
        state.withLock { state in
            state.consents.filter { $0.key.personID == person.id }.map { key, consent in
                let client = state.client(key.clientID)
                return (key.clientID, Self.email(of: consent.person, for: client, state.quirks))
            }
        }
        .sorted { $0.clientID < $1.clientID }
    }

    // MARK: Identity tokens

    /// Returns the identity token of a sign-in that is not the person's first. Records no consent and issues no code.
    ///
    /// - Parameters:
    ///   - audience: a client ID, which need not be registered.
    ///   - nonce: the value of the claim `nonce`. The caller hashes it.
    ///   - change: changes the token before it is signed.
    public func identityToken(
        for person: SimulatedPerson, audience: String, nonce: String? = nil,
        changing change: (inout TokenDraft) throws -> Void = { _ in }
    ) throws -> String {
        let signIn = AppleSignIn(person: person, clientID: audience, nonce: nonce, at: clock())
        return try identityTokenDraft(for: signIn).signed(changing: change)
    }

    /// Returns the `sub` of the person, which is the same for all clients of a team.
    public static func subject(of person: SimulatedPerson, in team: String = defaultTeam) -> String {
        let number = Derived.digits(from: "apple number", person.id, count: 6)
        let suffix = Derived.digits(from: "apple suffix", person.id, count: 4)
        return "\(number).\(Derived.hex(from: "apple subject", team, person.id, bytes: 16)).\(suffix)"
    }
}
