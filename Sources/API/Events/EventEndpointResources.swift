internal import Encoding
internal import HTTP
internal import Identity

/// The listeners of a project's events: webhooks, and backends that read the feed.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/eventEndpoints"
    private static let resource = collection + "/{eventEndpointId}"

    static let listEventEndpoints = administrator(
        "listEventEndpoints", .get, collection, needs: .readConfig
    ) { call, administrator in
        let endpoints = try await call.services.events.store.endpoints(of: administrator.realm.project.id)
        return try .json(
            EventEndpointList(eventEndpoints: endpoints.map { EventEndpointResource($0, for: administrator) }))
    }

    static let createEventEndpoint = administrator(
        "createEventEndpoint", .post, collection, needs: .config
    ) { call, administrator in
        try administrator.require(.trust)
        let body = try call.body(as: EventEndpointInput.self, for: administrator)
        let input = body.input(isUpdate: false)
        if input.includesProfile(after: nil) { try administrator.require(.readUsers) }
        let created = try await call.services.events.create(
            ID(body.eventEndpointId ?? ""), input, by: administrator.actor,
            of: administrator.realm.project.id)
        return try .json(
            EventEndpointResource(
                created.endpoint, for: administrator, secret: created.secret, completeFrom: created.completeFrom))
    }

    static let getEventEndpoint = administrator("getEventEndpoint", .get, resource, needs: .readConfig) {
        call, administrator in
        try .json(
            EventEndpointResource(
                try await call.services.events.endpoint(call.eventEndpointID, of: administrator.realm.project.id),
                for: administrator))
    }

    static let updateEventEndpoint = administrator(
        "updateEventEndpoint", .patch, resource, needs: .config
    ) { call, administrator in
        try administrator.require(.trust)
        let project = administrator.realm.project.id
        let input = try call.body(as: EventEndpointInput.self, for: administrator)
            .input(isUpdate: true, maskedBy: call.updateMask)
        let current = try await call.services.events.endpoint(call.eventEndpointID, of: project)
        if input.includesProfile(after: current) { try administrator.require(.readUsers) }
        let endpoint = try await call.services.events.update(
            call.eventEndpointID, input, by: administrator.actor, of: project)
        return try .json(EventEndpointResource(endpoint, for: administrator))
    }

    static let deleteEventEndpoint = administrator(
        "deleteEventEndpoint", .delete, resource, needs: .config
    ) { call, administrator in
        try administrator.require(.trust)
        try await call.services.events.delete(
            call.eventEndpointID, by: administrator.actor, of: administrator.realm.project.id)
        return .noContent
    }

    static let rotateEventEndpointSecret = administrator(
        "rotateEventEndpointSecret", .post, resource + ":rotateSecret", needs: .config
    ) { call, administrator in
        try administrator.require(.trust)
        let input = try call.body(as: SecretRotationInput.self, for: administrator)
        let secret = try await call.services.events.rotateSecret(
            of: call.eventEndpointID, overlap: input.overlapSeconds, by: administrator.actor,
            of: administrator.realm.project.id)
        return try .json(NewEventSecret(secret: secret.expose()))
    }

    static let enableEventEndpoint = administrator(
        "enableEventEndpoint", .post, resource + ":enable", needs: .config
    ) { call, administrator in
        let endpoint = try await call.services.events.enable(
            call.eventEndpointID, by: administrator.actor, of: administrator.realm.project.id)
        return try .json(EventEndpointResource(endpoint, for: administrator))
    }

    /// Sends an event about no account to the endpoint, and responds with what the endpoint answered.
    static let testEventEndpoint = administrator(
        "testEventEndpoint", .post, resource + ":test", needs: .config
    ) { call, administrator in
        let outcome = try await call.services.events.test(call.eventEndpointID, of: administrator.realm.project.id)
        return try .json(EventTestResult(outcome))
    }

    static let replayEvents = administrator(
        "replayEvents", .post, resource + ":replay", needs: .config
    ) { call, administrator in
        let input = try call.body(as: ReplayInput.self, for: administrator)
        let count = try await call.services.events.replay(
            input.replay(), to: call.eventEndpointID, by: administrator.actor, of: administrator.realm.project.id)
        return try .json(ReplayResult(count: count))
    }

    static let listEventDeliveries = administrator(
        "listEventDeliveries", .get, resource + "/deliveries", needs: .readConfig
    ) { call, administrator in
        let project = administrator.realm.project.id
        let endpoint = try await call.services.events.endpoint(call.eventEndpointID, of: project)
        let state: EndpointDelivery.State? = try RequestRefusal.enumValue(
            call.request.query("state").nonEmpty, at: "/state")
        let limit = try ListPage.parseLimit("pageSize", call.request.query("pageSize"), default: 100, maximum: 1000)
        let deliveries = try await call.services.events.store.deliveries(
            to: endpoint.id, state: state, after: try call.sequenceInQuery("pageToken"), limit: limit, of: project)
        return try .json(
            EventDeliveries(
                deliveries: deliveries.map(EventDeliveryResource.init),
                nextPageToken: deliveries.count == limit ? deliveries.last.map { String($0.sequence) } : nil))
    }
}

extension EndpointCall {
    fileprivate var eventEndpointID: ID<EventEndpoint> { ID(parameters["eventEndpointId"] ?? "") }
}

private struct EventEndpointInput: Decodable {
    let eventEndpointId: String?
    let url: String?
    let kinds: [String]?
    let include: [String]?

    /// An update changes the members that it contains; with a field mask, an absent member of the mask is reset.
    func input(isUpdate: Bool, maskedBy mask: FieldMask = .all) -> EventEndpoints.Input {
        guard isUpdate, !mask.coversAllFields else {
            return EventEndpoints.Input(url: url, kinds: kinds, include: include)
        }
        return EventEndpoints.Input(
            url: mask.contains("url") ? url ?? "" : nil, kinds: mask.contains("kinds") ? kinds ?? [] : nil,
            include: mask.contains("include") ? include ?? [] : nil)
    }
}

private struct SecretRotationInput: Decodable {
    let overlapSeconds: Int?
}

private struct ReplayInput: Decodable {
    let after: Int64?
    let until: Int64?
    let kinds: [String]?
    let ids: [String]?

    func replay() throws -> EventReplay {
        let kinds = try kinds.map { names in
            Set(
                try names.enumerated().map { index, name in
                    guard let kind = AccountEvent.Kind(rawValue: name) else {
                        throw RequestRefusal.invalidField("/kinds/\(index)", "must be a kind of events")
                    }
                    return kind
                })
        }
        guard (ids?.count ?? 0) <= 1000 else {
            throw RequestRefusal.invalidField("/ids", "must have at most 1000 items")
        }
        for (index, id) in (ids ?? []).enumerated() {
            guard UUIDText.bytes(id) != nil else {
                throw RequestRefusal.invalidField("/ids/\(index)", "must be the ID of an event")
            }
        }
        guard after ?? 0 >= 0, until ?? 0 >= 0 else {
            throw RequestRefusal.invalidField("/after", "must be a non-negative integer")
        }
        return EventReplay(after: after ?? 0, until: until, kinds: kinds, ids: ids)
    }
}

private struct EventEndpointList: Encodable {
    let eventEndpoints: [EventEndpointResource]
}

private struct NewEventSecret: Encodable {
    let secret: String
}

private struct ReplayResult: Encodable {
    let count: Int
}

private struct EventTestResult: Encodable {
    let delivered: Bool
    let status: Int?
    let failure: String?

    init(_ outcome: EventDeliveryOutcome) {
        switch outcome {
        case .delivered(let status): (delivered, self.status, failure) = (true, status, nil)
        case .failed(let reason): (delivered, status, failure) = (false, reason.status, reason.name)
        }
    }
}

/// A listener in a response.
struct EventEndpointResource: Encodable {
    let eventEndpointId: String
    let url: String?
    let kinds: [String]?
    /// Absent if events contain no profile.
    let include: [String]?
    /// `active`, `failing` or `disabled`.
    let state: String
    let disabledReason: String?
    let failures: Int
    let failingSince: String?
    let lastSuccessAt: String?
    let lastSequence: Int64
    let createdAt: String
    /// Only in the response to the creation.
    let secret: String?
    /// Only in the response to the creation.
    let completeFrom: String?

    /// - Parameter administrator: without the scope `trust`, which changes URLs, the response has only the host.
    init(
        _ endpoint: EventEndpoint, for administrator: Administrator, secret: Secret? = nil,
        completeFrom: Instant? = nil
    ) {
        let health = endpoint.health
        eventEndpointId = endpoint.id.rawValue
        url = administrator.scopes.allows(.trust) ? endpoint.url?.rawValue : endpoint.url?.abbreviated
        kinds = endpoint.kinds.map { $0.map(\.rawValue).sorted() }
        include = endpoint.includesProfile ? ["profile"] : nil
        state = health.stateName
        disabledReason = health.disabledReason?.rawValue
        failures = health.failures
        failingSince = health.failingSince?.iso8601
        lastSuccessAt = health.lastSuccessAt?.iso8601
        lastSequence = endpoint.lastSequence
        createdAt = endpoint.createdAt.iso8601
        self.secret = secret?.expose()
        self.completeFrom = completeFrom?.iso8601
    }
}

private struct EventDeliveries: Encodable {
    let deliveries: [EventDeliveryResource]
    let nextPageToken: String?
}

private struct EventDeliveryResource: Encodable {
    let sequence: Int64
    let eventId: String?
    let type: String?
    let state: String
    let attempts: Int
    let dueAt: String?
    let attemptedAt: String?
    let status: Int?
    let failure: String?

    init(_ delivery: EndpointDelivery) {
        sequence = delivery.sequence
        eventId = delivery.event?.id
        type = delivery.event?.kind
        state = delivery.state.rawValue
        attempts = delivery.attempts
        dueAt = delivery.dueAt?.iso8601
        attemptedAt = delivery.attemptedAt?.iso8601
        status = delivery.status
        failure = delivery.failure
    }
}
