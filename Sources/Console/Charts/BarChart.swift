package import HTML

/// A chart with one horizontal bar for each label, as inline SVG. The numbers follow in a table.
package struct BarChart: Sendable {
    package struct Bar: Sendable {
        let label: String
        let count: Int64

        package init(_ label: String, _ count: Int64) {
            self.label = label
            self.count = count
        }
    }

    /// Unique on the page.
    let id: String
    /// For example `Sign-ins by method`.
    let title: String
    /// The heading of the labels in the table: `Method`.
    let heading: String
    let bars: [Bar]

    /// - Parameter limit: the maximum number of bars. Further ones become one bar, `other`.
    package init(id: String, title: String, heading: String, bars: [Bar], limit: Int = 8) {
        self.id = id
        self.title = title
        self.heading = heading
        let rest = bars.dropFirst(limit)
        self.bars = bars.prefix(limit) + (rest.isEmpty ? [] : [Bar("other", rest.reduce(0) { $0 + $1.count })])
    }

    // In units of SVG, as in ``ColumnChart``.
    private static let (width, rowHeight, barHeight, longestLabel) = (288, 34, 8, 34)

    package var markup: Markup {
        Markup(
            .figure, [.classes(["chart"])],
            [
                Markup(.figcaption, text: title), svg,
                Markup(
                    .details,
                    [
                        Markup(.summary, [.label("Numbers: \(title)")], text: "Numbers"),
                        .table(
                            title, [heading, "Count"], bars.map { [.isolated($0.label), .text($0.count.grouped)] }),
                    ]),
            ])
    }

    private var svg: Markup {
        let titleID = ElementID("\(id)-title")
        let list = bars.map { "\($0.label) \($0.count.grouped)" }.joined(separator: ", ")
        let highest = max(1, bars.map(\.count).max() ?? 0)
        return Markup(
            .svg,
            [
                .viewBox(width: Self.width, height: max(1, bars.count) * Self.rowHeight), .role("img"),
                .labelledBy(titleID),
            ],
            [Markup(.title, [.id(titleID)], text: "\(title): \(list).")]
                + bars.enumerated().flatMap { index, bar in Self.row(bar, at: index * Self.rowHeight, highest) })
    }

    /// The label and the count above the bar.
    private static func row(_ bar: Bar, at top: Int, _ highest: Int64) -> [Markup] {
        let length = max(bar.count > 0 ? 1 : 0, Int(Double(width) * Double(bar.count) / Double(highest)))
        let label = bar.label.count > longestLabel ? bar.label.prefix(longestLabel - 1) + "…" : bar.label
        return [
            Markup(.text, [.x(0), .y(top + 16)], text: label),
            Markup(.text, [.x(width), .y(top + 16), .anchorEnd], text: bar.count.grouped),
            Markup(.rect, [.x(0), .y(top + 22), .width(length), .height(barHeight)]),
        ]
    }
}
