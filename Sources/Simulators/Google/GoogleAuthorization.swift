internal import Crypto
internal import Synchronization

extension SimulatedGoogle {
    /// Signs the person in to the client, with consent if Google requires it.
    ///
    /// - Parameters:
    ///   - redirectURI: the redirect URI of the request; `nil` for the server code that a native app gets.
    ///   - codeChallenge: the code challenge of the method S256 (RFC 7636).
    ///   - isOffline: whether the request has `access_type=offline`. The client then gets a refresh token for the code,
    ///     if the person consents in this request.
    ///   - forcesConsent: whether the request has `prompt=consent`, so that the person consents again.
    /// - Returns: the authorization code, valid once, for ten minutes.
    /// - Throws: ``GoogleRefusal`` if the client is not registered, or if the redirect URI is not accepted (see
    ///   ``RedirectURIRule``).
    public func authorize(
        _ person: SimulatedPerson, client clientID: String, redirectURI: String? = nil, nonce: String? = nil,
        codeChallenge: String? = nil, isOffline: Bool = false, forcesConsent: Bool = false
    ) throws(GoogleRefusal) -> String {
        let now = clock()
        let code = "4/0\(Random.text(length: 70))"
        people.add(person)
        let refusal: GoogleRefusal? = state.withLock { state in
            state.removeExpired(at: now)
            if let refusal = state.refusal(of: clientID, redirectURI: redirectURI) { return refusal }
            let signIn = GoogleSignIn(person: person, clientID: clientID, authorizedParty: clientID, nonce: nonce)
            let consentsNow = state.consents.insert(signIn.consentKey).inserted || forcesConsent
            state.codes[code] = .init(
                signIn: signIn, redirectURI: redirectURI, challenge: codeChallenge,
                givesRefreshToken: isOffline && consentsNow, expiresAt: now + GoogleState.codeLifetime)
            return nil
        }
        if let refusal { throw refusal }
        return code
    }

    /// Revokes the person's consent to the client. Codes, refresh tokens and access tokens become invalid, and the next
    /// sign-in requires consent again.
    public func disconnect(_ person: SimulatedPerson, from clientID: String) {
        state.withLock { $0.endConsent(ConsentKey(personID: person.id, clientID: clientID)) }
    }
}

extension GoogleState {
    /// Returns the error for a request of the client with this redirect URI; `nil` if the client is registered and the
    /// redirect URI is accepted.
    func refusal(of clientID: String, redirectURI: String?) -> GoogleRefusal? {
        guard let client = clients[clientID] else {
            return GoogleRefusal(.invalidClient, "The OAuth client was not found.")
        }
        let isAccepted = redirectURI.map { redirectURIs.accepts($0, registered: client.redirectURIs) } ?? true
        return isAccepted ? nil : GoogleRefusal(.redirectURIMismatch)
    }
}
