internal import Encoding
internal import HTML
internal import JSON

/// Shows and changes how pages and emails present a project.
package enum BrandScreen {
    private static let fields = [
        FormField(
            "name", "Name",
            hint: "Users see it on pages and in emails. Empty: the name of the project. Only owners change it."),
        FormField(
            "color", "Colour of buttons",
            hint: "For example #1d4ea8. Text gets the same hue, dark or light enough to be read."),
        FormField("privacyUrl", "Privacy policy", hint: "An address that begins with https. Only owners change it."),
        FormField("termsUrl", "Terms of use", hint: "An address that begins with https. Only owners change it."),
        FormField(
            "supportUrl", "Support",
            hint: "An address that begins with https, or mailto: and an email address. Only owners change it."),
    ]

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(try context.catalog.call("getProjectConfig", in: project))
        guard let configuration = result.json, result.isSuccess else {
            return Screen("Brand", status: 400, [.problem(context.problem(result))])
        }
        let brand = configuration["brand"]
        let form = Form(
            "brand", button: "Save brand",
            fields.map { field in
                var field = field
                field.value = brand?[.init(field.name)]?.text ?? ""
                return field
            }, editsStoredValues: true, notice: "The brand was saved."
        ) { input in
            let changed = fields.map(\.name).filter { input.isChanged(.init($0)) }
            let members = changed.map { (ByteText($0), JSONValue.string(input[.init($0)].trimmed)) }
            return try context.catalog.call(
                "updateProjectConfig", in: project,
                query: [.init("updateMask", changed.map { "brand.\($0)" }.joined(separator: ","))],
                body: ["brand": .object(JSONObject(uniqueKeysWithValues: members))])
        }
        var screen = Screen(
            "Brand",
            [
                .markup(SettingsTabs.markup("Brand", context)), .section("How users see the project", [.form(form)]),
                .columns(BrandImageBlocks(project: project, brand: brand, context: context).blocks),
            ])
        screen.hasImages = true
        return screen
    }
}
