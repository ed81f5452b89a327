internal import Encoding
internal import HTML
internal import HTTP
internal import JSON

/// The people with a role in a project. The operators' project stands for all projects.
package enum AdministratorsScreen {
    private static let roles = [
        FormField.Choice("viewer", "Viewer: reads"),
        .init("support", "Support: also disables accounts, signs users out, sends emails"),
        .init("administrator", "Administrator: also edits accounts and settings"),
        .init("owner", "Owner: also manages administrators, keys and secrets"),
    ]

    /// The maximum number of people on a page, so that the page stays below 40 KiB.
    private static let pageSize = 12
    /// The value of the field for the role that stands for no role.
    private static let noRole = "none"

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let token = context.request.query("pageToken").map { [APICall.Parameter("pageToken", $0)] } ?? []
        let result = try await context.perform(
            try context.catalog.call(
                "listAdministrators", in: project, query: [.init("pageSize", "\(pageSize)")] + token))
        guard result.isSuccess else {
            return Screen("Administrators", status: 400, [.problem(context.problem(result))])
        }
        let people = (result.json?["administrators"]).elements
        let list: [ScreenBlock] =
            people.isEmpty
            ? [.paragraph("No person has a role in this project alone.")]
            : people.map { section(of: $0, project, context) }
        return Screen(
            "Administrators",
            [
                .section("People with a role in this project", list + pageLinks(result, context)),
                .section("Invite a person", [.form(invitationForm(project, context))]),
            ])
    }

    private static func pageLinks(_ result: APIResult, _ context: ScreenContext) -> [ScreenBlock] {
        let isFirst = context.request.query("pageToken") == nil
        let first = isFirst ? [] : [Markup.link(context.consolePath(["administrators"]), .text("First page"))]
        let next = (result.json?["nextPageToken"]?.text).map { token in
            [Markup.link(context.consolePath(["administrators"], [("pageToken", token)]), .text("Next page"))]
        }
        let links = first + (next ?? [])
        return links.isEmpty
            ? [] : [.markup(Markup(.p, [.classes(["links"])], links.flatMap { [$0, .text(" ")] }))]
    }

    private static func section(of person: JSONValue, _ project: RealmName, _ context: ScreenContext) -> ScreenBlock {
        let id = person["localId"]?.text ?? ""
        let end = (person["invitationExpiresAt"]?.text).flatMap(RFC3339.microsecondsSince1970)
        let invited = end.map { [("Invited until", Markup.time($0 / 1000, now: context.now))] } ?? []
        let role = person["role"]?.text ?? ""
        let change = Form(
            "role-\(id)", button: "Change the role",
            [
                FormField(
                    "role", "Role", .choice(roles + [.init(noRole, "No role: loses all access to this project")]),
                    value: role)
            ], editsStoredValues: true, isDangerous: true, notice: "The role was changed."
        ) { input in
            guard !input["role"].isExactly(noRole) else {
                return try context.catalog.call("removeAdministrator", in: project, parameters: ["localId": id])
            }
            return try context.catalog.call(
                "updateAdministrator", in: project, parameters: ["localId": id],
                body: ["role": .string(input["role"])])
        }
        return .section(
            person["email"]?.text ?? id,
            [
                .markup(.details([("Role", .tag(role))] + invited)),
                .details("Change or remove the role", [.form(change)]),
            ])
    }

    private static func invitationForm(_ project: RealmName, _ context: ScreenContext) -> Form {
        Form(
            "invite", button: "Invite",
            [
                FormField("email", "Email address", .email, isRequired: true),
                FormField("role", "Role", .choice(roles), value: "viewer"),
            ], isDangerous: true, notice: "The person is invited",
            resultMarkup: { result, _ in
                [
                    .paragraph(
                        "Send this link to the person. It works once, for 24 hours, and only together with the person's mailbox."
                    ),
                    .markup(.commandLine(result.json?["invitationUri"]?.text ?? "")),
                    .markup(Markup(.p, [.link(context.path, .text("All administrators"))])),
                ]
            }
        ) { input in
            try context.catalog.call(
                "inviteAdministrator", in: project,
                body: ["email": .string(input["email"]), "role": .string(input["role"])])
        }
    }
}
