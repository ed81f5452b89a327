internal import Encoding
internal import HTTP
internal import Identity

/// The operations on the queues of a project.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/queues/{queue}/items"
    private static let resource = collection + "/{itemId}"

    static let listQueueItems = administrator(
        "listQueueItems", .get, collection, needs: .readConfig
    ) { call, administrator in
        let limit = try ListPage.parseLimit("pageSize", call.request.query("pageSize"), default: 100, maximum: 1000)
        let items = try await call.services.queues.items(
            of: try call.queue, limit: limit, in: administrator.realm.project.id)
        return try await call.json(of: items.count, for: administrator.realm.project.id) {
            QueueItems(items: items.map(QueueItemResource.init))
        }
    }

    static let retryQueueItem = administrator(
        "retryQueueItem", .post, resource + ":retry", needs: .config
    ) { call, administrator in
        try await call.apply(.retry, as: administrator)
    }

    /// Needs a higher scope than a retry: the item may be a notice that warns a user of an intruder.
    static let cancelQueueItem = administrator(
        "cancelQueueItem", .delete, resource, needs: .trust
    ) { call, administrator in
        try await call.apply(.cancel, as: administrator)
    }
}

extension EndpointCall {
    fileprivate var queue: WorkQueue {
        get throws {
            guard let queue = parameters["queue"].flatMap({ WorkQueue(rawValue: $0) }) else {
                throw WorkQueueRefusal.notFound
            }
            return queue
        }
    }

    fileprivate func apply(_ change: QueueItemChange, as administrator: Administrator) async throws -> Response {
        try await services.queues.apply(
            change, to: parameters["itemId"] ?? "", of: try queue, by: administrator.actor,
            in: administrator.realm.project.id)
        return .noContent
    }
}

private struct QueueItems: Encodable {
    let items: [QueueItemResource]
}

private struct QueueItemResource: Encodable {
    let itemId: String
    let tenantId: String?
    let kind: String
    let state: String
    let attempts: Int
    let createdAt: String
    let dueAt: String?
    let failure: String?

    init(_ item: QueueItem) {
        itemId = item.id
        tenantId = item.realm.tenant?.rawValue
        kind = item.kind
        state = item.dueAt == nil ? "givenUp" : "waiting"
        attempts = item.attempts
        createdAt = item.createdAt.iso8601
        dueAt = item.dueAt?.iso8601
        failure = item.failure
    }
}
