import HTML
import Testing

@testable import Console

@Suite("Tables of the console")
struct TableTests {
    @Test("Each cell of a wide table has the heading of its column, unless it shows nothing")
    func headings() {
        let row: [Markup] = [.isolated("ada"), .text(""), .group([.tag("disabled")]), .isolated(""), .group([])]
        let html = Markup.table("Accounts", ["Account", "Sign-in", "State", "\"A\"", "B"], [row]).html
        let start = "<table class=\"wide\" aria-label=\"Accounts\"><thead><tr><th scope=\"col\">Account</th>"
        #expect(html.hasPrefix(start))
        #expect(
            html.hasSuffix(
                "<tr><td data-heading=\"Account\"><bdi>ada</bdi></td><td></td>"
                    + "<td data-heading=\"State\"><span><span class=\"tag\">disabled</span></span></td>"
                    + "<td><bdi></bdi></td><td><span></span></td>\n</tr></tbody></table>"), "\(html)")
    }

    @Test("A table of two columns fits narrow windows, so its cells have no heading")
    func narrow() {
        let html = Markup.table("Sign-ins", ["Hour", "Count"], [[.text("09:00"), .text("2")]]).html
        #expect(html.contains("<td>09:00</td><td>2</td>") && !html.contains("class"))
    }
}
