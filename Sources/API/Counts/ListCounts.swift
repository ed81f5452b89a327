internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// How often something happened in a project or tenant, by hour or by day, for charts.
    static let listCounts = administrator(
        "listCounts", .get, "/v1/projects/{project}/counts", needs: .readConfig
    ) { call, administrator in
        let range = try call.request.countRange()
        let report = try await call.services.counts.read(try call.request.countKinds(), range, administrator.realm.id)
        return try .json(CountReportResource(report))
    }
}

extension Request {
    fileprivate func countRange() throws(RequestRefusal) -> CountRange {
        guard let text = query("timeRange").nonEmpty else { return .last24Hours }
        guard let range = CountRange(rawValue: text) else {
            throw .invalidField("/timeRange", "must be \(CountRange.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return range
    }

    /// The kinds to read; all by default.
    fileprivate func countKinds() throws(RequestRefusal) -> Set<CountKind> {
        guard let list = query("kinds").nonEmpty else { return Set(CountKind.allCases) }
        let names = list.split(separator: ",", omittingEmptySubsequences: false)
        let kinds = names.compactMap { CountKind(rawValue: String($0)) }
        guard kinds.count == names.count else {
            throw .invalidField("/kinds", "must contain kinds of counts, separated by commas")
        }
        return Set(kinds)
    }
}

private struct CountReportResource: Encodable {
    struct Series: Encodable {
        let kind: String
        let label: String
        let total: Int64
        let counts: [Int64]
    }

    let timeRange: String
    let startTime: String
    let periodSeconds: Int64
    let series: [Series]

    init(_ report: CountReport) {
        timeRange = report.range.rawValue
        startTime = report.start.iso8601
        periodSeconds = report.range.step.seconds
        series = report.series.map {
            Series(kind: $0.kind.rawValue, label: $0.label, total: $0.total, counts: $0.counts)
        }
    }
}
