internal import Crypto
internal import Encoding
public import HTTP
public import Identity
internal import JOSE
internal import JSON

/// Configures where Google sends the security event tokens of a project at Google (Cross-Account Protection).
public struct GoogleSignalStream: Sendable {
    /// Google's API. A simulator has the same paths.
    public static let liveURL = "https://risc.googleapis.com"
    private static let audience =
        "https://risc.googleapis.com/google.identity.risc.v1beta.RiscManagementService"
    private static let delivery = "https://schemas.openid.net/secevent/risc/delivery-method/push"
    private static let events = [
        "risc/event-type/sessions-revoked", "oauth/event-type/tokens-revoked", "oauth/event-type/token-revoked",
        "risc/event-type/account-disabled", "risc/event-type/account-enabled",
        "risc/event-type/account-credential-change-required", "risc/event-type/verification",
    ]
    private static let lifetime: Duration = .seconds(3600)

    private let send: @Sendable (ClientRequest) async throws -> ClientResponse
    private let base: String
    private let account: GoogleServiceAccount
    private let clock: WallClock

    /// - Parameter base: ``liveURL``, or the URL of a simulator, without a slash at the end.
    public init(
        as account: GoogleServiceAccount, at base: String, clock: WallClock,
        send: @escaping @Sendable (ClientRequest) async throws -> ClientResponse
    ) {
        self.account = account
        self.base = base
        self.clock = clock
        self.send = send
    }

    /// Makes Google send all types of events to `url`.
    public func register(_ url: String) async throws {
        let events = Self.events.map { JSONValue.string("https://schemas.openid.net/secevent/" + $0) }
        _ = try await call(
            .post, "/v1beta/stream:update",
            [
                "delivery": .object(["delivery_method": .string(Self.delivery), "url": .string(url)]),
                "events_requested": .array(events),
            ])
        try await setStatus("enabled")
    }

    /// Makes Google send no more events.
    public func unregister() async throws { try await setStatus("disabled") }

    /// Makes Google send a test event with the text `state`.
    public func verify(state: String) async throws {
        _ = try await call(.post, "/v1beta/stream:verify", ["state": .string(state)])
    }

    /// Where Google sends events, and whether it does.
    public struct State: Sendable {
        public let url: String?
        public let status: String
    }

    public func state() async throws -> State {
        let stream = try await call(.get, "/v1beta/stream", nil)
        let status = try await call(.get, "/v1beta/stream/status", nil)
        var url: String?
        if case .object(let delivery) = stream["delivery"], case .string(let text) = delivery["url"] { url = text }
        guard case .string(let text) = status["status"] else { return State(url: url, status: "unknown") }
        return State(url: url, status: text)
    }

    private func setStatus(_ status: String) async throws {
        _ = try await call(.post, "/v1beta/stream/status:update", ["status": .string(status)])
    }

    private func call(_ method: HTTP.Method, _ path: String, _ body: JSONObject?) async throws -> JSONObject {
        var headers: Headers = ["Authorization": "Bearer \(try token())"]
        if body != nil { headers.add("Content-Type", "application/json") }
        let response = try await send(
            ClientRequest(
                method, base + path, headers: headers, body: try body.map { try StrictJSON.encode($0) } ?? [],
                deadline: .seconds(15), maximumResponseBytes: 64 * 1024, destination: .fromOperator))
        guard (200...299).contains(response.status) else {
            throw GoogleSignalStreamFailure.refused(status: response.status)
        }
        guard !response.body.isEmpty else { return [:] }
        do {
            return try StrictJSON.decode(JSONObject.self, from: response.body)
        } catch {
            throw GoogleSignalStreamFailure.invalidResponse
        }
    }

    /// Returns a JWT that the service account signs itself, without a request for an access token.
    private func token() throws -> String {
        let now = clock.now()
        let claims: JSONObject = [
            "iss": .string(account.email), "sub": .string(account.email), "aud": .string(Self.audience),
            "iat": .integer(now.seconds), "exp": .integer((now + Self.lifetime).seconds),
        ]
        return try JWS.sign(payload: StrictJSON.encode(claims), keyID: account.keyID, with: account.key)
    }
}

public enum GoogleSignalStreamFailure: Error, CustomStringConvertible {
    case refused(status: Int)
    case invalidResponse

    public var description: String {
        switch self {
        case .refused(401), .refused(403):
            "Google rejects the service account: it needs the role RISC Configuration Admin, and the project the RISC API"
        case .refused(404): "Google has no stream for the project of the service account"
        case .refused(let status): "Google answered with status \(status)"
        case .invalidResponse: "Google's response is not valid JSON"
        }
    }
}

/// The key of a service account in Google's JSON format.
public struct GoogleServiceAccount: Sendable {
    public let email: String
    let keyID: String
    let key: PrivateKey

    public struct Invalid: Error, CustomStringConvertible {
        public let description: String
    }

    private struct File: Decodable {
        let type: String?
        let keyID: String?
        let key: String?
        let email: String?

        enum CodingKeys: String, CodingKey {
            case type
            case keyID = "private_key_id"
            case key = "private_key"
            case email = "client_email"
        }
    }

    public init(json: [UInt8]) throws(Invalid) {
        guard let file = try? StrictJSON.decode(File.self, from: json) else {
            throw Invalid(description: "not a JSON object")
        }
        guard file.type == "service_account", let keyID = file.keyID, let pem = file.key,
            let email = file.email, !email.isEmpty, !keyID.isEmpty
        else { throw Invalid(description: "not the key of a service account") }
        guard let key = try? PrivateKey(pem: pem), key.algorithm == .rs256 else {
            throw Invalid(description: "private_key is not an RSA key")
        }
        self.email = email
        self.keyID = keyID
        self.key = key
    }
}
