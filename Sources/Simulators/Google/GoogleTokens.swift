internal import Crypto
internal import Encoding
internal import HTTP
internal import JSON
internal import Synchronization

extension SimulatedGoogle {
    /// `/token`: redeems a code once, and a refresh token until the consent ends.
    func redeem(_ request: Request) throws -> Response {
        let (form, client) = try authenticateClient(of: request)
        let signIn: GoogleSignIn
        var refreshToken: String?
        switch form["grant_type"] {
        case "authorization_code":
            let code = try takeCode(in: form, for: client)
            signIn = code.signIn
            if code.givesRefreshToken { refreshToken = "1//0\(Random.text(length: 95))" }
        case "refresh_token": signIn = try signInOfRefreshToken(in: form, for: client).withoutNonce
        case nil: throw GoogleRefusal(.invalidRequest, "Missing required parameter: grant_type")
        default: throw GoogleRefusal(.unsupportedGrantType, "Invalid grant_type")
        }
        let accessToken = "ya29.\(Random.text(length: 150))"
        let expiry = clock() + GoogleState.accessTokenLifetime
        state.withLock { [refreshToken] state in
            if let refreshToken { state.refreshTokens[refreshToken] = signIn }
            state.accessTokens[accessToken] = (signIn.consentKey, expiry)
        }
        var body: JSONObject = [
            "access_token": .string(accessToken), "token_type": .string("Bearer"),
            "expires_in": .integer(GoogleState.accessTokenLifetime), "scope": .string("openid email profile"),
            "id_token": .string(try idTokenDraft(for: signIn, flow: .signIn, accessToken: accessToken).signed()),
        ]
        body["refresh_token"] = refreshToken.map(JSONValue.string)
        return .json(body, Self.tokenHeaders)
    }

    /// `/revoke`: ends the consent that the token depends on. Unlike Apple, Google rejects unknown tokens.
    func revoke(_ request: Request) throws(GoogleRefusal) -> Response {
        let token = Form(request)?["token"] ?? request.query("token") ?? ""
        let isKnown = state.withLock { state in
            let consentKey = state.refreshTokens[token]?.consentKey ?? state.accessTokens[token]?.consentKey
            if let consentKey { state.endConsent(consentKey) }
            return consentKey != nil
        }
        guard isKnown else { throw GoogleRefusal(.invalidToken, "Token expired or revoked") }
        return .json(JSONObject(), Self.tokenHeaders)
    }

    /// Authenticates the client of a request by its client secret, unless ``checksClientSecrets`` is false. Returns the
    /// form of the request and the client.
    private func authenticateClient(of request: Request) throws(GoogleRefusal) -> (Form, GoogleClient) {
        guard let form = Form(request), let id = form["client_id"] else {
            throw GoogleRefusal(.invalidRequest, "Could not determine client ID from request.")
        }
        guard let client = state.withLock({ $0.clients[id] }) else {
            throw GoogleRefusal(.invalidClient, "The OAuth client was not found.")
        }
        let checksSecret = state.withLock { $0.checksClientSecrets }
        guard !checksSecret || client.secret == form["client_secret"] else {
            throw GoogleRefusal(.invalidClient, "Unauthorized")
        }
        return (form, client)
    }

    /// Returns the code of the request, and removes it even if the request is then rejected.
    private func takeCode(in form: Form, for client: GoogleClient) throws(GoogleRefusal) -> GoogleState.Code {
        guard let text = form["code"] else {
            throw GoogleRefusal(.invalidRequest, "Missing required parameter: code")
        }
        guard
            let code = state.withLock({ $0.codes.removeValue(forKey: text) }), code.expiresAt > clock(),
            code.signIn.clientID == client.id
        else { throw GoogleRefusal(.invalidGrant, "Malformed auth code.") }
        guard code.redirectURI == form["redirect_uri"] else { throw GoogleRefusal(.redirectURIMismatch) }
        let challenge = form["code_verifier"].map { Base64URL.encode(Digest.sha256(Array($0.utf8))) }
        guard code.challenge == challenge else {
            throw GoogleRefusal(.invalidGrant, challenge == nil ? "Missing code verifier." : "Invalid code verifier.")
        }
        return code
    }

    private func signInOfRefreshToken(in form: Form, for client: GoogleClient) throws(GoogleRefusal) -> GoogleSignIn {
        guard let text = form["refresh_token"] else {
            throw GoogleRefusal(.invalidRequest, "Missing required parameter: refresh_token")
        }
        guard let signIn = state.withLock({ $0.refreshTokens[text] }), signIn.clientID == client.id else {
            throw GoogleRefusal(.invalidGrant, "Token has been expired or revoked.")
        }
        return signIn
    }
}
