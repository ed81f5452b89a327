internal import Encoding
internal import HTML
internal import JSON

/// The emails of a project that wait to be sent, and those whose delivery was given up.
package enum QueuesScreen {
    private static let limit = 100

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(
            try context.catalog.call("listQueuedEmails", in: project, query: [.init("pageSize", "\(limit)")]))
        guard result.isSuccess else { return Screen("Queues", status: 400, [.problem(context.problem(result))]) }
        let emails = (result.json?["emails"]).elements
        let list: [ScreenBlock] =
            emails.isEmpty
            ? [.paragraph("No email waits to be sent, and no delivery was given up.")]
            : [
                .markup(
                    .table(
                        "Emails", ["Kind", "State", "Attempts", "Created", "Next attempt", "Failure"],
                        emails.reversed().map { row($0, context) }))
            ]
        return Screen("Queues", [.section("Emails", list)])
    }

    private static func row(_ email: JSONValue, _ context: ScreenContext) -> [Markup] {
        let time = { (member: ByteText) -> Markup in
            (email[member]?.text).flatMap(RFC3339.microsecondsSince1970).map { .time($0 / 1000, now: context.now) }
                ?? .text("")
        }
        let tenant = (email["tenantId"]?.text).map { [Markup.text(" "), .tag($0)] } ?? []
        return [
            .group([.text(email["kind"]?.text ?? "")] + tenant), .tag(email["state"]?.text ?? ""),
            .text(email["attempts"]?.text ?? ""), time("createdAt"), time("dueAt"),
            .isolated(email["failure"]?.text ?? ""),
        ]
    }
}
