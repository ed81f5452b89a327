internal import HTTP
internal import Identity

extension Endpoint {
    /// Tells a backend whether the session of a token or a session cookie is active. Serves disabled tenants too: their
    /// existing sessions continue.
    static let lookUpSession = administrator(
        "lookUpSession", .post, "/v1/projects/{project}/sessions:lookup", needs: .readUsers
    ) { call, administrator in
        let input = try call.body(as: LookupSessionInput.self, for: administrator)
        let id = ID<Session>(try input.sessionId.required(.missingSessionID))
        return try .json(
            LookupSessionOutput(try await call.services.sessions.status(of: id, in: administrator.realm)))
    }.servingDisabledTenants
}

private struct LookupSessionInput: Decodable {
    let sessionId: String?
}

private struct LookupSessionOutput: Encodable {
    let active: Bool
    let localId: String?
    let endedAt: String?
    let endReason: String?

    /// - Parameter status: `nil` for an unknown session.
    init(_ status: SessionStatus?) {
        active = status?.isActive ?? false
        localId = status?.account.rawValue
        endedAt = status?.endedAt?.iso8601
        endReason = status?.endReason?.rawValue
    }
}
