internal import Encoding
internal import HTTP
internal import Identity
internal import JSON

/// Redeems codes of providers other than Apple (RFC 6749 §4.1.3, RFC 7636 §4.5).
struct OpenIDCodes: Sendable {
    /// The maximum time for one request.
    static let deadline: Duration = .seconds(10)
    /// The maximum size of a response, in bytes.
    private static let maximumLength = 64 * 1024

    let send: TokenRequestSender
    let clientSecret: ClientSecretLookup

    func redeem(_ redemption: CodeRedemption, at server: OpenIDServer) async throws -> ProviderTokens {
        let provider = redemption.settings.provider
        // A provider has one stored secret, which belongs to its first client ID.
        let secretBelongsToClient = redemption.settings.clientIDs.first == redemption.clientID
        let secret = secretBelongsToClient ? try await clientSecret(provider, redemption.realm) : nil
        let response: (status: Int, body: [UInt8])
        do {
            response = try await send(Self.request(redemption, secret: secret, to: server))
        } catch let fault as ClientFault {
            throw ProviderUnreachable(provider: provider, reason: "\(fault)")
        }
        return try Self.tokens(response.status, response.body, of: provider)
    }

    private static func request(
        _ redemption: CodeRedemption, secret: Secret?, to server: OpenIDServer
    ) -> ClientRequest {
        var form = [
            ("grant_type", "authorization_code"), ("code", redemption.code.expose()),
            ("redirect_uri", redemption.redirectURI),
        ]
        if let verifier = redemption.codeVerifier { form.append(("code_verifier", verifier)) }
        var headers: Headers = [
            "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
        ]
        if let secret, !server.sendsSecretInBody {
            // RFC 6749 §2.3.1: the client ID and the secret are form-encoded first.
            let credentials = [redemption.clientID, secret.expose()].map { PercentEncoding.encode($0) }
            headers.add("Authorization", "Basic " + Base64.encode(Array(credentials.joined(separator: ":").utf8)))
        } else {
            form.append(("client_id", redemption.clientID))
            if let secret { form.append(("client_secret", secret.expose())) }
        }
        let destination: ClientRequest.Destination =
            switch server.tokenURLSource {
            case .fixed, .discovery(allowsPrivateAddresses: true): .fromOperator
            case .discovery(allowsPrivateAddresses: false): .fromProject(allowingPrivateAddresses: false)
            }
        let text = PercentEncoding.encode(form: form)
        return ClientRequest(
            .post, server.tokenURL, headers: headers, body: Array(text.utf8), deadline: deadline,
            maximumResponseBytes: maximumLength, destination: destination)
    }

    private struct TokenResponse: Decodable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
        let expiresIn: Int64?
        let error: String?

        enum CodingKeys: String, CodingKey {
            case idToken = "id_token"
            case accessToken = "access_token"
            case refreshToken = "refresh_token"
            case expiresIn = "expires_in"
            case error
        }
    }

    private static func tokens(_ status: Int, _ body: [UInt8], of provider: ProviderID) throws -> ProviderTokens {
        func unusableResponse(_ reason: String) -> ProviderUnreachable {
            ProviderUnreachable(provider: provider, reason: "token endpoint: \(reason)")
        }
        guard status == 200 || status == 400 || status == 401 else { throw unusableResponse("status \(status)") }
        let response: TokenResponse
        do {
            response = try StrictJSON.decode(TokenResponse.self, from: body)
        } catch {
            throw unusableResponse("status \(status) without valid JSON")
        }
        guard status == 200 else {
            // RFC 6749 §5.2: the server rejects the code or the credentials of the client.
            throw AuthorizationRefusal.tokenRequestRejected(AuthorizationRefusal.knownError(response.error))
        }
        guard let idToken = response.idToken, !idToken.isEmpty else {
            // An access token shows that the code was redeemed, so a retry would fail.
            guard response.accessToken == nil else { throw AuthorizationRefusal.invalidResponse }
            throw unusableResponse("no ID token")
        }
        return ProviderTokens(
            idToken: idToken, accessToken: response.accessToken, refreshToken: response.refreshToken,
            expiresIn: response.expiresIn)
    }
}

extension AuthorizationRefusal {
    /// Returns `error` if it is an error code of RFC 6749 §5.2 or `redirect_uri_mismatch`, which some providers add;
    /// otherwise `unknown`. Logs and developers see the result.
    fileprivate static func knownError(_ error: String?) -> String {
        let all = [
            "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
            "invalid_scope", "redirect_uri_mismatch",
        ]
        return error.flatMap { all.contains($0) ? $0 : nil } ?? "unknown"
    }
}
