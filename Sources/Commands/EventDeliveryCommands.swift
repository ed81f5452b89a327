internal import Gateway
internal import Identity

extension Command {
    static let listEventDeliveries = Command(
        words: ["events", "list-deliveries"],
        summary: "List the deliveries to an event endpoint that wait, and those of the last 7 days",
        operand: .eventEndpoint,
        options: [
            .project, .number("after", "N", in: 0...Int.max, "only events with higher numbers", default: "0"), .json,
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let (project, id) = (try arguments.project(), ID<EventEndpoint>(arguments.operand))
        let after = try arguments.number("after")
        try Administration.run { administration in
            let events = administration.eventEndpoints()
            let deliveries = try await explainingRefusals {
                let endpoint = try await events.endpoint(id, of: project)
                return try await events.store.deliveries(
                    to: endpoint.id, state: nil, after: Int64(after), limit: 1000, of: project)
            }
            try Terminal.writeList(
                [["NUMBER", "KIND", "STATE", "ATTEMPTS", "LAST ATTEMPT", "NEXT ATTEMPT", "STATUS", "FAILURE"]]
                    + deliveries.map { delivery in
                        [
                            String(delivery.sequence), delivery.event?.kind ?? "", delivery.state.rawValue,
                            String(delivery.attempts), delivery.attemptedAt?.iso8601 ?? "",
                            delivery.dueAt?.iso8601 ?? "", delivery.status.map(String.init) ?? "",
                            delivery.failure ?? "",
                        ]
                    }, arguments)
        }
    }
}
