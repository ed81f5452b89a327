package import HTML

/// A chart with one column for each period, as inline SVG. The numbers follow in a table.
package struct ColumnChart: Sendable {
    /// Unique on the page.
    let id: String
    /// What is counted, as a plural: `Sign-ins`.
    let title: String
    let periods: ChartPeriods
    /// One for each period.
    let counts: [Int64]

    package init(id: String, title: String, periods: ChartPeriods, counts: [Int64]) {
        self.id = id
        self.title = title
        self.periods = periods
        self.counts = counts
    }

    /// In units of SVG. A window of 320 pixels shows one unit as about 0.9 pixels, wide windows as about 1.8.
    private static let (width, height, top, bottom) = (288, 132, 20, 108)

    package var markup: Markup {
        Markup(
            .figure, [.classes(["chart"])],
            [
                Markup(
                    .figcaption, [Markup(.strong, text: total.grouped), .text(" \(title.lowercasedFirst)")]),
                svg,
                Markup(
                    .details,
                    [
                        Markup(.summary, [.label("Numbers: \(title)")], text: "Numbers"),
                        .table(title, [periods.rowHeading, title], rows),
                    ]),
            ])
    }

    private var total: Int64 { counts.reduce(0, +) }
    private var highest: Int64 { counts.max() ?? 0 }

    private var rows: [[Markup]] { periods.rows(counts).map { [.text($0.label), .text($0.count.grouped)] } }

    /// What a screen reader says in place of the picture.
    private var description: String {
        let range = "\(periods.label(of: 0)) to \(periods.label(of: max(0, periods.count - 1))) UTC"
        return "\(title) per \(periods.unit), \(range): \(total.grouped) in total, "
            + "at most \(highest.grouped) per \(periods.unit)."
    }

    private var svg: Markup {
        let titleID = ElementID("\(id)-title")
        return Markup(
            .svg, [.viewBox(width: Self.width, height: Self.height), .role("img"), .labelledBy(titleID)],
            [
                Markup(.title, [.id(titleID)], text: description), Markup(.path, [.shape(columns)]), baseline,
            ] + labels)
    }

    private var baseline: Markup {
        Markup(.line, [.x1(0), .x2(Self.width), .y1(Self.bottom), .y2(Self.bottom)])
    }

    /// All columns as one shape. A count that is not zero is at least one unit high.
    private var columns: [PathCommand] {
        let slot = Self.width * 10 / max(1, counts.count)
        let gap = counts.count > 100 ? 0 : max(5, slot / 6)
        return counts.enumerated().flatMap { index, count -> [PathCommand] in
            guard count > 0 else { return [] }
            let x = Self.width * 10 * index / counts.count + gap / 2
            return [
                .move(x: x, y: Self.bottom * 10), .vertical(to: y(of: count)), .horizontal(by: slot - gap),
                .vertical(to: Self.bottom * 10), .close,
            ]
        }
    }

    /// The upper edge of a column, in tenths.
    private func y(of count: Int64) -> Int {
        let height = Double((Self.bottom - Self.top) * 10) * Double(count) / Double(max(1, highest))
        return Self.bottom * 10 - max(10, Int(height))
    }

    /// The highest count above its column, and the first and the last period below the line.
    private var labels: [Markup] {
        let first = Markup(.text, [.x(0), .y(Self.height - 8)], text: periods.label(of: 0))
        let last = Markup(
            .text, [.x(Self.width), .y(Self.height - 8), .anchorEnd],
            text: periods.label(of: max(0, periods.count - 1)))
        guard highest > 0, let peak = counts.firstIndex(of: highest) else { return [first, last] }
        let center = Self.width * (2 * peak + 1) / (2 * counts.count)
        let (x, anchor): (Int, [Attribute]) =
            center < 40 ? (0, []) : center > Self.width - 40 ? (Self.width, [.anchorEnd]) : (center, [.anchorMiddle])
        return [
            Markup(.text, [.x(x), .y(Self.top - 6)] + anchor, text: highest.grouped), first, last,
        ]
    }
}

extension String {
    /// The text with a small first letter, for the middle of a sentence.
    var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
