internal import HTTP
public import Identity
internal import JSON

/// Threads for work on large requests, which would hold an event loop, and with it all its clients, for too long.
public protocol RequestThreads: Sendable {
    /// Runs `work` on a thread. The requests of each project wait in a queue of their own, which are served in turn.
    ///
    /// - Throws: ``Overloaded`` if the queue is full; otherwise what `work` throws.
    func run<Value: Sendable>(
        for project: ID<Project>, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value
}

/// What the gateway decodes from a large body: all values in one step, after which the parsed body is released. A
/// parsed body takes up to twenty times the memory of its bytes, and ``RequestThreads`` has few threads, so few parsed
/// bodies exist at a time.
struct LargeBody: Sendable {
    /// Larger bodies of batches are decoded on ``RequestThreads``. A body of this size takes at most about ten
    /// milliseconds.
    static let threshold = 16 * 1024

    let target: Result<TargetFields, any Error>
    let tenantNames: TenantNames
    /// The value of the type that the operation names.
    let content: Result<any Sendable, any Error>

    init<Content: Decodable & Sendable>(_ bytes: [UInt8], as type: Content.Type) {
        do {
            let json = try ParsedJSON(bytes)
            target = Result { try json.decodeBody(as: TargetFields.self) }
            // `TargetFields` are decoded from the same members, and are checked.
            tenantNames = (try? json.decodeBody(as: TenantNames.self)) ?? TenantNames()
            content = Result { try json.decodeBody(as: type) }
        } catch {
            (target, tenantNames, content) = (.failure(error), TenantNames(), .failure(error))
        }
    }
}

extension EndpointCall {
    /// Decodes a large body; a smaller body is decoded by the handler.
    ///
    /// - Parameter project: the project of the administrator who sent the body.
    mutating func decodeLargeBody(of endpoint: Endpoint, for project: ID<Project>) async throws {
        guard largeBody == nil, request.body.count > LargeBody.threshold, let type = endpoint.largeContent else {
            return
        }
        let body = request.body
        largeBody = try await services.threads.run(for: project) { LargeBody(body, as: type) }
    }

    /// Encodes a list of `count` elements, on a thread if they are many: a thousand accounts take some 30 milliseconds.
    func json(
        of count: Int, for project: ID<Project>, _ list: @escaping @Sendable () -> some Encodable & SendableMetatype
    ) async throws -> Response {
        guard count > Self.longList else { return try .json(list()) }
        return try await services.threads.run(for: project) { try .json(list()) }
    }

    private static var longList: Int { 100 }

    /// Runs `work` on a thread if the request is large, otherwise on the event loop.
    func offLoopIfLarge<Value: Sendable>(
        for project: ID<Project>, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        largeBody == nil ? try work() : try await services.threads.run(for: project, work)
    }
}
