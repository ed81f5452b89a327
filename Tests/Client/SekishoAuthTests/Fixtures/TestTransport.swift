import Foundation
import Identity
import SekishoAuth
import Synchronization
import Testing

@testable import Support

/// Sends requests to a gateway and injects faults. Each request that the gateway receives, and its response, is checked
/// against the contract.
final class TestTransport: HTTPTransport {
    enum Fault: Sendable {
        /// The gateway does not receive the request.
        case dropRequest
        /// The gateway handles the request, and its response is lost.
        case dropResponse
        /// A response with this status, these header fields and this body is returned. The gateway does not receive the
        /// request.
        case respond(Int, [String: String] = [:], String = "")
        /// The gateway handles the request, and its response is held until ``releaseResponses()``.
        case holdResponse
        /// The request is held until ``releaseRequests()``, and the gateway then handles it.
        case holdRequest
    }

    private struct State {
        var operations: [String] = []
        var faults: [(operation: String?, fault: Fault)] = []
        var permanentFault: Fault?
        var held: [CheckedContinuation<Void, Never>] = []
        var heldRequests: [CheckedContinuation<Void, Never>] = []
        var headers: [String: String] = [:]
        var body: Data?
        var hosts: Set<String> = []
    }

    private static let session = URLSessionTransport()
    private let clock: TestClock
    private let state = Mutex(State())

    init(_ clock: TestClock) { self.clock = clock }

    /// The operations that were sent, for example `signUp`.
    var operations: [String] { state.withLock { $0.operations } }
    /// The header fields of the latest request.
    var headers: [String: String] { state.withLock { $0.headers } }
    /// The JSON body of the latest request.
    var body: JSON? { state.withLock(\.body).flatMap { try? JSON([UInt8]($0)) } }
    /// The hosts that requests were sent to.
    var hosts: Set<String> { state.withLock { $0.hosts } }
    /// The number of held responses.
    var heldCount: Int { state.withLock { $0.held.count } }
    /// The number of held requests.
    var heldRequestCount: Int { state.withLock { $0.heldRequests.count } }

    /// Returns the operations that are sent during `body`.
    func operations<Result>(
        during body: () async throws -> Result
    ) async rethrows -> (result: Result, operations: [String]) {
        let before = operations.count
        let result = try await body()
        return (result, Array(operations.dropFirst(before)))
    }

    /// Injects a fault into the next request, or into the next request of an operation.
    func injectNext(_ fault: Fault, for operation: String? = nil) {
        state.withLock { $0.faults.append((operation, fault)) }
    }

    /// Injects a fault into every request for which ``injectNext(_:for:)`` has set none. `nil` ends the injection.
    func injectAlways(_ fault: Fault?) { state.withLock { $0.permanentFault = fault } }

    /// Lets each held response return to its caller.
    func releaseResponses() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Lets each held request continue to the gateway.
    func releaseRequests() {
        let held = state.withLock { state in
            defer { state.heldRequests = [] }
            return state.heldRequests
        }
        for continuation in held { continuation.resume() }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let operation = request.url.path.split(whereSeparator: { $0 == ":" || $0 == "/" }).last.map(String.init) ?? ""
        let fault = state.withLock { state -> Fault? in
            state.operations.append(operation)
            state.headers = request.headers
            state.body = request.body
            state.hosts.insert(request.url.host ?? "")
            if let index = state.faults.firstIndex(where: { $0.operation == nil || $0.operation == operation }) {
                return state.faults.remove(at: index).fault
            }
            return state.permanentFault
        }
        switch fault {
        case .dropRequest: throw URLError(.cannotConnectToHost)
        case .respond(let status, let headers, let body):
            return TransportResponse(status: status, headers: headers, body: Data(body.utf8))
        case .dropResponse:
            _ = try await forward(request, operation)
            throw URLError(.networkConnectionLost)
        case .holdResponse:
            let response = try await forward(request, operation)
            await withCheckedContinuation { continuation in state.withLock { $0.held.append(continuation) } }
            return response
        case .holdRequest:
            await withCheckedContinuation { continuation in state.withLock { $0.heldRequests.append(continuation) } }
            return try await forward(request, operation)
        case nil: return try await forward(request, operation)
        }
    }

    private func forward(_ request: TransportRequest, _ operation: String) async throws -> TransportResponse {
        var request = request
        // The test server reads this field instead of `User-Agent`, which `URLSession` sets.
        request.headers["X-Test-User-Agent"] = request.headers["User-Agent"]
        var response = try await Self.session.send(request)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        // The client learns the gateway's time from this field. The server writes the machine's time, not that of
        // `clock`.
        response.headers["Date"] = format.string(
            from: Date(timeIntervalSince1970: TimeInterval(clock.now.seconds)))
        try Contract.check(request, response)
        return response
    }
}
