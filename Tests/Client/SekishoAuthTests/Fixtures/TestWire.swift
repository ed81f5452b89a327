import Foundation
import Identity
import SekishoAuth
import Synchronization
import Testing

@testable import Support

/// A real connection to a gateway that can lose, replace and hold messages. Everything that passes is checked against
/// the contract.
final class TestWire: HTTPTransport {
    enum Fault: Sendable {
        /// The request does not arrive.
        case losesRequest
        /// The gateway acts, and its response is lost.
        case losesResponse
        /// A proxy answers instead of the gateway.
        case answers(Int, [String: String] = [:], String = "")
        /// The gateway acts, and its response waits for ``release()``.
        case holdsResponse
    }

    private struct State {
        var operations: [String] = []
        var faults: [(operation: String?, fault: Fault)] = []
        var permanent: Fault?
        var held: [CheckedContinuation<Void, Never>] = []
        var headers: [[String: String]] = []
        var hosts: Set<String> = []
    }

    private static let session = URLSessionTransport()
    private let clock: TestClock
    private let state = Mutex(State())

    init(_ clock: TestClock) { self.clock = clock }

    /// The operations that were sent, for example `signUp`.
    var operations: [String] { state.withLock { $0.operations } }
    /// The header fields of the latest request.
    var headers: [String: String] { state.withLock { $0.headers.last ?? [:] } }
    /// The hosts that requests were sent to.
    var hosts: Set<String> { state.withLock { $0.hosts } }
    /// How many responses wait.
    var heldCount: Int { state.withLock { $0.held.count } }

    /// The operations that `body` sends.
    func operations<Result>(
        during body: () async throws -> Result
    ) async rethrows -> (result: Result, operations: [String]) {
        let before = operations.count
        let result = try await body()
        return (result, Array(operations.dropFirst(before)))
    }

    /// Applies a fault to the next request, or to the next one of an operation.
    func next(_ fault: Fault, of operation: String? = nil) { state.withLock { $0.faults.append((operation, fault)) } }

    /// Applies a fault to every request.
    func always(_ fault: Fault?) { state.withLock { $0.permanent = fault } }

    /// Delivers the responses that wait.
    func release() {
        let held = state.withLock { state in
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let operation = request.url.path.split(whereSeparator: { $0 == ":" || $0 == "/" }).last.map(String.init) ?? ""
        let fault = state.withLock { state -> Fault? in
            state.operations.append(operation)
            state.headers.append(request.headers)
            state.hosts.insert(request.url.host ?? "")
            if let index = state.faults.firstIndex(where: { $0.operation == nil || $0.operation == operation }) {
                return state.faults.remove(at: index).fault
            }
            return state.permanent
        }
        switch fault {
        case .losesRequest: throw URLError(.cannotConnectToHost)
        case .answers(let status, let headers, let body):
            return TransportResponse(status: status, headers: headers, body: Data(body.utf8))
        case .losesResponse:
            _ = try await forward(request, operation)
            throw URLError(.networkConnectionLost)
        case .holdsResponse:
            let response = try await forward(request, operation)
            await withCheckedContinuation { continuation in state.withLock { $0.held.append(continuation) } }
            return response
        case nil: return try await forward(request, operation)
        }
    }

    private func forward(_ request: TransportRequest, _ operation: String) async throws -> TransportResponse {
        var request = request
        // The test server replaces the field, because its own client sets it.
        request.headers["X-Test-User-Agent"] = request.headers["User-Agent"]
        var response = try await Self.session.send(request)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        response.headers["Date"] = format.string(
            from: Date(timeIntervalSince1970: TimeInterval(clock.now.seconds)))
        try Contract.check(request, response)
        return response
    }
}
