internal import HTTP
internal import Identity

extension Endpoint {
    /// Revokes a token of Sign in with Apple. The caller's session remains valid, because apps with Firebase's SDKs
    /// call `accounts:delete` next.
    static let revokeToken = client("revokeToken", .post, "/v2/accounts:revokeToken") { call, client in
        let request = try call.body(as: RevokeTokenRequest.self, for: client)
        let idToken = try request.idToken.required(.missingIDToken)
        let caller = try await call.services.signIn.authenticator.authenticate(idToken: idToken, in: client.realm)
        try await call.services.apple.revocation.revoke(
            try request.revocation(), of: caller, for: client.app, in: client.realm, from: call.context)
        return try .json(EmptyObject())
    }
}

private struct RevokeTokenRequest: ClientRequestBody {
    let providerId: String?
    let tokenType: RevokedTokenType?
    let token: String?
    let redirectUri: String?
    let idToken: String?
    let tenantId: String?
    let targetProjectId: String?

    func revocation() throws -> AppleTokenRevocation.Request {
        guard let token = token.nonEmpty, token.utf8.count <= AuthorizationCode.lengthLimit else {
            throw RequestRefusal.invalidField("/token", "must have 1 to \(AuthorizationCode.lengthLimit) bytes")
        }
        guard AuthorizationCode.isValid(redirectURI: redirectUri ?? "") else {
            throw RequestRefusal.invalidField(
                "/redirectUri", "must have at most \(AuthorizationCode.lengthLimit) bytes and no NUL")
        }
        guard let type = tokenType?.type else {
            throw RequestRefusal.invalidField("/tokenType", "must be ACCESS_TOKEN, REFRESH_TOKEN or CODE")
        }
        return AppleTokenRevocation.Request(
            provider: ProviderID(try providerId.required(.missingProviderID).lowercased()), tokenType: type,
            token: Secret(token), redirectURI: redirectUri.nonEmpty)
    }
}

/// The name of a token type, or Firebase's number for it, which its SDK for Apple platforms sends as text.
private struct RevokedTokenType: Decodable {
    private static let numbers: [String: AppleGrant.TokenType] = ["1": .refreshToken, "2": .accessToken, "3": .code]

    /// `nil` for an unknown name or number.
    let type: AppleGrant.TokenType?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value that is not a number must be text.
        let number = try? container.decode(Int.self)
        let text = try number.map(String.init) ?? container.decode(String.self)
        type = AppleGrant.TokenType(rawValue: text) ?? Self.numbers[text]
    }
}
