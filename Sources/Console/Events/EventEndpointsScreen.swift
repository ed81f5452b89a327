internal import Encoding
internal import HTML
internal import JSON

/// The listeners of a project's events: their state, their deliveries, and forms that repeat deliveries.
package enum EventEndpointsScreen {
    private static let listedDeliveries = 30

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(try context.catalog.call("listEventEndpoints", in: project))
        guard result.isSuccess else { return Screen("Events", status: 400, [.problem(context.problem(result))]) }
        let endpoints = (result.json?["eventEndpoints"]).elements
        guard !endpoints.isEmpty else {
            return Screen(
                "Events",
                [.paragraph("No event endpoints. A project file or the operation createEventEndpoint creates one.")])
        }
        var sections: [ScreenBlock] = []
        for endpoint in endpoints {
            sections.append(try await section(of: endpoint, in: project, context))
        }
        return Screen("Events", sections)
    }

    private static func section(
        of endpoint: JSONValue, in project: RealmName, _ context: ScreenContext
    ) async throws -> ScreenBlock {
        let id = endpoint["eventEndpointId"]?.text ?? ""
        let deliveries = try await context.perform(
            try context.catalog.call(
                "listEventDeliveries", in: project, parameters: ["eventEndpointId": id],
                query: [.init("pageSize", "\(listedDeliveries)")]))
        let facts: [(String, Markup)] = [
            ("URL", .isolated(endpoint["url"]?.text ?? "feed only")), ("State", .tag(endpoint["state"]?.text ?? "")),
            ("Failures in a row", .text(endpoint["failures"]?.text ?? "0")),
            ("Last event", .text(endpoint["lastSequence"]?.text ?? "")),
        ]
        let forms =
            endpoint["url"] == nil
            ? []
            : [
                ScreenBlock.form(enableForm(id, project, context)), .form(testForm(id, project, context)),
                .details("Deliver events again", [.form(replayForm(id, project, context))]),
            ]
        return .section(id, [.markup(.details(facts)), list(deliveries, context)] + forms)
    }

    private static func list(_ result: APIResult, _ context: ScreenContext) -> ScreenBlock {
        guard result.isSuccess else { return .problem(context.problem(result)) }
        let deliveries = (result.json?["deliveries"]).elements
        guard !deliveries.isEmpty else { return .paragraph("Nothing was delivered yet.") }
        let rows = deliveries.map { delivery in
            let time = (delivery["attemptedAt"]?.text).flatMap(RFC3339.microsecondsSince1970)
            return [
                Markup.text(delivery["sequence"]?.text ?? ""), .text(delivery["type"]?.text ?? ""),
                .tag(delivery["state"]?.text ?? ""),
                .text(delivery["status"]?.text ?? Words.deliveryFailure(delivery["failure"]?.text ?? "")),
                .text(delivery["attempts"]?.text ?? ""), time.map { .time($0 / 1000, now: context.now) } ?? .text(""),
            ]
        }
        return .markup(
            .table("Deliveries", ["Event", "Kind", "State", "Result", "Attempts", "Latest attempt"], rows))
    }

    private static func enableForm(_ id: String, _ project: RealmName, _ context: ScreenContext) -> Form {
        Form("enable-\(id)", button: "Enable again", notice: "The endpoint is enabled.") { _ in
            try context.catalog.call(
                "enableEventEndpoint", in: project, parameters: ["eventEndpointId": id], body: [:])
        }
    }

    private static func testForm(_ id: String, _ project: RealmName, _ context: ScreenContext) -> Form {
        Form(
            "test-\(id)", button: "Send a test event", notice: "Test of \(id)",
            resultMarkup: { result, _ in
                let reason = result.json?["failure"]?.text.map { ": " + Words.deliveryFailure($0) } ?? ""
                let status = result.json?["status"]?.text.map { " (status \($0))" } ?? ""
                return [
                    .paragraph(
                        (result.json?["delivered"]).isTrue
                            ? "The endpoint accepted the event\(status)."
                            : "The endpoint did not accept the event\(reason)\(status)."),
                    .markup(Markup(.p, [.link(context.path, .text("All endpoints"))])),
                ]
            }
        ) { _ in
            try context.catalog.call("testEventEndpoint", in: project, parameters: ["eventEndpointId": id], body: [:])
        }
    }

    private static func replayForm(_ id: String, _ project: RealmName, _ context: ScreenContext) -> Form {
        Form(
            "replay-\(id)", button: "Deliver again",
            [
                FormField("after", "After the event with the number", .number, value: "0", isRequired: true),
                FormField("until", "Up to the event with the number", .number),
            ], notice: "The events are delivered again."
        ) { input in
            guard let after = Int64(input["after"]) else { throw Form.InvalidField("after", "Enter a number.") }
            var body: JSONObject = ["after": .integer(after)]
            if !input["until"].isEmpty {
                guard let until = Int64(input["until"]) else { throw Form.InvalidField("until", "Enter a number.") }
                body["until"] = .integer(until)
            }
            return try context.catalog.call(
                "replayEvents", in: project, parameters: ["eventEndpointId": id], body: body)
        }
    }
}
