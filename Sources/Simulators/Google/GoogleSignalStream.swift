internal import Encoding
internal import HTTP
internal import JOSE
internal import JSON
internal import Synchronization

/// The stream of security event tokens that a service account configures (Cross-Account Protection).
public struct SimulatedGoogleStream: Sendable {
    public fileprivate(set) var url: String?
    public fileprivate(set) var events: [String] = []
    public fileprivate(set) var isEnabled = true
    /// The texts of the requested test events.
    public fileprivate(set) var requestedStates: [String] = []
}

extension SimulatedGoogle {
    private static let streamAudience =
        "https://risc.googleapis.com/google.identity.risc.v1beta.RiscManagementService"

    /// The stream, as the latest request has configured it.
    public var stream: SimulatedGoogleStream { state.withLock { $0.stream } }

    /// Returns the response to a request about the stream. Checks the claims of the token, but not its signature: the
    /// simulator does not know the keys of service accounts.
    ///
    /// - Returns: `nil` for another path.
    func streamResponse(to request: Request) throws -> Response? {
        guard request.path.hasPrefix("/v1beta/stream") else { return nil }
        guard isAuthorized(request) else { return .json(["error": "unauthenticated"], status: 401, Self.tokenHeaders) }
        let body = request.body.isEmpty ? [:] : try StrictJSON.decode(JSONObject.self, from: request.body)
        return state.withLock { state -> Response? in
            switch (request.method, request.path) {
            case (.post, "/v1beta/stream:update"):
                guard case .object(let delivery) = body["delivery"], case .string(let url) = delivery["url"],
                    case .array(let events) = body["events_requested"]
                else { return .json(["error": "invalid"], status: 400, Self.tokenHeaders) }
                state.stream.url = url
                state.stream.events = events.compactMap { if case .string(let text) = $0 { text } else { nil } }
            case (.get, "/v1beta/stream"):
                guard let url = state.stream.url else {
                    return .json(["error": "not found"], status: 404, Self.tokenHeaders)
                }
                return .json(["delivery": ["url": url]], Self.tokenHeaders)
            case (.get, "/v1beta/stream/status"):
                return .json(["status": state.stream.isEnabled ? "enabled" : "disabled"], Self.tokenHeaders)
            case (.post, "/v1beta/stream/status:update"):
                state.stream.isEnabled = body["status"] == .string("enabled")
            case (.post, "/v1beta/stream:verify"):
                guard case .string(let text) = body["state"] else {
                    return .json(["error": "invalid"], status: 400, Self.tokenHeaders)
                }
                state.stream.requestedStates.append(text)
            default: return nil
            }
            return .json([String: String](), Self.tokenHeaders)
        }
    }

    private struct StreamClaims: Decodable {
        let iss: String
        let sub: String
        let aud: String
        let iat: Int64
        let exp: Int64
    }

    private func isAuthorized(_ request: Request) -> Bool {
        guard let bearer = request.headers["Authorization"], bearer.hasPrefix("Bearer "),
            let token = try? UnverifiedJWS(parsing: String(bearer.dropFirst(7))),
            let claims = token.unverified(StreamClaims.self)
        else { return false }
        return claims.aud == Self.streamAudience && claims.iss == claims.sub && claims.exp - claims.iat <= 3600
            && claims.iat <= clock() + 60 && claims.exp > clock()
    }
}
