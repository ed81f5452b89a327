internal import Encoding
public import HTTP
public import Identity
internal import JOSE
internal import JSON

extension AppleTokenEndpoint {
    /// The maximum time for one request.
    public static let deadline: Duration = .seconds(10)

    /// Sends the requests to Apple over the network.
    public static func http(_ client: HTTP.Client, at endpoints: AppleEndpoints, clock: WallClock) -> AppleTokenEndpoint
    {
        let requests = AppleRequests(client: client, endpoints: endpoints, clock: clock)
        return AppleTokenEndpoint { code, credentials in
            var form = [("grant_type", "authorization_code"), ("code", code.code.expose())]
            if let redirectURI = code.redirectURI { form.append(("redirect_uri", redirectURI)) }
            let (response, body) = try await requests.post(form, to: endpoints.tokenURL, as: credentials)
            switch response {
            case .accepted: return AppleExchange(body, for: credentials, issuer: endpoints.audience)
            case .rejected(let error): return .rejected(error)
            case .unavailable(let reason): return .unavailable(reason: reason)
            }
        } check: { token, credentials in
            let form = [("grant_type", "refresh_token"), ("refresh_token", token.expose())]
            return try await requests.post(form, to: endpoints.tokenURL, as: credentials).response
        } revoke: { token, type, credentials in
            let hint = type == .accessToken ? "access_token" : "refresh_token"
            let form = [("token", token.expose()), ("token_type_hint", hint)]
            return try await requests.post(form, to: endpoints.revocationURL, as: credentials).response
        }
    }
}

/// Sends requests to Apple, and authenticates them with a client secret.
struct AppleRequests: Sendable {
    /// The maximum size of a response, in bytes.
    private static let maximumLength = 64 * 1024

    let client: HTTP.Client
    let endpoints: AppleEndpoints
    let clock: WallClock

    /// Sends a form with the client ID and a new client secret. If the endpoint is unavailable, returns that as the
    /// response, and throws no error.
    ///
    /// - Parameter bearer: an access token for the header field `Authorization`.
    func post(
        _ form: [(String, String)], to url: String, as credentials: AppleClientCredentials, bearer: Secret? = nil
    ) async throws -> (response: AppleResponse, body: [UInt8]) {
        let secret: String
        do {
            secret = try AppleClientSecret.mint(for: credentials, audience: endpoints.audience, at: clock.now())
        } catch {
            // The same result as if Apple had rejected a secret that was signed with this key.
            return (.rejected(.invalidClient), [])
        }
        let members = [("client_id", credentials.clientID), ("client_secret", secret)] + form
        let text = PercentEncoding.encode(form: members)
        var headers: Headers = [
            "Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded",
        ]
        if let bearer { headers.add("Authorization", "Bearer \(bearer.expose())") }
        let request = ClientRequest(
            .post, url, headers: headers, body: Array(text.utf8), deadline: AppleTokenEndpoint.deadline,
            maximumResponseBytes: Self.maximumLength, destination: .fromOperator)
        do {
            let response = try await client.send(request)
            return (AppleResponse(status: response.status, body: response.body), response.body)
        } catch let fault as ClientFault {
            return (.unavailable(reason: "\(fault)"), [])
        }
    }
}

extension AppleResponse {
    private struct Failure: Decodable {
        let error: String?
    }

    /// Reads the status and the error code of a response. Apple declares its JSON as ISO-8859-1, but it is UTF-8.
    init(status: Int, body: [UInt8]) {
        switch status {
        case 200: self = .accepted
        case 400:
            do {
                let failure = try StrictJSON.decode(Failure.self, from: body)
                self =
                    failure.error.flatMap(AppleErrorCode.init).map { .rejected($0) }
                    ?? .unavailable(reason: "status 400 with an unknown error")
            } catch {
                self = .unavailable(reason: "status 400 without JSON")
            }
        default: self = .unavailable(reason: "status \(status)")
        }
    }
}

extension AppleExchange {
    private struct Tokens: Decodable {
        let refreshToken: String?
        let idToken: String?
        let accessToken: String?
        let expiresIn: Int64?

        enum CodingKeys: String, CodingKey {
            case refreshToken = "refresh_token"
            case idToken = "id_token"
            case accessToken = "access_token"
            case expiresIn = "expires_in"
        }
    }

    private struct Claims: Decodable {
        let iss: String
        let aud: String
        let sub: String
    }

    /// Reads a response with tokens. The signature of the identity token is not checked, because the token comes
    /// directly from Apple's server over TLS (OpenID Connect Core 1.0 §3.1.3.7, item 6). If the identity token has
    /// another issuer or audience, its subject is ignored.
    init(_ body: [UInt8], for client: AppleClientCredentials, issuer: String) {
        do {
            let tokens = try StrictJSON.decode(Tokens.self, from: body)
            guard let refreshToken = tokens.refreshToken, !refreshToken.isEmpty else {
                self = .unavailable(reason: "the response has no refresh token")
                return
            }
            let claims = try tokens.idToken.flatMap { try UnverifiedJWS(parsing: $0).unverified(Claims.self) }
            let isForClient = claims?.iss == issuer && claims?.aud == client.clientID
            self = .tokens(
                AppleTokens(
                    refreshToken: Secret(refreshToken), subject: isForClient ? claims?.sub : nil,
                    accessToken: tokens.accessToken.map(Secret.init), idToken: tokens.idToken.map(Secret.init),
                    expiresIn: tokens.expiresIn))
        } catch {
            self = .unavailable(reason: "the response is not valid")
        }
    }
}
