internal import Gateway
internal import Identity
internal import Storage

extension Command {
    private static let ranges: [(name: String, range: CountRange)] = [
        ("24h", .last24Hours), ("30d", .last30Days), ("365d", .last365Days),
    ]

    static let listCounts = Command(
        words: ["counts", "list"],
        summary: "List how often something happened in a project",
        options: [
            .project, .tenant,
            .choice("range", "RANGE", ranges.map(\.name), "the last hours or days", default: "24h"),
            .choice("kind", "KIND", CountKind.allCases.map(\.rawValue), "only this kind", defaultNote: "all"), .json,
        ],
        details: ["A gateway stores its counts about once a minute. The hours and days are those of UTC."],
        environment: ["DATABASE_URL"]
    ) { arguments in
        let realm = try arguments.realm()
        let name = try arguments.text("range")
        let range = ranges.first { $0.name == name }?.range ?? .last24Hours
        let kinds = arguments.optionalText("kind").flatMap(CountKind.init).map { Set([$0]) }
        try Administration.run { administration in
            guard try await administration.projects.realm(realm) != nil else {
                throw Failure(message: "project or tenant \(realm) does not exist")
            }
            let now = administration.clock.now()
            let stored = try await CountStore(pool: administration.pool).counts(
                of: kinds ?? Set(CountKind.allCases), in: range, at: now, of: realm)
            try Terminal.writeList(
                [["KIND", "LABEL", "TOTAL"]]
                    + CountReport(stored, in: range, at: now).series.map {
                        [$0.kind.rawValue, $0.label, String($0.total)]
                    }, arguments)
        }
    }
}
