internal import Encoding
internal import HTML
internal import JSON

/// The work that a project's gateway repeats until it succeeds: emails, text messages, revocations at Apple, and
/// events.
package enum QueuesScreen {
    private static let limit = 50

    private static let queues = [
        ("emails", "Emails", "No email waits to be sent, and no delivery was given up."),
        ("textMessages", "Text messages", "No text message waits to be sent, and none was given up."),
        ("appleRevocations", "Revocations at Apple", "No token waits to be revoked."),
        ("eventDeliveries", "Events", "No event waits to be delivered."),
    ]

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        var sections: [ScreenBlock] = []
        for (queue, title, emptiness) in queues {
            let result = try await context.perform(
                try context.catalog.call(
                    "listQueueItems", in: project, parameters: ["queue": queue],
                    query: [.init("pageSize", "\(limit)")]))
            guard result.isSuccess else { return Screen("Queues", status: 400, [.problem(context.problem(result))]) }
            let items = (result.json?["items"]).elements
            sections.append(
                .section(
                    title,
                    items.isEmpty
                        ? [.paragraph(emptiness)]
                        : [
                            .markup(
                                .table(
                                    title, ["Kind", "State", "Attempts", "Created", "Next attempt", "Failure"],
                                    items.map { row($0, context) })),
                            .form(form(of: items, in: queue, project, context)),
                        ]))
        }
        return Screen("Queues", sections)
    }

    private static func row(_ item: JSONValue, _ context: ScreenContext) -> [Markup] {
        let time = { (member: ByteText) -> Markup in
            (item[member]?.text).flatMap(RFC3339.microsecondsSince1970).map { .time($0 / 1000, now: context.now) }
                ?? .text("")
        }
        let tenant = (item["tenantId"]?.text).map { [Markup.text(" "), .tag($0)] } ?? []
        return [
            .group([.isolated(Words.message(item["kind"]?.text ?? ""))] + tenant),
            .tag(Words.state(item["state"]?.text ?? "")),
            .text(attempts(item)), time("createdAt"), time("dueAt"),
            .isolated(item["failure"]?.text ?? ""),
        ]
    }

    /// With the noun, because narrow windows show no headings.
    private static func attempts(_ item: JSONValue) -> String {
        let number = item["attempts"]?.text ?? ""
        return number.isExactly("1") ? "1 attempt" : "\(number) attempts"
    }

    private static func created(_ item: JSONValue) -> String {
        let text = item["createdAt"]?.text ?? ""
        return RFC3339.microsecondsSince1970(text).map { TimeText.absolute($0 / 1000) } ?? text
    }

    /// One form for all items, so that the page stays small.
    private static func form(
        of items: [JSONValue], in queue: String, _ project: RealmName, _ context: ScreenContext
    ) -> Form {
        let choices = items.compactMap { item in
            item["itemId"]?.text.map { id in
                FormField.Choice(
                    id, "\(Words.message(item["kind"]?.text ?? "")), \(created(item)), \(id.shortened(to: 12))")
            }
        }
        return Form(
            "queue-\(queue)", button: "Apply",
            [
                FormField("item", "Item", .choice(choices), value: choices.first?.value ?? ""),
                FormField(
                    "change", "Action",
                    .choice([
                        .init("retryQueueItem", "Try again now"),
                        .init("cancelQueueItem", "Cancel: never try again"),
                    ]), value: "retryQueueItem"),
            ], notice: "The item was changed."
        ) { input in
            let operation = input["change"].isExactly("cancelQueueItem") ? "cancelQueueItem" : "retryQueueItem"
            return try context.catalog.call(
                operation, in: project, parameters: ["queue": queue, "itemId": input["item"]])
        }
    }
}
