internal import Encoding
internal import HTML
internal import HTTP

/// Lists and filters the audit events of a project or tenant, newest first.
package enum AuditScreen {
    private static let pageSize = 50

    /// The filters: parameters of `listAuditEvents`, with their labels.
    private static let filters = [
        FormField("subject", "Subject", hint: "The ID of an account, app, provider, key, tenant or project."),
        FormField(
            "actor", "Actor",
            hint: "user, system, cli, key: and the ID of a service key, or administrator: and the ID of a person."),
        FormField("action", "Action", hint: "For example account.deleted."),
        FormField("since", "Since", hint: "A date or a time in UTC, for example 2026-01-31T12:00:00Z."),
        FormField("until", "Until"),
    ]

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let parameters = Self.parameters(of: context.request)
        let token = context.request.query("pageToken").map { [APICall.Parameter("pageToken", $0)] } ?? []
        let result = try await context.perform(
            try context.catalog.call(
                "listAuditEvents", in: context.realm,
                query: parameters + token + [.init("pageSize", "\(pageSize)")]))
        let next = (result.json?["nextPageToken"]?.text).map { token in
            ScreenBlock.markup(
                Markup(
                    .p, [.classes(["links"])],
                    [
                        .link(
                            context.consolePath(
                                ["audit"], parameters.map { ($0.name, $0.value) } + [("pageToken", token)]),
                            .text("Older"))
                    ]))
        }
        return Screen(
            "Audit trail",
            [
                .section("Find events", [.markup(searchForm(chosen(in: context.request), context))]),
                .section(
                    "Events",
                    [AuditTrailList.block(result, showsSubjects: true, context)] + [next].compactMap(\.self)),
                .markup(
                    Markup(
                        .p, [.classes(["links"])],
                        [
                            .link(
                                context.consolePath(["audit", "file"], parameters.map { ($0.name, $0.value) }),
                                .text("Download as JSON lines (the newest \(AuditFile.limit) of these events)"))
                        ])),
            ])
    }

    private static func chosen(in request: Request) -> [FormField] {
        filters.map { field in
            var field = field
            field.value = (request.query(.init(field.name)) ?? "").trimmed
            return field
        }
    }

    /// The chosen filters as parameters of `listAuditEvents`.
    static func parameters(of request: Request) -> [APICall.Parameter] {
        chosen(in: request).filter { !$0.value.isEmpty }.map { APICall.Parameter($0.name, $0.value) }
    }

    private static func searchForm(_ fields: [FormField], _ context: ScreenContext) -> Markup {
        let tenant = context.realm.tenant.map { Markup.void(.input, [.type("hidden"), .name("tenant"), .value($0)]) }
        let path = ConsolePath.text(.init(project: context.realm.project, tenant: nil), ["audit"])
        return Markup(
            .form, [.classes(["search"]), .role("search"), .action(URLReference(path))],
            [tenant].compactMap(\.self) + fields.map { $0.searchMarkup() }
                + [Markup(.button, [.type("submit")], text: "Search")])
    }
}
