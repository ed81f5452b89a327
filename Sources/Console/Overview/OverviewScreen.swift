internal import Encoding
internal import HTML
internal import HTTP
internal import JSON

/// Shows how often something happened in a project or tenant.
package enum OverviewScreen {
    private static let ranges = [
        ("24 hours", "LAST_24_HOURS"), ("30 days", "LAST_30_DAYS"), ("365 days", "LAST_365_DAYS"),
    ]

    package static func screen(_ context: ScreenContext) async throws -> Screen {
        let range = ranges.first { $0.1 == context.request.query("range") } ?? ranges[0]
        let result = try await context.perform(
            try context.catalog.call("listCounts", in: context.realm, query: [.init("timeRange", range.1)]))
        guard let report = CountReport(result.json), result.isSuccess else {
            return Screen("Overview", status: 400, [.problem(context.problem(result))])
        }
        let tabs = ScreenBlock.markup(tabs(range.1, context))
        guard !report.isEmpty else {
            return Screen("Overview", [tabs, .paragraph("Nothing was counted in the last \(range.0).")])
        }
        return Screen("Overview", [tabs, .columns(sections(report))])
    }

    /// The sign-ins of the last 24 hours, for another screen.
    package static func signIns(_ context: ScreenContext) async throws -> [ScreenBlock] {
        let result = try await context.perform(
            try context.catalog.call("listCounts", in: context.realm, query: [.init("kinds", "signIns")]))
        guard let report = CountReport(result.json), result.isSuccess else {
            return [.problem(context.problem(result))]
        }
        guard !report.isEmpty else { return [.paragraph("No sign-ins in the last 24 hours.")] }
        return [.markup(chart("signIns", "Sign-ins", report))]
    }

    private static func tabs(_ current: String, _ context: ScreenContext) -> Markup {
        let items = ranges.map { label, range in
            Markup(
                .li,
                [
                    Markup(
                        .a,
                        [.href(URLReference(context.consolePath(["overview"], [("range", range)])))]
                            + (range == current ? [.currentPage] : []), text: label)
                ])
        }
        return Markup(.nav, [.label("Range")], [Markup(.ul, [.classes(["tabs"])], items)])
    }

    private static func sections(_ report: CountReport) -> [ScreenBlock] {
        [
            section(
                "Sign-ups", [chart("signUps", "Sign-ups", report)],
                bars("signUps", "by method", "Method", report, Words.method)),
            section(
                "Sign-ins", [chart("signIns", "Sign-ins", report)],
                bars("signIns", "by method", "Method", report, Words.method)),
            section("Active accounts", [chart("activeAccounts", "Active accounts", report)], []),
            section(
                "Rejected requests", [chart("refusals", "Rejected requests", report)],
                bars("refusals", "by error code", "Error code", report)),
            section("Durations of requests", [], bars("latency", "by duration", "Duration", report, duration)),
            section("Sign in with Apple", [], bars("appleTokens", "by result", "Result", report, Words.state)),
            section("Emails", [], bars("emails", "by result", "Result", report, Words.state)),
        ]
    }

    private static func section(_ title: String, _ columns: [Markup], _ bars: [Markup]) -> ScreenBlock {
        let charts = columns + bars
        return .section(title, charts.isEmpty ? [.paragraph("None.")] : charts.map { .markup($0) })
    }

    private static func chart(_ kind: String, _ title: String, _ report: CountReport) -> Markup {
        ColumnChart(id: "\(kind)-chart", title: title, periods: report.periods, counts: report.sums(of: kind)).markup
    }

    /// - Returns: no chart if nothing of this kind was counted.
    private static func bars(
        _ kind: String, _ distinction: String, _ heading: String, _ report: CountReport,
        _ name: (String) -> String = { $0 }
    ) -> [Markup] {
        let bars = report.bars(of: kind, name)
        guard !bars.isEmpty else { return [] }
        let nouns = [
            "signUps": "Sign-ups", "signIns": "Sign-ins", "refusals": "Rejected requests", "latency": "Requests",
            "appleTokens": "Tokens of Apple", "emails": "Emails",
        ]
        return [
            BarChart(
                id: "\(kind)-bars", title: "\(nouns[kind] ?? kind) \(distinction)", heading: heading, bars: bars,
                limit: kind == "latency" ? 12 : 8
            ).markup
        ]
    }

    private static func duration(_ label: String) -> String {
        label == "slower" ? "more than 10,000 ms" : "up to \(Int64(label)?.grouped ?? label) ms"
    }
}
