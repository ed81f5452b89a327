import Identity
import Testing

@Suite("Brands")
struct BrandTests {
    @Test(
        "A link is an https URL, and only the link to help can be an email address",
        arguments: [
            ("https://example.com/privacy?lang=en#data", true, true), ("https://example.com", true, true),
            ("mailto:help+app@example.com", false, true), ("mailto:", false, false),
            ("mailto:help@example.com?subject=x", false, false), ("mailto:a@example.com,b@example.com", false, false),
            ("mailto:%61@example.com", false, false), ("MAILTO:help@example.com", false, false),
            ("help@example.com", false, false), ("http://example.com", false, false), ("/privacy", false, false),
            ("//example.com", false, false), ("https://user@example.com", false, false), ("https://", false, false),
            ("javascript:alert(1)", false, false), ("https://example.com\\@evil.example", false, false),
            ("https://example.com/ x", false, false), ("https://example.com/#\\", false, false),
            ("https://例.jp", false, false), ("", false, false), ("#", false, false),
            ("https://example.com/" + String(repeating: "a", count: 2048), false, false),
        ])
    func links(text: String, isURL: Bool, isSupportLink: Bool) {
        #expect(BrandLink(text)?.text == (isURL ? text : nil))
        #expect(BrandLink(text, acceptsEmail: true)?.text == (isSupportLink ? text : nil))
    }

    @Test(
        "A colour is # and six hexadecimal digits",
        arguments: [
            ("#1d4ea8", "#1d4ea8"), ("#FFFFFF", "#ffffff"), ("#000001", "#000001"), ("1d4ea8", nil), ("#fff", nil),
            ("#1d4ea8ff", nil), ("#1d4ea", nil), ("#1d4eg8", nil), ("#+d4ea8", nil), ("red", nil), ("", nil),
            ("#１２３４５６", nil),
        ] as [(String, String?)])
    func colors(text: String, expected: String?) {
        #expect(RGBColor(text)?.text == expected)
    }

    @Test("An app's brand replaces the members that it sets; other apps and the project have the project's brand")
    func apps() {
        var configuration = ConfigurationTests.valid
        configuration.realm.project.brand = Brand(
            name: "Acme", color: RGBColor("#112233"), privacy: BrandLink("https://acme.example/privacy"))
        configuration.apps[0].app.settings.brand = Brand(
            name: "Acme Go", terms: BrandLink("https://acme.example/go"))
        let project = configuration.realm.project
        #expect(project.brand(of: nil) == project.brand)
        #expect(project.brand(of: ID("other")) == project.brand)
        #expect(
            project.brand(of: ConfigurationTests.app)
                == Brand(
                    name: "Acme Go", color: RGBColor("#112233"), privacy: BrandLink("https://acme.example/privacy"),
                    terms: BrandLink("https://acme.example/go")))
    }
}
