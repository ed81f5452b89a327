internal import Encoding
internal import HTTP
internal import JSON
internal import Synchronization

extension SimulatedApple {
    /// `/auth/token`: redeems a code once, and a refresh token until the consent ends. With the grant type
    /// `client_credentials`, issues an access token for the migration of users to another team.
    func redeem(_ request: Request) throws -> Response {
        let (form, client) = try authenticateClient(
            of: request, acceptsFormerTeam: Form(request)?["grant_type"] == "client_credentials")
        let refreshToken: String?
        let signIn: AppleSignIn
        switch form["grant_type"] {
        case "authorization_code":
            signIn = try redeemCode(in: form, for: client).withoutFirstFlag
            refreshToken = Self.token(beginningWith: "r")
        case "refresh_token":
            signIn = try signInOfRefreshToken(in: form, for: client).withoutFirstFlagAndNonce
            refreshToken = nil
        case "client_credentials": return try migrationToken(for: form["scope"])
        case nil: throw AppleRefusal(.invalidRequest)
        default: throw AppleRefusal(.unsupportedGrantType)
        }
        let accessToken = Self.token(beginningWith: "a")
        let expiry = clock() + AppleState.accessTokenLifetime
        state.withLock { state in
            if let refreshToken { state.refreshTokens[refreshToken] = signIn }
            state.accessTokens[accessToken] = .init(consentKey: signIn.consentKey, expiresAt: expiry)
        }
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string("Bearer"),
            "expires_in": .integer(AppleState.accessTokenLifetime),
            "id_token": .string(try identityTokenDraft(for: signIn, accessToken: accessToken).signed()),
        ]
        body["refresh_token"] = refreshToken.map(JSONValue.string)
        return .json(body, Self.tokenHeaders)
    }

    /// `/auth/revoke`: responds with 200 to every token, known or not. A token of this client ends the person's
    /// consent.
    func revoke(_ request: Request) throws -> Response {
        let (form, client) = try authenticateClient(of: request)
        guard let token = form["token"] else { throw AppleRefusal(.invalidRequest) }
        state.withLock { state in
            let consentKey = state.refreshTokens[token]?.consentKey ?? state.accessTokens[token]?.consentKey
            state.revocations += 1
            if let consentKey, consentKey.clientID == client.id { state.endConsent(consentKey) }
        }
        return Response(status: 200)
    }

    /// Authenticates the client that sent a request, by its client secret. Returns the form in the request's body, and
    /// the client. If ``AppleQuirks/checksClientSecrets`` is `false`, an unregistered client is accepted too, and is
    /// treated as an app of the team that its secret names.
    ///
    /// - Parameter acceptsFormerTeam: whether a secret of the client's former team is accepted, for the migration of
    ///   users to another team. For such a secret, the returned client is as it was before its transfer.
    func authenticateClient(
        of request: Request, acceptsFormerTeam: Bool = false
    ) throws(AppleRefusal) -> (Form, AppleClient) {
        guard let form = Form(request), let id = form["client_id"] else { throw AppleRefusal(.invalidRequest) }
        guard let secret = form["client_secret"] else { throw AppleRefusal(.invalidClient) }
        let (registered, acceptsUnverified) = state.withLock { ($0.clients[id], !$0.quirks.checksClientSecrets) }
        let unregistered =
            acceptsUnverified ? AppleClientSecret.team(in: secret).map { AppleClient(id: id, team: $0) } : nil
        guard var client = registered ?? unregistered else { throw AppleRefusal(.invalidClient) }
        if acceptsFormerTeam, let former = client.formerTeam, let transferredAt = client.transferredAt,
            clock() < transferredAt + Self.transferWindow, AppleClientSecret.team(in: secret) == former
        {
            (client.team, client.formerTeam, client.transferredAt) = (former, nil, nil)
        }
        try AppleClientSecret.check(
            secret, of: client, audience: issuer, now: clock(), acceptsUnverified: acceptsUnverified)
        return (form, client)
    }

    /// Returns the sign-in for which the code was issued, and marks the code as used.
    private func redeemCode(in form: Form, for client: AppleClient) throws(AppleRefusal) -> AppleSignIn {
        guard let text = form["code"] else { throw AppleRefusal(.invalidRequest) }
        let now = clock()
        let result: Result<AppleSignIn, AppleRefusal> = state.withLock { state in
            guard let code = state.codes[text], code.signIn.clientID == client.id else {
                return .failure(AppleRefusal(.invalidGrant))
            }
            guard !code.isUsed else {
                return .failure(AppleRefusal(.invalidGrant, "The code has already been used."))
            }
            guard code.expiresAt > now else {
                return .failure(AppleRefusal(.invalidGrant, "The code has expired or has been revoked."))
            }
            guard code.redirectURI == form["redirect_uri"] else {
                return .failure(
                    AppleRefusal(.invalidGrant, "redirect_uri differs from that of the authorization request."))
            }
            state.codes[text]?.isUsed = true
            return .success(code.signIn)
        }
        return try result.get()
    }

    private func signInOfRefreshToken(in form: Form, for client: AppleClient) throws(AppleRefusal) -> AppleSignIn {
        guard let text = form["refresh_token"] else { throw AppleRefusal(.invalidRequest) }
        let (signIn, refusal) = state.withLock { state in
            (
                state.refreshTokens[text],
                state.disconnectedRefreshTokens.contains(text) ? state.quirks.refusalAfterDisconnecting : .invalidGrant
            )
        }
        guard let signIn, signIn.clientID == client.id else { throw AppleRefusal(refusal) }
        return signIn
    }
}
