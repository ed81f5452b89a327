internal import Crypto
internal import Encoding
internal import HTTP
public import Identity
internal import JSON

/// Calls the blocking functions of projects over HTTP. Never repeats a call.
public struct HookClient: Sendable {
    /// How `serve` and `dev` differ.
    public struct Rules: Sendable {
        /// The time limit of a call.
        public let deadline: Duration
        /// Whether errors have the texts of Firebase's emulator, with the URL and the answer, and values of other JSON
        /// types are converted as JavaScript does.
        public let isEmulator: Bool

        public init(deadline: Duration, isEmulator: Bool) {
            self.deadline = deadline
            self.isEmulator = isEmulator
        }

        public static let serve = Rules(deadline: .seconds(7), isEmulator: false)
        public static let dev = Rules(deadline: .seconds(60), isEmulator: true)
    }

    private static let responseLimit = 64 * 1024

    private let call: SignedCall
    private let rules: Rules
    private let issuer: @Sendable (ID<Project>) -> String
    private let sign: @Sendable (_ payload: [UInt8], Realm, Instant) async throws -> String
    private let newID: @Sendable () -> String
    private let report: @Sendable (HookRequest, HookOutcome, Duration) -> Void
    private let clock: WallClock
    private let circuits: HookCircuits

    /// - Parameters:
    ///   - issuer: returns the issuer of a project's tokens.
    ///   - sign: signs the token that authenticates the gateway.
    ///   - newID: returns a unique ID for an event.
    ///   - circuits: shared by all event loops.
    public init(
        _ call: SignedCall, rules: Rules, issuer: @escaping @Sendable (ID<Project>) -> String,
        sign: @escaping @Sendable ([UInt8], Realm, Instant) async throws -> String,
        newID: @escaping @Sendable () -> String,
        report: @escaping @Sendable (HookRequest, HookOutcome, Duration) -> Void, clock: WallClock,
        circuits: HookCircuits
    ) {
        self.call = call
        self.rules = rules
        self.issuer = issuer
        self.sign = sign
        self.newID = newID
        self.report = report
        self.clock = clock
        self.circuits = circuits
    }

    public var hooks: Hooks { Hooks(call: reply(to:), digest: HookPayload.digest(of:)) }

    /// The request and the response of a call, for an operator who tests a function.
    public struct Trial: Sendable {
        /// The claims of the token.
        public let claims: String
        public let status: Int
        public let body: String
        /// What the answer means; the error if it refuses or is not valid.
        public let result: Result<HookReply, any Error>
    }

    /// Calls the function, and returns the request and the response.
    ///
    /// - Throws: ``HookUnavailable`` if the function cannot be reached.
    public func tryOut(_ request: HookRequest) async throws -> Trial {
        let (payload, response) = try await send(request)
        let result: Result<HookReply, any Error>
        do { result = .success(try read(response, of: request)) } catch { result = .failure(error) }
        return Trial(
            claims: String(decoding: payload, as: UTF8.self), status: response.status,
            body: String(decoding: response.body, as: UTF8.self), result: result)
    }

    private func reply(to request: HookRequest) async throws -> HookReply {
        let start = ContinuousClock.now
        do {
            let reply = try read(try await send(request).response, of: request)
            report(request, .allowed, start.duration(to: .now))
            return reply
        } catch {
            if let outcome = HookOutcome(error) { report(request, outcome, start.duration(to: .now)) }
            guard rules.isEmulator, error is HookUnavailable else { throw error }
            throw HookRefusal.unavailable(detail: emulatorText(of: error, request.url))
        }
    }

    private func send(_ request: HookRequest) async throws -> (payload: [UInt8], response: ClientResponse) {
        let key = HookCircuits.Key(project: request.realm.project.id, url: request.url)
        guard circuits.begin(key, at: .now) else {
            throw HookUnavailable(reason: "it has too many calls, or cannot be reached")
        }
        do {
            let now = clock.now()
            let payload = try HookPayload(
                request, id: newID(), issuer: issuer(request.realm.project.id), at: now
            ).json()
            let token = try await sign(payload, request.realm, now)
            let body = try StrictJSON.encode(HookBody(data: HookBody.Token(jwt: token)))
            let response = try await call.post(
                body, to: request.url.rawValue, deadline: rules.deadline, maximumResponseBytes: Self.responseLimit)
            circuits.end(key, .reached, at: .now)
            return (payload, response)
        } catch {
            let fault = error as? ClientFault
            // An overloaded client has not called the function.
            circuits.end(key, fault == nil || fault == .overloaded ? .unknown : .failed, at: .now)
            guard let fault else { throw error }
            throw HookUnavailable(reason: "\(fault)", isLate: fault == .timedOut)
        }
    }

    private func read(_ response: ClientResponse, of request: HookRequest) throws -> HookReply {
        switch response.status {
        case 200...299: break
        case 300...399: throw HookUnavailable(reason: "it redirects")
        default: throw refusal(response, of: request)
        }
        guard let json = try? StrictJSON.decode(JSONValue.self, from: response.body), case .object(let members) = json
        else { throw HookUnavailable(reason: "its answer is not a JSON object", isNotJSON: true) }
        return try HookReply(members, of: request.event, convertsTypes: rules.isEmulator)
    }

    private func refusal(_ response: ClientResponse, of request: HookRequest) -> HookRefusal {
        let error = HookError(response.body)
        // After a fault of the function, the text is not about the user.
        let message = response.status < 500 ? error?.message.flatMap(HookMessage.init) : nil
        if rules.isEmulator {
            let text = String(decoding: response.body, as: UTF8.self)
            return .refused(
                detail: "((HTTP request to \(request.url.rawValue) returned HTTP error \(response.status): \(text)))",
                message: message)
        }
        guard let error else {
            return .failed(detail: "((The blocking function returned HTTP error \(response.status).))")
        }
        return .refused(detail: "HTTP Cloud Function returned an error: \(error.text)", message: message)
    }

    private func emulatorText(of error: any Error, _ url: CallbackURL) -> String {
        let error = error as? HookUnavailable
        if error?.isNotJSON == true { return "((Response body is not valid JSON.))" }
        return error?.isLate == true
            ? "((Deadline exceeded making request to \(url.rawValue).))"
            : "((Failed to make request to \(url.rawValue).))"
    }
}

/// The outcome of a call.
public enum HookOutcome: String, Sendable, CaseIterable {
    case allowed, refused, invalid, unavailable

    /// - Returns: `nil` if the gateway itself failed.
    fileprivate init?(_ error: any Error) {
        switch error {
        case is HookUnavailable: self = .unavailable
        case HookRefusal.refused: self = .refused
        case is HookRefusal: self = .invalid
        default: return nil
        }
    }
}

private struct HookBody: Encodable {
    struct Token: Encodable {
        let jwt: String
    }

    let data: Token
}
