internal import API
internal import Encoding
internal import HTTP
internal import Identity
internal import JSON
internal import Synchronization

/// The latest requests to `dev`, in memory and without secrets. `serve` cannot use this type.
final class RecordedRequests: Sendable {
    /// The maximum number of requests. Beyond it, the oldest are removed.
    static let limit = 500
    /// The maximum size of all texts, in bytes.
    static let sizeLimit = 8 * 1024 * 1024

    private struct State {
        var requests: [RecordedRequest] = []
        var size = 0
        var lastNumber = 0
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Instant

    init(now: @escaping @Sendable () -> Instant) {
        self.now = now
    }

    /// The recorded requests, newest first.
    var all: [RecordedRequest] { state.withLock { $0.requests.reversed() } }

    func request(number: Int) -> RecordedRequest? { state.withLock { $0.requests.first { $0.number == number } } }

    /// Records a request, unless a page of `dev` sent it.
    func record(_ observed: ObservedRequest) {
        guard !Self.isPage(observed) else { return }
        let time = now()
        let recorded = RecordedRequest(observed, at: time)
        state.withLock { state in
            state.lastNumber += 1
            state.requests.append(recorded.numbered(state.lastNumber))
            state.size += recorded.size
            while state.requests.count > Self.limit || state.size > Self.sizeLimit {
                state.size -= state.requests.removeFirst().size
            }
        }
    }

    func clear() {
        state.withLock { state in
            state.requests = []
            state.size = 0
        }
    }

    private static func isPage(_ observed: ObservedRequest) -> Bool {
        let request = observed.request
        let path = request.path.utf8
        return observed.operationID?.isExactly("getReference") == true
            || ["/dev/", "/console/", "/console-"].contains { path.starts(with: $0.utf8) }
            || (request.path.isExactly("/") && request.acceptsHTML) || request.path.isExactly("/favicon.ico")
    }
}

/// A request and its response, without secrets.
struct RecordedRequest: Sendable {
    private(set) var number = 0
    let time: Instant
    let method: HTTP.Method
    let path: String
    /// Without secrets, and without the question mark.
    let query: String
    let operationID: String?
    let status: Int
    let errorCode: String?
    let milliseconds: Int64
    /// Whether the request has `Bearer owner`.
    let isOwner: Bool
    let requestBody: String?
    let responseBody: String?
    /// The body in one line, for a command line; `nil` if there is none.
    let sentBody: String?
    let contentType: String?

    /// The size of the texts, in bytes.
    var size: Int {
        [path, query, requestBody, responseBody, sentBody, contentType, errorCode]
            .reduce(200) { $0 + ($1?.utf8.count ?? 0) }
    }

    init(_ observed: ObservedRequest, at time: Instant) {
        let request = observed.request
        self.time = time
        method = request.method
        path = String(decoding: request.path.utf8.prefix(SecretMasking.textLimit), as: UTF8.self)
        query = String(SecretMasking.form(request.query).prefix(SecretMasking.textLimit))
        operationID = observed.operationID
        status = observed.response.status
        errorCode = observed.errorCode ?? RecordedBody.errorCode(in: observed.response.body)
        milliseconds = observed.duration.wholeMilliseconds
        isOwner = request.headers["Authorization"]?.lowercased().isExactly("bearer owner") == true
        contentType = request.headers["Content-Type"].map { String($0.prefix(100)) }
        let sent = RecordedBody(request.body)
        requestBody = sent.shown
        sentBody = sent.sendable
        // The responses of the emulator's own paths contain emails and their codes.
        responseBody =
            request.path.utf8.starts(with: "/emulator/".utf8) && !observed.response.body.isEmpty
            ? RecordedBody.omitted(observed.response.body.count) : RecordedBody(observed.response.body).shown
    }

    fileprivate func numbered(_ number: Int) -> RecordedRequest {
        var request = self
        request.number = number
        return request
    }
}

/// A body as text, without secrets.
private struct RecordedBody {
    /// The maximum size of a body that is kept, in bytes.
    private static let limit = 32 * 1024

    let shown: String?
    let sendable: String?

    init(_ body: [UInt8]) {
        guard !body.isEmpty else {
            (shown, sendable) = (nil, nil)
            return
        }
        // A body that is not JSON is handled below, so the error does not matter.
        if body.count <= Self.limit, let value = try? StrictJSON.decode(JSONValue.self, from: body) {
            shown = Self.limited(SecretMasking.masked(value, decodesTokens: true).indentedText)
            sendable = SecretMasking.masked(value, decodesTokens: false).encodedText
        } else if body.count <= Self.limit, let pairs = FormDecoder.decode(body),
            pairs.allSatisfy({ !$0.value.isEmpty && SecretMasking.isName($0.name) })
        {
            shown = pairs.map { SecretMasking.form([$0]) }.joined(separator: "\n")
            sendable = SecretMasking.form(pairs)
        } else {
            (shown, sendable) = (Self.omitted(body.count), nil)
        }
    }

    private static func limited(_ text: String) -> String {
        text.utf8.count > limit ? String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "…" : text
    }

    static func omitted(_ count: Int) -> String { "(\(count) bytes, which are not kept)" }

    /// The error code in the body of a response; `nil` if it has none.
    static func errorCode(in body: [UInt8]) -> String? {
        guard body.count <= limit, case .object(let members)? = try? StrictJSON.decode(JSONValue.self, from: body),
            case .object(let error)? = members["error"], case .string(let code)? = error["errorCode"]
        else { return nil }
        return code
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
