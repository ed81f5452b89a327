internal import HTTP
internal import Identity

extension Endpoint {
    static let createSessionCookie = administrator(
        "createSessionCookie", .post, "/v1/projects/{project}:createSessionCookie", needs: .mintTokens
    ) { call, administrator in
        let request = try call.body(as: CreateSessionCookieRequest.self, for: administrator)
        let idToken = try request.idToken.required(.missingIDToken)
        let cookie = try await call.services.sessionCookies.cookie(
            for: idToken, lasting: try request.lifetime(), in: administrator.realm, by: administrator.actor)
        return try .json(["sessionCookie": cookie])
    }.servingDisabledTenants
}

private struct CreateSessionCookieRequest: Decodable {
    let idToken: String?
    /// The lifetime in seconds; absent for the longest one.
    let validDuration: String?

    func lifetime() throws(RequestRefusal) -> Duration {
        guard let validDuration else { return SessionCookies.lifetimes.upperBound }
        // Checked before the conversion, because `Duration` cannot hold every number of seconds.
        let limits = SessionCookies.lifetimes
        guard let seconds = Int64(validDuration),
            (limits.lowerBound.components.seconds...limits.upperBound.components.seconds).contains(seconds)
        else { throw .rejected(.invalidDuration) }
        return .seconds(seconds)
    }
}
