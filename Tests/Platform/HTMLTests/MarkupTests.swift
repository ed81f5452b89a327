import HTML
import Testing

@Suite("HTML")
struct MarkupTests {
    @Test("Text and attribute values are escaped")
    func escaping() {
        let hostile = "<a href=\"x\">'&amp;\0</a>"
        let escaped = "&lt;a href=&quot;x&quot;&gt;&#39;&amp;amp;\u{FFFD}&lt;/a&gt;"
        let markup = Markup(.p, [.title(hostile), .name(hostile)], [.text(hostile), .void(.br)])
        #expect(markup.html == "<p title=\"\(escaped)\" name=\"\(escaped)\">\(escaped)<br></p>")
    }

    @Test("Styles and scripts, which must be constants, are not escaped")
    func constants() {
        #expect(Markup.script("a<b").html == "<script>a<b</script>")
        #expect(Markup.style("a>b{}").html == "<style>a>b{}</style>")
    }

    @Test("A quote is escaped even if a combining character follows")
    func combining() {
        #expect(Markup(.p, [.title("\"\u{301}><script>")]).html == "<p title=\"&quot;\u{301}&gt;&lt;script&gt;\"></p>")
    }

    @Test(
        "A URL is accepted only if it is relative or has the scheme http or https",
        arguments: [
            ("https://example.com/?a=b&c:d#e", true), ("HTTP://example.com", true), ("action", true), ("a/b:c", true),
            ("/a?b:c", true), ("", true), ("javascript:alert(1)", false), ("JavaScript:alert(1)", false),
            (" javascript:alert(1)", false), ("java\nscript:alert(1)", false), ("data:text/html,x", false),
            (":", false),
        ])
    func urls(text: String, isAllowed: Bool) {
        #expect(URLReference(text).text == (isAllowed ? text : "about:invalid"))
    }

    @Test(
        "An app link is accepted only if its scheme is http, https, or one that browsers do not handle themselves",
        arguments: [
            ("com.example.app:/callback", true), ("https://example.com/", true), ("http://[::1]/", true),
            ("callback", false), (":", false), ("javascript:alert(1)", false), (" javascript:alert(1)", false),
            ("java\nscript:alert(1)", false), ("DATA:text/html,x", false),
        ])
    func appLinks(text: String, isAllowed: Bool) {
        #expect(URLReference(appLink: text).text == (isAllowed ? text : "about:invalid"))
    }

    @Test(
        "A link of a brand is accepted only if its scheme is https or mailto",
        arguments: [
            ("https://example.com/", true), ("mailto:help@example.com", true), ("http://example.com/", false),
            ("help", false), ("https", false), ("", false), ("javascript:alert(1)", false),
            (" https://example.com", false),
        ])
    func webOrEmail(text: String, isAllowed: Bool) {
        #expect(URLReference(webOrEmail: text).text == (isAllowed ? text : "about:invalid"))
    }

    @Test("Coordinates of SVG paths have at most one decimal")
    func paths() {
        let shape: [PathCommand] = [.move(x: 0, y: 1080), .vertical(to: 205), .horizontal(by: -55), .close]
        #expect(Markup(.path, [.shape(shape)]).html == "<path d=\"M0 108V20.5h-5.5z\"></path>")
    }

    @Test("A document declares its language and its encoding")
    func document() {
        #expect(
            Markup.document(language: "ja", head: [Markup(.title, text: "<")], body: Markup(.body, text: "あ")) == """
                <!DOCTYPE html>
                <html lang="ja" dir="ltr"><head><meta charset="utf-8"><title>&lt;</title></head><body>あ</body></html>

                """)
    }
}
