internal import Crypto
internal import Encoding
internal import HTTP
public import Identity
internal import JSON
internal import Synchronization

/// Calls the blocking functions of projects over HTTP.
public struct HookClient: Sendable {
    /// How `serve` and `dev` differ.
    public struct Rules: Sendable {
        /// The time limit of a call.
        public var deadline: Duration
        /// Whether errors have the texts of Firebase's emulator, with the URL and the answer, and values of other JSON
        /// types are converted.
        public var isEmulator: Bool

        public init(deadline: Duration = .seconds(7), isEmulator: Bool = false) {
            self.deadline = deadline
            self.isEmulator = isEmulator
        }
    }

    static let responseLimit = 64 * 1024

    private let call: SignedCall
    private let rules: Rules
    private let issuer: @Sendable (ID<Project>) -> String
    private let sign: @Sendable (_ payload: [UInt8], Realm, Instant) async throws -> String
    private let newID: @Sendable () -> String
    private let report: @Sendable (BlockingFunctions.Event, HookOutcome, Duration) -> Void
    private let clock: WallClock
    private let circuits: HookCircuits
    private let replies: HookReplies

    /// - Parameters:
    ///   - issuer: of a project's tokens.
    ///   - sign: makes the token that proves who calls.
    ///   - newID: returns a unique ID of an event.
    ///   - circuits: shared by all loops.
    public init(
        _ call: SignedCall, rules: Rules, issuer: @escaping @Sendable (ID<Project>) -> String,
        sign: @escaping @Sendable ([UInt8], Realm, Instant) async throws -> String,
        newID: @escaping @Sendable () -> String,
        report: @escaping @Sendable (BlockingFunctions.Event, HookOutcome, Duration) -> Void, clock: WallClock,
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
        replies = HookReplies()
    }

    public var hooks: Hooks { Hooks(call: reply(to:)) }

    /// Calls the function, unless it has answered the same question of the same request before: a sign-in that is
    /// decided again because the account has changed asks again only if the function would see something else.
    private func reply(to request: HookRequest) async throws -> HookReply {
        let digest = try HookPayload.digest(of: request)
        switch try replies.find(request, digest) {
        case .known(let reply): return reply
        case .callAllowed: break
        }
        let start = ContinuousClock.now
        do {
            let reply = try await newReply(to: request)
            report(request.event, .allowed, start.duration(to: .now))
            replies.store(reply, for: request, digest)
            return reply
        } catch {
            var outcome: HookOutcome?
            if error is HookUnavailable { outcome = .unavailable }
            if let refusal = error as? HookRefusal { outcome = refusal.isOfFunction ? .refused : .invalid }
            if let outcome { report(request.event, outcome, start.duration(to: .now)) }
            throw error
        }
    }

    private func newReply(to request: HookRequest) async throws -> HookReply {
        let url = request.url.rawValue
        guard circuits.begin(url, at: .now) else { throw HookUnavailable(reason: "too many calls, or it is down") }
        let now = clock.now()
        let response: ClientResponse
        do {
            let payload = try HookPayload(
                request, id: newID(), issuer: issuer(request.realm.project.id), at: now
            ).json()
            let token = try await sign(payload, request.realm, now)
            let body = try StrictJSON.encode(HookBody(data: HookBody.Token(jwt: token)))
            response = try await call.post(
                body, to: url, deadline: rules.deadline, maximumResponseBytes: Self.responseLimit)
            circuits.end(url, failed: false, at: .now)
        } catch {
            circuits.end(url, failed: error is ClientFault, at: .now)
            guard let fault = error as? ClientFault else { throw error }
            throw HookUnavailable(reason: "\(fault)")
        }
        return try read(response, of: request)
    }

    private func read(_ response: ClientResponse, of request: HookRequest) throws -> HookReply {
        let text = String(decoding: response.body, as: UTF8.self)
        switch response.status {
        case 200...299: break
        case 300...399: throw HookUnavailable(reason: "it redirects")
        default:
            if rules.isEmulator {
                throw HookRefusal.refused(
                    detail:
                        "((HTTP request to \(request.url.rawValue) returned HTTP error \(response.status): \(text)))")
            }
            guard let error = HookError(response.body) else {
                throw HookRefusal.failed(detail: "((The blocking function returned HTTP error \(response.status).))")
            }
            throw HookRefusal.refused(detail: "HTTP Cloud Function returned an error: \(error.text)")
        }
        let json: JSONValue
        do {
            json = try StrictJSON.decode(JSONValue.self, from: response.body.isEmpty ? Array("{}".utf8) : response.body)
        } catch {
            throw HookUnavailable(reason: "its answer is not JSON")
        }
        guard case .object(let members) = json else { throw HookUnavailable(reason: "its answer is not a JSON object") }
        return try HookReply(members, of: request.event, convertsTypes: rules.isEmulator)
    }
}

/// What became of a call.
public enum HookOutcome: String, Sendable, CaseIterable {
    case allowed, refused, invalid, unavailable
}

private struct HookBody: Encodable {
    struct Token: Encodable {
        let jwt: String
    }

    let data: Token
}

/// The error of a function that refuses: `{"error":{"status","message","details"}}`.
private struct HookError {
    /// The error as JSON, with a message of at most ``messageLimit`` characters.
    let text: String

    private static let messageLimit = 500

    init?(_ body: [UInt8]) {
        guard let json = try? StrictJSON.decode(JSONValue.self, from: body), case .object(let members) = json,
            case .object(let error)? = members["error"]
        else { return nil }
        var shown = JSONObject()
        for name: ByteText in ["status", "message", "details"] {
            switch error[name] {
            case .string(let text)?:
                shown[name] = .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.messageLimit))))
            case .object(let details)? where name == "details":
                let value = JSONValue.object(details)
                if value.encodedText.utf8.count <= 2000 { shown[name] = value }
            default: break
            }
        }
        text = JSONValue.object(["error": .object(shown)]).encodedText
    }
}

/// The replies that requests got. A request is decided again at most a few times, within seconds.
private final class HookReplies: Sendable {
    enum Lookup {
        case known(HookReply)
        case callAllowed
    }

    private struct Key: Hashable {
        let request: String
        let event: BlockingFunctions.Event
    }

    private struct Entry {
        var calls = 0
        var replies: [[UInt8]: HookReply] = [:]
    }

    private static let capacity = 1024
    /// A request whose account changes again and again gets 503.
    private static let callLimit = 2

    // Protects the entries, and their keys in the order of insertion.
    private let entries = Mutex<(byKey: [Key: Entry], order: [Key])>(([:], []))

    func find(_ request: HookRequest, _ digest: [UInt8]) throws -> Lookup {
        guard let id = request.context.trace.requestID else { return .callAllowed }
        let key = Key(request: id, event: request.event)
        return try entries.withLock { entries in
            if let reply = entries.byKey[key]?.replies[digest] { return .known(reply) }
            guard (entries.byKey[key]?.calls ?? 0) < Self.callLimit else {
                throw HookUnavailable(reason: "the account changed repeatedly during the calls")
            }
            if entries.byKey[key] == nil {
                entries.order.append(key)
                if entries.order.count > Self.capacity { entries.byKey[entries.order.removeFirst()] = nil }
            }
            entries.byKey[key, default: Entry()].calls += 1
            return .callAllowed
        }
    }

    func store(_ reply: HookReply, for request: HookRequest, _ digest: [UInt8]) {
        guard let id = request.context.trace.requestID else { return }
        entries.withLock { $0.byKey[Key(request: id, event: request.event)]?.replies[digest] = reply }
    }
}
