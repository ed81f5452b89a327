internal import Encoding
internal import HTML
internal import JSON

/// Lists, creates and deletes the tenants of a project.
package enum TenantsScreen {
    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(
            try context.catalog.call("listTenants", in: project, query: [.init("pageSize", "100")]))
        let tenants = (result.json?["tenants"]).elements
        let list: [ScreenBlock] =
            tenants.isEmpty
            ? [.paragraph("The project has no tenants.")]
            : [.markup(.table("Tenants", ["Tenant", "Name", "State"], tenants.map { row($0, project) }))]
        return Screen(
            "Tenants",
            [
                .markup(SettingsTabs.markup("Tenants", context)), .section("Tenants of this project", list),
                .section("New tenant", [.form(creationForm(project, context))]),
            ] + deletion(project, context))
    }

    private static func row(_ tenant: JSONValue, _ project: RealmName) -> [Markup] {
        let id = tenant["tenantId"]?.text ?? ""
        let realm = RealmName(project: project.project, tenant: id)
        return [
            .link(ConsolePath.text(realm, ["accounts"]), .isolated(id)),
            .isolated(tenant["displayName"]?.text ?? ""),
            .text(tenant["disableAuth"].isTrue ? "disabled" : "enabled"),
        ]
    }

    private static func creationForm(_ project: RealmName, _ context: ScreenContext) -> Form {
        Form(
            "create-tenant", button: "Create tenant",
            [
                FormField("displayName", "Name", isRequired: true, hint: "4 to 20 letters, digits and hyphens."),
                FormField("allowPasswordSignup", "Sign-in by password", .checkbox, value: "true"),
            ], notice: "The tenant was created."
        ) { input in
            try context.catalog.call(
                "createTenant", in: project,
                body: [
                    "displayName": .string(input["displayName"]),
                    "allowPasswordSignup": .bool(input.isChecked("allowPasswordSignup")),
                ])
        }
    }

    /// The form that deletes the tenant whose screens the user has chosen.
    private static func deletion(_ project: RealmName, _ context: ScreenContext) -> [ScreenBlock] {
        guard let tenant = context.realm.tenant else { return [] }
        let form = Form(
            "delete-tenant", button: "Delete the tenant",
            [FormField("confirmed", "Delete it with all its accounts", .checkbox, isRequired: true)],
            scopes: ["users.write"], isDangerous: true, notice: "The tenant was deleted.",
            nextPath: { _ in ConsolePath.text(project, ["tenants"]) }
        ) { _ in
            try context.catalog.call("deleteTenant", in: project, parameters: ["tenant": tenant])
        }
        return [.section("Delete tenant \(tenant)", [.form(form)])]
    }
}
