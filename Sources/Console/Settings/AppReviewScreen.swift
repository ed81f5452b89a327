internal import Encoding
internal import HTML
internal import JSON

/// How an app meets the App Review guidelines about sign-in, for the developer who answers App Review.
package enum AppReviewScreen {
    package static func screen(of app: String, _ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(
            try context.catalog.call("getAppReview", in: project, parameters: ["appId": app]))
        guard let review = result.json, result.isSuccess else {
            return Screen("App Review", status: 400, [.problem(context.problem(result))])
        }
        let rows = review["points"].elements.map { point in
            [
                Markup.text(point["guideline"]?.text ?? ""), .tag(point["status"]?.text ?? ""),
                .isolated(point["text"]?.text ?? ""),
            ]
        }
        return Screen(
            "App Review: \(app)",
            [
                .markup(SettingsTabs.markup("Apps", context)),
                .paragraph(
                    review["passes"].isTrue
                        ? "The app violates no guideline. Points that are open need a declaration or a look."
                        : "The app violates a guideline."),
                .markup(.table("Guidelines", ["Guideline", "Status", "Finding"], rows)),
            ])
    }
}
