internal import Encoding
internal import HTML
internal import JSON

/// Shows and changes the identity providers of a project or tenant.
package enum ProvidersScreen {
    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let social = try await context.perform(
            try context.catalog.call("listDefaultSupportedIdpConfigs", in: context.realm))
        let openID = try await context.perform(try context.catalog.call("listOauthIdpConfigs", in: context.realm))
        let providers =
            (social.json?["defaultSupportedIdpConfigs"]).elements.map { Provider($0, isOpenID: false) }
            + (openID.json?["oauthIdpConfigs"]).elements.map { Provider($0, isOpenID: true) }
        let sections = providers.map { provider in
            ScreenBlock.section(
                provider.id,
                [
                    .markup(.details(provider.facts)), .form(settingsForm(provider, context)),
                    .details("Remove", [.form(removalForm(provider, context))]),
                ])
        }
        return Screen(
            "Providers",
            [.markup(SettingsTabs.markup("Providers", context))]
                + (sections.isEmpty ? [.paragraph("No provider is configured.")] : [.columns(sections)])
                + [.details("Add an OpenID provider", [.form(additionForm(context))])])
    }

    private struct Provider: Sendable {
        let id: String
        let isEnabled: Bool
        let clientIDs: [String]
        let facts: [(String, Markup)]
        let isOpenID: Bool

        init(_ configuration: JSONValue, isOpenID: Bool) {
            self.isOpenID = isOpenID
            id = configuration["name"]?.text?.split(separator: "/").last.map(String.init) ?? ""
            isEnabled = configuration["enabled"].isTrue
            let listed = configuration["clientIds"].elements.compactMap(\.text)
            clientIDs = listed.isEmpty ? [configuration["clientId"]?.text].compactMap(\.self) : listed
            let members: [(String, ByteText)] = [
                ("Name", "displayName"), ("Issuer", "issuer"),
            ]
            let relation = (configuration["relation"]?.text).map { ("Relation", Markup.text(Words.relation($0))) }
            facts =
                [("State", Markup.text(configuration["enabled"].isTrue ? "enabled" : "disabled"))]
                + members.compactMap { label, member in
                    configuration[member]?.text.map { (label, Markup.isolated($0)) }
                } + (relation.map { [$0] } ?? [])
        }

        /// The `operationId` for a verb such as `update`.
        func operation(_ verb: String) -> String { verb + (isOpenID ? "OauthIdpConfig" : "DefaultSupportedIdpConfig") }
    }

    private static func settingsForm(_ provider: Provider, _ context: ScreenContext) -> Form {
        Form(
            "provider-\(provider.id)", button: "Save \(provider.id)",
            [
                FormField("enabled", "Enabled", .checkbox, value: provider.isEnabled ? "true" : ""),
                FormField(
                    "clientIds", "Client IDs, one on each line", .lines(3),
                    value: provider.clientIDs.joined(separator: "\n")),
            ], editsStoredValues: true, notice: "The provider was saved."
        ) { input in
            let members: JSONObject = [
                "enabled": .bool(input.isChecked("enabled")),
                "clientIds": .array(input.lines("clientIds").map(JSONValue.string)),
            ]
            let changed = members.filter { input.isChanged($0.key) }
            return try context.catalog.call(
                provider.operation("update"), in: context.realm, parameters: ["idpId": provider.id],
                query: [.init("updateMask", changed.keys.map(\.rawValue).sorted().joined(separator: ","))],
                body: changed)
        }
    }

    private static func removalForm(_ provider: Provider, _ context: ScreenContext) -> Form {
        Form(
            "remove-\(provider.id)", button: "Remove \(provider.id)",
            [FormField("confirmed", "Users can no longer sign in with it", .checkbox, isRequired: true)],
            scopes: ["trust"], isDangerous: true, notice: "The provider was removed."
        ) { _ in
            try context.catalog.call(
                provider.operation("delete"), in: context.realm, parameters: ["idpId": provider.id])
        }
    }

    private static func additionForm(_ context: ScreenContext) -> Form {
        Form(
            "add-provider", button: "Add provider",
            [
                FormField("id", "ID", value: "oidc.", isRequired: true, hint: "It begins with oidc."),
                FormField("displayName", "Name"),
                FormField("issuer", "Issuer", isRequired: true, hint: "A URL, for example https://login.example.com."),
                FormField("clientId", "Client ID", isRequired: true),
            ], scopes: ["trust"], notice: "The provider was added."
        ) { input in
            try context.catalog.call(
                "createOauthIdpConfig", in: context.realm, query: [.init("oauthIdpConfigId", input["id"])],
                body: [
                    "displayName": .string(input["displayName"]), "issuer": .string(input["issuer"]),
                    "clientId": .string(input["clientId"]), "enabled": .bool(true),
                ])
        }
    }
}
