internal import Crypto
internal import Encoding
internal import JSON
internal import Synchronization

/// What a client gets when a person signs in to it.
public struct AppleAuthorization: Sendable {
    public let identityToken: String
    /// The code can be redeemed once, within five minutes.
    public let authorizationCode: String
    /// Unsigned JSON with the person's name and email address; `nil` unless this is the first sign-in and scopes were
    /// requested.
    public let user: String?
    /// The `state` of the request.
    public let state: String?

    /// The fields that the browser sends to the redirect URI, in the order of Apple's form.
    public var formFields: [(name: String, value: String)] {
        [("state", state), ("code", authorizationCode), ("id_token", identityToken), ("user", user)]
            .compactMap { name, value in value.map { (name, $0) } }
    }
}

extension SimulatedApple {
    /// Signs the person in to the client, and records the person's consent at the first sign-in.
    ///
    /// - Parameters:
    ///   - nonce: the value of the token's claim `nonce`.
    ///   - requestState: the `state` of the request.
    ///   - redirectURI: the redirect URI of the web flow; `nil` for native apps.
    ///   - change: changes the identity token before it is signed.
    /// - Throws: ``AppleRefusal`` if the client is not registered, or if the redirect URI is not accepted (see
    ///   ``RedirectURIRule``).
    public func authorize(
        _ person: SimulatedPerson, client clientID: String, scopes: Set<AppleScope> = [.name, .email],
        nonce: String? = nil, state requestState: String? = nil, redirectURI: String? = nil,
        changing change: (inout TokenDraft) throws -> Void = { _ in }
    ) throws -> AppleAuthorization {
        let now = clock()
        let code = Self.token(beginningWith: "c")
        people.add(person)
        let (client, quirks, signIn) = try state.withLock { state in
            state.removeExpired(at: now)
            let client = try state.registeredClient(clientID, redirectURI: redirectURI)
            var signIn = state.recordSignIn(of: person, to: client, scopes: scopes, nonce: nonce, at: now)
            signIn.isOnWeb = redirectURI != nil
            state.codes[code] = .init(
                signIn: signIn, redirectURI: redirectURI, expiresAt: now + AppleState.codeLifetime)
            return (client, state.quirks, signIn)
        }
        let token = try identityTokenDraft(for: signIn, code: code).signed(changing: change)
        let user = AppleUser(person, email: Self.email(of: person, for: client, quirks), scopes: scopes)
        return AppleAuthorization(
            identityToken: token, authorizationCode: code, user: signIn.isFirst ? try user?.text : nil,
            state: requestState)
    }

    /// Revokes the person's consent to the client, as users do in the settings of a device. Codes, refresh tokens and
    /// access tokens become invalid, and the next sign-in is treated as the first. Does not send the notification
    /// `consent-revoked`.
    public func disconnect(_ person: SimulatedPerson, from clientID: String) {
        let consentKey = ConsentKey(personID: person.id, clientID: clientID)
        state.withLock { state in
            let refreshTokens = state.refreshTokens.filter { $0.value.consentKey == consentKey }.keys
            state.disconnectedRefreshTokens.formUnion(refreshTokens)
            state.endConsent(consentKey)
        }
    }

    /// Returns a random authorization code or token in Apple's format.
    ///
    /// - Parameter letter: `c` for a code, `r` for a refresh token, `a` for an access token.
    static func token(beginningWith letter: String) -> String {
        let middle = Random.text(length: 4, alphabet: "abcdefghijklmnopqrstuvwxyz")
        return "\(letter)\(Hexadecimal.encode(Random.bytes(16))).0.\(middle).\(Random.text(length: 22))"
    }
}

extension AppleState {
    /// - Throws: ``AppleRefusal`` unless the client is registered and the redirect URI is accepted for it.
    func registeredClient(_ clientID: String, redirectURI: String?) throws(AppleRefusal) -> AppleClient {
        guard let client = clients[clientID] else { throw AppleRefusal(.invalidClient) }
        let isAllowed =
            switch (client.kind, redirectURI) {
            case (.native, nil), (.either, nil): true
            case (.web, let uri?), (.either, let uri?): redirectURIs.accepts(uri, registered: client.redirectURIs)
            case (.native, _?), (.web, nil): false
            }
        guard isAllowed else { throw AppleRefusal(.unauthorizedClient, "Invalid redirect_uri") }
        return client
    }

    /// Records the person's consent to the scopes, unless the person consented earlier, and returns the sign-in.
    fileprivate mutating func recordSignIn(
        of person: SimulatedPerson, to client: AppleClient, scopes: Set<AppleScope>, nonce: String?, at now: Int64
    ) -> AppleSignIn {
        var signIn = AppleSignIn(person: person, clientID: client.id, nonce: nonce, at: now)
        signIn.isFirst = consents[signIn.consentKey] == nil
        let consented = consents[signIn.consentKey]?.scopes ?? scopes
        consents[signIn.consentKey] = Consent(person: person, scopes: consented)
        signIn.sharesEmail = consented.contains(.email)
        return signIn
    }
}

/// The parameter `user`, which Apple sends through the browser.
private struct AppleUser: Encodable {
    struct Name: Encodable {
        let firstName: String
        let lastName: String
    }

    let name: Name?
    let email: String?

    init?(_ person: SimulatedPerson, email: String?, scopes: Set<AppleScope>) {
        guard !scopes.isEmpty else { return nil }
        self.email = scopes.contains(.email) ? email : nil
        name =
            scopes.contains(.name)
            ? Name(firstName: person.givenName ?? "", lastName: person.familyName ?? "") : nil
    }

    var text: String {
        get throws { try StrictJSON.text(self) }
    }
}
