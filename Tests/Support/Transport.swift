import Encoding
import EventLoop
import FoundationEssentials
import HTTP
import Synchronization

@testable import API

/// How the requests of a test reach the gateway.
enum Transport: String, Sendable {
    /// The test calls the request pipeline.
    case inProcess
    /// The test sends HTTP to a server on a loopback port.
    case socket

    /// The value of `SEKISHO_TEST_TRANSPORT` (default: inProcess).
    static let standard: Transport = {
        guard let name = ProcessInfo.processInfo.environment["SEKISHO_TEST_TRANSPORT"] else { return .inProcess }
        guard let transport = Transport(rawValue: name) else {
            preconditionFailure("SEKISHO_TEST_TRANSPORT: expected inProcess or socket, got \(name)")
        }
        return transport
    }()
}

/// A gateway behind a real server, and the HTTP client of the tests. The server stops with the last reference to
/// this object.
final class SocketServer: Sendable {
    /// The header field with the address that the gateway shall see as the client's, because every test connects from
    /// loopback.
    private static let peerField = "X-Test-Peer"
    /// The prefix under which a request carries a field of ``fieldsReservedByClient``. ``received(_:)`` removes it.
    private static let prefix = "X-Test-"
    /// Header fields that the HTTP client sets itself. Its callers cannot set them.
    private static let fieldsReservedByClient: Set = ["user-agent"]
    private static let client = Result {
        try HTTP.Client(loop: TestCluster.shared.loop, limits: ClientLimits(requests: 1000, connectionsPerHost: 64))
    }

    private let server: Server
    private let loop: Loop

    init(_ gateway: RequestPipeline, on loop: Loop) throws {
        self.loop = loop
        let handler = RequestHandler(
            route: { method, path, headers in
                let matched = gateway.route(method, path, headers)
                return MatchedRoute(bodyLimit: matched.bodyLimit) { await matched.respond(Self.received($0)) }
            }, rejected: gateway.rejected)
        server = try Server(loops: [loop], address: "127.0.0.1", port: 0, handlers: [handler])
        server.start()
    }

    deinit {
        Task(executorPreference: loop) { [server] in await server.drain(within: .seconds(5)) }
    }

    var port: UInt16 { server.port }

    /// See ``Server/reservedBodyBytes``.
    var reservedBodyBytes: Int { server.reservedBodyBytes }

    /// - Throws: ``ClientFault`` if the exchange fails.
    func send(_ request: Request) async throws -> ClientResponse {
        let query = request.query.map { "\($0.name.rawValue.percentEncoded)=\($0.value.percentEncoded)" }
        var headers = Headers(
            request.headers.map {
                Self.fieldsReservedByClient.contains($0.name.lowercased()) ? (Self.prefix + $0.name, $0.value) : $0
            })
        headers.add(Self.peerField, request.peer)
        return try await Self.client.get().send(
            ClientRequest(
                request.method,
                "http://127.0.0.1:\(server.port)\(request.path)\(query.isEmpty ? "" : "?")\(query.joined(separator: "&"))",
                headers: headers, body: request.body, deadline: .seconds(60), maximumResponseBytes: 64 * 1024 * 1024,
                destination: .fromOperator))
    }

    /// Returns the request as the test built it, with the ID that every in-process request has.
    private static func received(_ request: Request) -> Request {
        let own = fieldsReservedByClient.union([peerField.lowercased()])
        let headers = request.headers.filter { !own.contains($0.name.lowercased()) }.map { field in
            field.name.hasPrefix(prefix) ? (String(field.name.dropFirst(prefix.count)), field.value) : field
        }
        return Request(
            id: "0", method: request.method, path: request.path, query: request.query, headers: Headers(headers),
            body: request.body, peer: request.headers[peerField] ?? request.peer)
    }
}
