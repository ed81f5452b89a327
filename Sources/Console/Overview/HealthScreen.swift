internal import Encoding
internal import HTML
internal import JSON

/// What works in a project and its gateway, and what does not.
package enum HealthScreen {
    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let project = RealmName(project: context.realm.project, tenant: nil)
        let result = try await context.perform(try context.catalog.call("getProjectHealth", in: project))
        guard let health = result.json, result.isSuccess else {
            return Screen("Health", status: 400, [.problem(context.problem(result))])
        }
        let checks = health["checks"].elements
        let count = checks.count { !($0["state"]?.text ?? "").isExactly("ok") }
        let summary = count == 0 ? "Everything works." : "\(count) of \(checks.count) checks need attention."
        let rows = checks.map { check in
            let name = check["name"]?.text ?? ""
            return [
                Markup.text(labels[name] ?? name), .tag(check["state"]?.text ?? ""),
                .text(check["detail"]?.text ?? ""),
            ]
        }
        return Screen(
            "Health",
            [
                .paragraph(summary), .markup(.table("Checks", ["Part", "State", "Finding"], rows)),
                .paragraph("Version of this gateway: \(health["version"]?.text ?? "")"),
                .markup(
                    Markup(
                        .p, [.classes(["links"])],
                        [
                            .link(context.consolePath(["queues"]), .text("Queues")), .text(" "),
                            .link(context.consolePath(["events"]), .text("Events")),
                        ])),
            ])
    }

    private static let labels = [
        "database": "Database", "clock": "Clock", "signingKey": "Key that signs ID tokens", "emails": "Emails",
        "textMessages": "Text messages", "appleRevocations": "Revocations at Apple", "appleTokens": "Tokens of Apple",
        "eventDeliveries": "Deliveries of events", "eventEndpoints": "Endpoints for events",
    ]
}
