internal import HTTP
internal import Identity

extension Endpoint {
    /// Ends one session or all sessions of the caller's account. The session ID `current` stands for the session of the
    /// ID token.
    static let revokeSession = client("revokeSession", .post, "/v1/accounts:revokeSession") { call, client in
        let request = try call.body(as: RevokeSessionRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let input = try request.input()
        let caller = try await call.services.signIn.authenticator.authenticate(
            idToken: idToken, in: client.realm, acceptsRestricted: true, acceptsSupport: input == .current)
        switch input {
        case .current:
            try await call.services.sessions.end(
                caller.session.id, by: caller, in: client.realm, from: call.context)
        case .one(let session):
            try await call.services.sessions.end(session, by: caller, in: client.realm, from: call.context)
        case .all: try await call.services.sessions.endAll(by: caller, in: client.realm, from: call.context)
        }
        return .noContent
    }
}

private struct RevokeSessionRequest: ClientRequestBody {
    let idToken: String?
    let sessionId: String?
    let everywhere: Bool?
    let tenantId: String?
    let targetProjectId: String?

    enum Input: Equatable {
        case current
        case one(ID<Session>)
        case all
    }

    func input() throws(RequestRefusal) -> Input {
        switch (sessionId.nonEmpty, everywhere ?? false) {
        case (nil, false): throw .rejected(.missingSessionID)
        case (.some, true): throw .invalidField("/sessionId", "must be absent if everywhere is true")
        case ("current", false): .current
        case (let session?, false): .one(ID(session))
        case (nil, true): .all
        }
    }
}
