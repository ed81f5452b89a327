internal import Console
internal import Encoding
internal import HTML
internal import HTTP
internal import Identity
internal import JSON
internal import Storage

extension StartPages {
    /// The number of events in the list.
    private static let listedEvents = 30

    /// Lists the event endpoints of the project and its latest events, and delivers one of them again.
    func eventsScreen(_ context: ScreenContext) async throws -> Screen {
        let project = ID<Project>(context.realm.project)
        let store = PostgresEventEndpointStore(pool: projects.pool)
        let endpoints = try await store.endpoints(of: project)
        let last = try await store.lastSequence(of: project)
        let page = try await store.latestEvents(before: last, limit: Self.listedEvents, of: project)
        var deliveries: [Int64: [String]] = [:]
        for endpoint in endpoints {
            let after = (page.last?.sequence ?? 1) - 1
            let found = try await store.deliveries(
                to: endpoint.id, state: nil, after: after, limit: Self.listedEvents, of: project)
            for delivery in found {
                deliveries[delivery.sequence, default: []].append(
                    "\(endpoint.id): \(delivery.state.rawValue)" + (delivery.status.map { " (\($0))" } ?? ""))
            }
        }
        return Screen(
            "Events",
            [
                .section("Event endpoints", Self.endpointList(endpoints)),
                .section("Latest events", Self.eventList(page, deliveries, now: context.now)),
            ] + Self.sendAgain(page, endpoints.filter { $0.url != nil }, context))
    }

    private static func endpointList(_ endpoints: [EventEndpoint]) -> [ScreenBlock] {
        guard !endpoints.isEmpty else {
            return [
                .paragraph(
                    "No event endpoints. The gateway records events only for projects that have an endpoint. Create one: POST /v2/projects/{project}/eventEndpoints."
                )
            ]
        }
        let rows = endpoints.map { endpoint in
            [
                Markup.isolated(endpoint.id.rawValue), .isolated(endpoint.url?.rawValue ?? "feed only"),
                .text(endpoint.health.stateName), .text(String(endpoint.health.failures)),
            ]
        }
        return [.markup(.table("Event endpoints", ["ID", "URL", "State", "Failures"], rows))]
    }

    private static func eventList(
        _ events: [StoredEvent], _ deliveries: [Int64: [String]], now: Int64
    ) -> [ScreenBlock] {
        guard !events.isEmpty else { return [.paragraph("No events yet.")] }
        let rows = events.map { event in
            [
                Markup.text(String(event.sequence)), .text(event.kind), .isolated(event.account.rawValue),
                .time(event.occurredAt.milliseconds, now: now),
                .isolated(deliveries[event.sequence]?.joined(separator: ", ") ?? ""),
            ]
        }
        return [.markup(.table("Latest events", ["Number", "Kind", "Account", "Time", "Deliveries"], rows))]
    }

    private static func sendAgain(
        _ events: [StoredEvent], _ endpoints: [EventEndpoint], _ context: ScreenContext
    ) -> [ScreenBlock] {
        guard let event = events.first, let endpoint = endpoints.first else { return [] }
        let choices = events.map { FormField.Choice($0.id, "\($0.sequence) \($0.kind) \($0.account)") }
        let targets = endpoints.map { FormField.Choice($0.id.rawValue, $0.id.rawValue) }
        let form = Form(
            "send-again", button: "Send again",
            [
                FormField("event", "Event", .choice(choices), value: event.id),
                FormField("endpoint", "Endpoint", .choice(targets), value: endpoint.id.rawValue),
            ], notice: "The event is delivered again within a second."
        ) { input in
            try context.catalog.call(
                "replayEvents", in: RealmName(project: context.realm.project, tenant: nil),
                parameters: ["eventEndpointId": input["endpoint"]],
                body: ["ids": .array([.string(input["event"])])])
        }
        return [.section("Send again", [.form(form)])]
    }
}
