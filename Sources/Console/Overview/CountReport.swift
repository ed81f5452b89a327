internal import Encoding
internal import JSON

/// The response of `listCounts`.
struct CountReport {
    struct Series {
        let label: String
        let total: Int64
        let counts: [Int64]
    }

    let periods: ChartPeriods
    private let series: [String: [Series]]

    /// - Returns: `nil` if the response is not that of `listCounts`.
    init?(_ json: JSONValue?) {
        guard let start = json?["startTime"]?.text.flatMap(RFC3339.microsecondsSince1970),
            let step = json?["periodSeconds"]?.integer, step > 0
        else { return nil }
        var series: [String: [Series]] = [:]
        for element in (json?["series"]).elements {
            guard let kind = element["kind"]?.text, let total = element["total"]?.integer else { continue }
            series[kind, default: []].append(
                Series(
                    label: element["label"]?.text ?? "", total: total,
                    counts: element["counts"].elements.map { $0.integer ?? 0 }))
        }
        self.series = series
        periods = ChartPeriods(
            start: start / 1_000_000, step: step, count: series.values.first?.first?.counts.count ?? 0)
    }

    var isEmpty: Bool { series.isEmpty }

    /// The sums of all labels of a kind, by period.
    func sums(of kind: String) -> [Int64] {
        (series[kind] ?? []).reduce(into: Array(repeating: 0, count: periods.count)) { sums, series in
            for (period, count) in series.counts.prefix(sums.count).enumerated() { sums[period] += count }
        }
    }

    /// The totals of the labels of a kind, in the order of the response.
    func bars(of kind: String, _ name: (String) -> String = { $0 }) -> [BarChart.Bar] {
        (series[kind] ?? []).map { BarChart.Bar(name($0.label), $0.total) }
    }
}

extension JSONValue {
    fileprivate var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}
