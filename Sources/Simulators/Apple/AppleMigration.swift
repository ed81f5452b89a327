internal import Encoding
internal import HTTP
internal import JSON
internal import Synchronization

extension SimulatedApple {
    /// Issues an access token for the grant type `client_credentials`. Only ``migrate(_:)`` accepts the token.
    func migrationToken(for scope: String?) throws(AppleRefusal) -> Response {
        guard scope == "user.migration" else { throw AppleRefusal(.invalidScope) }
        let token = Self.token(beginningWith: "a")
        let expiry = clock() + AppleState.accessTokenLifetime
        state.withLock { $0.migrationTokens[token] = expiry }
        let body: JSONObject = [
            "access_token": .string(token), "token_type": .string("Bearer"),
            "expires_in": .integer(AppleState.accessTokenLifetime),
        ]
        return .json(body, Self.tokenHeaders)
    }

    /// `/auth/usermigrationinfo`: the old team of an app exchanges a `sub` for a `transfer_sub`, before or after the
    /// transfer of the app. The new team exchanges the `transfer_sub` for its own `sub`. Both exchanges require that
    /// the person has not revoked the consent.
    func migrate(_ request: Request) throws(AppleRefusal) -> Response {
        let (form, client) = try authenticateClient(of: request, acceptsFormerTeam: true)
        let now = clock()
        let bearer = request.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
        let (consentingPeople, quirks, expiry) = state.withLock { state in
            let consents = state.consents.filter { $0.key.clientID == client.id }
            return (consents.values.map(\.person), state.quirks, state.migrationTokens[bearer])
        }
        guard let expiry, expiry > now else { throw AppleRefusal(.invalidRequest) }
        var body: JSONObject = [:]
        if let subject = form["sub"], let target = form["target"],
            let person = consentingPeople.first(where: { Self.subject(of: $0, in: client.team) == subject })
        {
            body["transfer_sub"] = .string(Self.transferSubject(of: person, from: client.team, to: target))
        } else if let transferSubject = form["transfer_sub"], let former = client.formerTeam,
            let person = consentingPeople.first(where: {
                Self.transferSubject(of: $0, from: former, to: client.team) == transferSubject
            })
        {
            body["sub"] = .string(Self.subject(of: person, in: client.team))
            body["email"] = Self.email(of: person, for: client, quirks).map(JSONValue.string)
            if person.hidesEmail { body["is_private_email"] = .bool(true) }
        } else {
            throw AppleRefusal(.invalidRequest)
        }
        return .json(body, Self.tokenHeaders)
    }
}
