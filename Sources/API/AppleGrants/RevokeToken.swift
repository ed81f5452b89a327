internal import HTTP
internal import Identity

extension Endpoint {
    /// Revokes a token of Sign in with Apple. Stock apps call `accounts:delete` next, so the session stays.
    static let revokeToken = client("revokeToken", .post, "/v2/accounts:revokeToken") { call, client in
        let request = try call.body(as: RevokeTokenRequest.self)
        let idToken = try request.idToken.required(.missingIDToken)
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.project)
        try await call.services.apple.revocation.revoke(
            try request.domain(), of: caller, for: client.app, in: client.project, from: call.origin)
        return try .json([String: String]())
    }
}

private struct RevokeTokenRequest: ClientRequest {
    let providerId: String?
    let tokenType: RevokedTokenType?
    let token: String?
    let redirectUri: String?
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?

    func domain() throws -> AppleTokenRevocation.Request {
        guard let token = token.nonEmpty, token.utf8.count <= AuthorizationCode.lengthLimit else {
            throw RequestRefusal.invalidField("/token", "must have 1 to \(AuthorizationCode.lengthLimit) bytes")
        }
        guard AuthorizationCode.isValid(redirectURI: redirectUri ?? "") else {
            throw RequestRefusal.invalidField(
                "/redirectUri", "must have at most \(AuthorizationCode.lengthLimit) bytes and no NUL")
        }
        guard let type = tokenType?.domain else {
            throw RequestRefusal.invalidField("/tokenType", "must be ACCESS_TOKEN, REFRESH_TOKEN or CODE")
        }
        return AppleTokenRevocation.Request(
            provider: ProviderID(try providerId.required(.missingProviderID).lowercased()), tokenType: type,
            token: Secret(token), redirectURI: redirectUri.nonEmpty)
    }
}

/// A name or Google's number of it, which Firebase's SDK for Apple platforms sends as text.
private struct RevokedTokenType: Decodable {
    private static let numbers: [String: AppleGrant.TokenType] = ["1": .refreshToken, "2": .accessToken, "3": .code]

    let domain: AppleGrant.TokenType?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Anything that is not a number has to be text.
        let number = try? container.decode(Int.self)
        let text = try number.map(String.init) ?? container.decode(String.self)
        domain = AppleGrant.TokenType(rawValue: text) ?? Self.numbers[text]
    }
}
