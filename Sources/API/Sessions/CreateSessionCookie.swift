internal import HTTP
internal import Identity

extension Endpoint {
    static let createSessionCookie = administrator(
        "createSessionCookie", .post, "/v1/projects/{project}:createSessionCookie", needs: .mintTokens,
        bodyLimit: clientBodyLimit
    ) { call, administrator in
        let request = try call.body(as: CreateSessionCookieRequest.self, for: administrator)
        guard let idToken = request.idToken.nonEmpty else { throw RequestRefusal.rejected(.missingIDToken) }
        let cookie = try await call.services.sessionCookies.cookie(
            for: idToken, lasting: try request.lifetime(), in: administrator.project,
            by: call.actor(of: administrator))
        return try .json(["sessionCookie": cookie])
    }.evenIfDisabled
}

private struct CreateSessionCookieRequest: Decodable {
    let idToken: String?
    /// In seconds.
    let validDuration: String?

    func lifetime() throws(RequestRefusal) -> Duration {
        guard let validDuration else { return SessionCookies.lifetimes.upperBound }
        // Compared before it becomes a duration, which cannot hold every number of seconds.
        let limits = SessionCookies.lifetimes
        guard let seconds = Int64(validDuration),
            (limits.lowerBound.components.seconds...limits.upperBound.components.seconds).contains(seconds)
        else { throw .rejected(.invalidDuration) }
        return .seconds(seconds)
    }
}
