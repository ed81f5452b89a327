import HTML
import Testing

@testable import Console

@Suite("Charts")
struct ChartTests {
    /// 2027-01-15 08:00:00 UTC.
    private static let start: Int64 = 1_800_000_000
    private static let hours = ChartPeriods(start: start, step: 3600, count: 4)

    @Test("A column chart has a title with its range, its sum and its highest count, and labels its highest column")
    func columns() {
        let html = ColumnChart(id: "a", title: "Sign-ins", periods: Self.hours, counts: [0, 2, 1000, 1]).markup.html
        #expect(
            html.contains(
                "<title id=\"a-title\">Sign-ins per hour, 15 Jan, 08:00 to 15 Jan, 11:00 UTC: 1,003 in total, "
                    + "at most 1,000 per hour.</title>"))
        #expect(html.contains("<svg viewBox=\"0 0 288 132\" role=\"img\" aria-labelledby=\"a-title\">"))
        #expect(html.contains("text-anchor=\"middle\">1,000</text>"))
        #expect(html.contains("<strong>1,003</strong> sign-ins"))
        #expect(html.contains("<td>15 Jan, 09:00</td><td>2</td>"))
    }

    @Test("A column has a share of the height, and at least one unit unless nothing was counted")
    func heights() {
        let html = ColumnChart(id: "a", title: "A", periods: Self.hours, counts: [0, 500, 1000, 1]).markup.html
        #expect(html.contains("<path d=\"M78 108V64h60V108zM150 108V20h60V108zM222 108V107h60V108z\">"))
    }

    @Test("A chart without counts has no columns, and still its periods")
    func zeros() {
        let html = ColumnChart(id: "a", title: "A", periods: Self.hours, counts: [0, 0, 0, 0]).markup.html
        #expect(html.contains("<path d=\"\">") && html.contains(">15 Jan, 08:00</text>"))
    }

    @Test("The table of a year has a row for each month")
    func months() {
        let year = ChartPeriods(start: Self.start, step: 86_400, count: 365)
        let rows = year.rows(Array(repeating: 1, count: 365))
        #expect(rows.count == 13)
        #expect(rows[0] == (label: "Jan 2027", count: 17))
        #expect(rows[1] == (label: "Feb 2027", count: 28))
        #expect(rows[12] == (label: "Jan 2028", count: 14))
    }

    @Test("A day is named with its year, an hour without it")
    func labels() {
        #expect(Self.hours.label(of: 1) == "15 Jan, 09:00")
        #expect(ChartPeriods(start: Self.start, step: 86_400, count: 2).label(of: 1) == "16 Jan 2027")
    }

    @Test("A bar chart shows label and count of each bar, and the bars beyond its limit as one")
    func bars() {
        let bars = (1...4).map { BarChart.Bar("label\($0)", Int64(50 - 10 * $0)) }
        let html = BarChart(id: "b", title: "Codes", heading: "Code", bars: bars, limit: 2).markup.html
        #expect(html.contains("<title id=\"b-title\">Codes: label1 40, label2 30, other 30.</title>"))
        #expect(html.contains("<rect x=\"0\" y=\"22\" width=\"288\" height=\"8\">"))
        #expect(html.contains("<rect x=\"0\" y=\"56\" width=\"216\" height=\"8\">"))
        #expect(html.contains("<td><bdi>other</bdi></td><td>30</td>"))
    }

    @Test("A long label is shortened in the picture only")
    func longLabel() {
        let label = String(repeating: "A", count: 40)
        let html = BarChart(id: "b", title: "T", heading: "H", bars: [.init(label, 1)]).markup.html
        #expect(html.contains(">\(String(repeating: "A", count: 33))…</text>"))
        #expect(html.contains("<td><bdi>\(label)</bdi></td>"))
    }

    @Test("Labels are escaped")
    func escaping() {
        let html = BarChart(id: "b", title: "T", heading: "H", bars: [.init("<script>", 1)]).markup.html
        #expect(!html.contains("<script>"))
    }

    @Test(
        "Thousands are separated by commas",
        arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (-1000, "-1,000")])
    func grouping(number: Int64, text: String) {
        #expect(number.grouped == text)
    }
}
