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

    /// The value of the field for the role that stands for no role.
    private static let noRole = "none"

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let people: [JSONValue]
        switch try await everyone(in: project, context) {
        case .success(let listed): people = listed
        case .failure(let rejection):
            return Screen("Administrators", status: 400, [.problem(context.problem(rejection.result))])
        }
        let isEverywhere = context.permissions?.operators.isExactly(project.project) == true
        let pages = AdministratorPages(people, context)
        let none =
            pages.search.isEmpty
            ? "No person has a role in this project alone." : "No person's address contains this text."
        let list = pages.people.isEmpty ? [.paragraph(none)] : pages.people.map { section(of: $0, project, context) }
        return Screen(
            "Administrators",
            invitation(context) + [
                .section(
                    isEverywhere ? "Invite a person for all projects" : "Invite a person for this project",
                    [.form(invitationForm(project, context))]),
                .section(
                    isEverywhere ? "People with a role in all projects" : "People with a role in this project",
                    scope(isEverywhere, context) + [.form(pages.searchForm(context))] + list
                        + pages.links(context)),
            ])
    }

    private struct Rejection: Error {
        let result: APIResult
    }

    /// Returns all people with a role in the project, in the order of their addresses. There are at most 200.
    private static func everyone(
        in project: RealmName, _ context: ScreenContext
    ) async throws -> Result<[JSONValue], Rejection> {
        var people: [JSONValue] = []
        var token: String?
        for _ in 0..<10 {
            let query = [APICall.Parameter("pageSize", "100")] + (token.map { [.init("pageToken", $0)] } ?? [])
            let result = try await context.perform(
                try context.catalog.call("listAdministrators", in: project, query: query))
            guard result.isSuccess else { return .failure(Rejection(result: result)) }
            people += (result.json?["administrators"]).elements
            token = result.json?["nextPageToken"]?.text
            if token == nil { break }
        }
        return .success(people.sorted { ($0["email"]?.text ?? "") < ($1["email"]?.text ?? "") })
    }

    /// Says to which projects the listed roles apply, and where the others are listed.
    private static func scope(_ isEverywhere: Bool, _ context: ScreenContext) -> [ScreenBlock] {
        guard let permissions = context.permissions else { return [] }
        if isEverywhere {
            return [.paragraph("A role here applies to every project, also to projects that are created later.")]
        }
        let operators = RealmName(project: permissions.operators, tenant: nil)
        let rest =
            permissions.actsEverywhere
            ? [
                Markup.text("You act here with your role in all projects. "),
                .link(
                    ConsolePath.text(operators, ["administrators"]), .text("People with a role in all projects")),
                .text(" act here too."),
            ] : [.text("People with a role in all projects act here too. They are not listed here.")]
        return [.markup(Markup(.p, rest))]
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

    /// The link of the invitation that the person has just made. No later page shows it.
    private static func invitation(_ context: ScreenContext) -> [ScreenBlock] {
        guard let link = context.provenResult else { return [] }
        return [
            .section(
                "Link of the invitation",
                [
                    .paragraph(
                        "Send this link to the person. It works once, for 24 hours, and only together with the person's mailbox. It is not shown again."
                    ), .markup(.commandLine(link)),
                ])
        ]
    }

    private static func invitationForm(_ project: RealmName, _ context: ScreenContext) -> Form {
        Form(
            "invite", button: "Invite",
            [
                FormField("email", "Email address", .email, isRequired: true),
                FormField("role", "Role", .choice(roles), value: "viewer"),
            ], isDangerous: true, notice: "The person is invited.",
            nextPath: { result in
                try context.path(context.path, showing: result.json?["invitationUri"]?.text ?? "")
            }
        ) { input in
            try context.catalog.call(
                "inviteAdministrator", in: project,
                body: ["email": .string(input["email"]), "role": .string(input["role"])])
        }
    }
}
