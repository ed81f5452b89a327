internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// The longest time for which a request can wait for an event.
    private static let longestWait = 20

    /// The feed of a project's events, in the order of their numbers.
    static let listEvents = administrator(
        "listEvents", .get, "/v1/projects/{project}/events", needs: .readEvents
    ) { call, administrator in
        let request = call.request
        let after = try call.sequenceInQuery("after")
        let limit = try ListPage.parseLimit("maxResults", request.query("maxResults"), default: 100, maximum: 1000)
        let wait = try ListPage.parseLimit("waitSeconds", request.query("waitSeconds"), maximum: longestWait)
        let waits = request.query("waitSeconds").nonEmpty != nil && request.query("waitSeconds") != "0"
        let kinds = try request.query("kinds").nonEmpty.map { list in
            Set(
                try list.split(separator: ",").map { name in
                    guard let kind = AccountEvent.Kind(rawValue: String(name)) else {
                        throw RequestRefusal.invalidField("/kinds", "must contain kinds of events, separated by commas")
                    }
                    return kind
                })
        }
        let project = administrator.realm.project.id
        let events = call.services.events
        let end = ContinuousClock.now + .seconds(waits ? wait : 0)
        var page = try await events.store.events(after: after, kinds: kinds, limit: limit, of: project)
        while page.events.isEmpty, ContinuousClock.now < end, !call.context.isClientGone(), !events.isDraining() {
            try await Task.sleep(for: .milliseconds(250))
            // An empty page still says up to which number it has read: the next request reads only later events.
            guard try await events.store.lastSequence(of: project) > page.lastSequence else { continue }
            page = try await events.store.events(after: page.lastSequence, kinds: kinds, limit: limit, of: project)
        }
        return try .json(
            EventPageResource(
                events: page.events.map { EventResource($0) }, lastSequence: page.lastSequence,
                earliestSequence: page.earliestSequence))
    }
}

extension EndpointCall {
    /// Returns an event's number in the query; 0 if the parameter is absent.
    func sequenceInQuery(_ name: ByteText) throws(RequestRefusal) -> Int64 {
        guard let text = request.query(name).nonEmpty else { return 0 }
        guard let number = Int64(text), number >= 0 else {
            throw .invalidField("/\(name)", "must be a non-negative integer")
        }
        return number
    }
}

private struct EventPageResource: Encodable {
    let events: [EventResource]
    let lastSequence: Int64
    let earliestSequence: Int64?
}
