internal import Encoding
internal import HTML
internal import JSON

/// Lists the apps of a project, with their state under App Review guideline 4.8.
package enum AppsScreen {
    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(
            try context.catalog.call("listApps", in: project, query: [.init("pageSize", "100")]))
        let apps = (result.json?["apps"]).elements
        let list: [ScreenBlock] =
            apps.isEmpty
            ? [.paragraph("The project has no apps.")]
            : [
                .markup(
                    .table(
                        "Apps", ["App", "Platform", "Sign-in methods", "Guideline 4.8", "Report"],
                        apps.map { row($0, context) }))
            ]
        return Screen("Apps", [.markup(SettingsTabs.markup("Apps", context)), .section("Apps of this project", list)])
    }

    private static func row(_ app: JSONValue, _ context: ScreenContext) -> [Markup] {
        let id = app["appId"]?.text ?? ""
        let name = app["displayName"]?.text ?? ""
        let problems = (app["loginServices"]?["problems"]).elements.compactMap { $0["description"]?.text }
        let state: Markup =
            app["loginServices"]?["compliant"] == .bool(false)
            ? .group([
                Markup(.span, [.classes(["bad"])], text: "violated"),
                .isolated(problems.isEmpty ? "" : ": " + problems.joined(separator: "; ")),
            ]) : .text("met")
        return [
            .group([.isolated(id), .text(" "), .isolated(name)]),
            .text(Words.platform(app["platform"]?.text ?? "")),
            .text(app["signInMethods"].elements.compactMap(\.text).map(Words.method).joined(separator: ", ")), state,
            .link(context.consolePath(["apps", "review"], [("id", id)]), .text("App Review")),
        ]
    }
}
