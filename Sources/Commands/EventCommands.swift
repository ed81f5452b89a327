internal import API
internal import Gateway
internal import Identity

/// Event endpoints (webhooks), and what they received.
extension Command {
    static let listEvents = Command(
        words: ["events", "list"],
        summary: "Print the events of a project as JSON lines, earliest first",
        options: [
            .project, .number("after", "N", in: 0...Int.max, "only events with higher numbers", default: "0"),
            .number("limit", "N", in: 1...1000, "maximum number of events", default: "100"),
        ],
        details: ["Events are recorded while the project has an event endpoint, and kept for 30 days."],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let project = try arguments.project()
        let (after, limit) = (try arguments.number("after"), try arguments.number("limit"))
        try Administration.run { administration in
            try await administration.requireRealm(ID(project))
            let page = try await administration.eventEndpoints().store.events(
                after: Int64(after), kinds: nil, limit: limit, of: project)
            for event in page.events { try Terminal.writeJSON(EventResource(event)) }
        }
    }

    static let listEventEndpoints = list(
        ["events", "list-endpoints"], summary: "List the event endpoints of a project",
        heading: ["ID", "URL", "KINDS", "STATE", "FAILURES", "LAST SUCCESS"]
    ) { administration, project in
        try await administration.eventEndpoints().store.endpoints(of: project).map { endpoint in
            [
                endpoint.id.rawValue, endpoint.url?.rawValue ?? "",
                endpoint.kinds.map { $0.map(\.rawValue).sorted().joined(separator: ",") } ?? "",
                endpoint.health.stateName, String(endpoint.health.failures),
                endpoint.health.lastSuccessAt?.iso8601 ?? "",
            ]
        }
    }

    static let createEventEndpoint = Command(
        words: ["events", "create-endpoint"],
        summary: "Create an event endpoint and print its secret as JSON",
        operand: .eventEndpoint,
        options: [
            .project,
            .text("url", "URL", "https URL that gets the events", defaultNote: "none; the events are only in the feed"),
            .text(
                "kinds", "LIST", "comma-separated kinds of events",
                defaultNote: "all except session.opened and session.revoked"),
            .flag("include-profile", "events contain the profile of the account, as it is at the delivery"),
        ],
        details: ["The gateway stores the secret encrypted, so it cannot be printed again."],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let (project, id) = (try arguments.project(), ID<EventEndpoint>(arguments.operand))
        let kinds = arguments.optionalText("kinds")?.split(separator: ",").map(String.init)
        let input = EventEndpoints.Input(
            url: arguments.optionalText("url"), kinds: kinds,
            include: arguments.has("include-profile") ? ["profile"] : nil)
        try Administration.runWithKeys { administration, masterKeys in
            try await administration.requireRealm(ID(project))
            let created = try await explainingRefusals {
                try await administration.eventEndpoints(under: masterKeys)
                    .create(id, input, by: .commandLine, of: project)
            }
            try Terminal.writeJSON(
                PrintedSecret(
                    projectId: project.rawValue, eventEndpointId: id.rawValue, secret: created.secret.expose(),
                    completeFrom: created.completeFrom.iso8601))
        }
    }

    static let rotateEventSecret = Command(
        words: ["events", "rotate-secret"],
        summary: "Replace the secret of an event endpoint and print the new one as JSON",
        operand: .eventEndpoint,
        options: [
            .project,
            .number(
                "overlap", "SECONDS", in: EventEndpoints.overlaps, "how long the former secret signs too",
                default: "86400"),
        ],
        environment: ["DATABASE_URL", "SEKISHO_MASTER_KEY"]
    ) { arguments in
        let (project, id) = (try arguments.project(), ID<EventEndpoint>(arguments.operand))
        let overlap = try arguments.number("overlap")
        try Administration.runWithKeys { administration, masterKeys in
            let secret = try await explainingRefusals {
                try await administration.eventEndpoints(under: masterKeys)
                    .rotateSecret(of: id, overlap: overlap, by: .commandLine, of: project)
            }
            try Terminal.writeJSON(
                PrintedSecret(
                    projectId: project.rawValue, eventEndpointId: id.rawValue, secret: secret.expose(),
                    completeFrom: nil))
        }
    }

    static let deleteEventEndpoint = Command(
        words: ["events", "delete-endpoint"],
        summary: "Delete an event endpoint",
        operand: .eventEndpoint,
        options: [.project, .yes],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let (project, id) = (try arguments.project(), ID<EventEndpoint>(arguments.operand))
        try arguments.requireConfirmation("Delete the event endpoint \(id) of the project \(project)?")
        try Administration.run { administration in
            try await explainingRefusals {
                try await administration.eventEndpoints().delete(id, by: .commandLine, of: project)
            }
            Terminal.writeLine("deleted event endpoint \(id)")
        }
    }

    static let enableEventEndpoint = Command(
        words: ["events", "enable-endpoint"],
        summary: "Enable a disabled event endpoint, which then gets the events that wait",
        operand: .eventEndpoint,
        options: [.project],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let (project, id) = (try arguments.project(), ID<EventEndpoint>(arguments.operand))
        try Administration.run { administration in
            _ = try await explainingRefusals {
                try await administration.eventEndpoints().enable(id, by: .commandLine, of: project)
            }
            Terminal.writeLine("enabled event endpoint \(id)")
        }
    }

    static let replayEvents = Command(
        words: ["events", "replay"],
        summary: "Deliver events to an event endpoint again",
        operand: .eventEndpoint,
        options: [
            .project, .number("after", "N", in: 0...Int.max, "only events with higher numbers", default: "0"),
            .number("until", "N", in: 0...Int.max, "only events up to this number", defaultNote: "the latest"),
        ],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let (project, id) = (try arguments.project(), ID<EventEndpoint>(arguments.operand))
        let replay = EventReplay(
            after: Int64(try arguments.number("after")), until: arguments.optionalNumber("until").map { Int64($0) },
            kinds: nil, ids: nil)
        try Administration.run { administration in
            let count = try await explainingRefusals {
                try await administration.eventEndpoints().replay(replay, to: id, by: .commandLine, of: project)
            }
            Terminal.writeLine("events to deliver again: \(count)")
        }
    }
}

extension Operand {
    static let eventEndpoint = Operand(placeholder: "ENDPOINT_ID", noun: "ID of an event endpoint")
}

/// Runs `work`, and reports a refusal as the failure of the command.
func explainingRefusals<Value: Sendable>(_ work: () async throws -> Value) async throws -> Value {
    do {
        return try await work()
    } catch let refusal as EventEndpointRefusal {
        switch refusal {
        case .notFound: throw Failure(message: "the project has no such event endpoint")
        case .exists: throw Failure(message: "the event endpoint already exists")
        default: throw Failure(message: refusal.detail ?? refusal.message)
        }
    }
}

private struct PrintedSecret: Encodable {
    let projectId: String
    let eventEndpointId: String
    let secret: String
    let completeFrom: String?
}
