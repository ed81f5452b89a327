import Identity
import Testing

@testable import Pages

@Suite("Pages")
struct PageTests {
    @Test("Hostile values do not change the structure of a page", arguments: rows)
    func hostile(row: Row) {
        let script = #"</title></style>"><script>alert(1)</script>'&amp;"# + "\u{0}\u{202E}\r\n<!--"
        let hostile = Values(
            projectName: script, code: script, email: EmailAddress("a&'`{}/*b@example.com")!,
            url: #"https://app.example.com/"'><script>alert(1)</script>&lt;"#, project: ID(#"x"><script>/../"#),
            device: script, provider: script)
        let page = row.make(hostile).html
        #expect(Self.skeleton(page) == Self.skeleton(row.make(Values()).html))
        #expect(!page.contains("<script") && !page.contains("\u{0}"))
    }

    @Test("A page declares its language, and a Japanese page has no English words", arguments: rows)
    func languages(row: Row) {
        let pages = Language.allCases.map { row.make(Values(language: $0)).html }
        #expect(Set(pages).count == pages.count)
        for (page, language) in zip(pages, Language.allCases) {
            let direction = language == .arabic ? "rtl" : "ltr"
            #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"\(language.rawValue)\" dir=\"\(direction)\">"))
        }
        let japanese = row.make(Values(language: .japanese)).html
        let text = japanese.replacing(#/<style>.*?</style>|<[^>]*>/#, with: " ")
        let allowed = ["Demo", "example", "ada", "com", "UTC", "app"]
        let english = text.matches(of: #/[A-Za-z]{3,}/#).map { String($0.output) }.filter { !allowed.contains($0) }
        #expect(english == [])
    }

    @Test("In a pseudo-locale, every text of a page is in brackets, so it is in a table", arguments: rows)
    func pseudoLocales(row: Row) {
        for language in Language.pseudoLocales {
            let page = row.make(Values(language: language)).html
            let direction = language.isRightToLeft ? "rtl" : "ltr"
            #expect(page.contains("<html lang=\"\(language.rawValue)\" dir=\"\(direction)\">"))
            let values = #/<style>.*?</style>|<title>.*?</title>|<bdi>.*?</bdi>|<code>.*?</code>|<[^>]*>/#
            let text = page.replacing(values, with: " ")
            var depth = 0
            var unbracketed = ""
            for character in text {
                if character == "[" { depth += 1 }
                if depth == 0, character.isLetter { unbracketed.append(character) }
                if character == "]" { depth -= 1 }
            }
            #expect(unbracketed == "" && depth == 0, "\(text)")
        }
    }

    @Test(
        "A page has one heading and one main element, unique IDs, and a label for each visible input",
        arguments: rows, Language.allCases)
    func accessible(row: Row, language: Language) {
        Self.expectAccessible(row.make(Values(language: language)).html)
    }

    static func expectAccessible(_ text: String) {
        #expect(text.matches(of: /<h1>/).count == 1)
        #expect(text.matches(of: /<main id="content">/).count == 1)
        let ids = text.matches(of: #/ id="([^"]*)"/#).map { String($0.output.1) }
        #expect(Set(ids).count == ids.count)
        for reference in text.matches(of: #/ (?:for|aria-describedby|aria-labelledby)="([^"]*)"/#) {
            for id in reference.output.1.split(separator: " ") { #expect(ids.contains(String(id))) }
        }
        for input in text.matches(of: /<input [^>]*>/) where !input.output.contains(#"type="hidden""#) {
            let id = input.output.firstMatch(of: #/ id="([^"]*)"/#)?.output.1 ?? ""
            #expect(text.contains(#"<label for="\#(id)">"#))
            #expect(!input.output.contains("placeholder"))
        }
    }

    @Test("Every page has the brand's links in its footer, and only a failure the ID of the request", arguments: rows)
    func footer(row: Row) throws {
        let footer = try #require(row.make(Values()).html.firstMatch(of: /<\/main><footer>(.*)<\/footer>/)).output.1
        #expect(footer.contains(#"<ul><li><a href="mailto:code@example.com">Help</a></li><li>"#))
        let isFailure = Self.failures.contains { "\($0)" == row.testDescription }
        #expect(footer.contains("Request ID: <code>1a2b</code>") == isFailure)
    }

    @Test("The name of the brand replaces the name of the project, and no footer is shown without links")
    func brandName() {
        let context = Page.Context(language: .english, projectName: "demo", brand: Brand(name: "Acme"))
        let page = Page.forgotPassword(context).html
        #expect(
            page.contains(#"<p class="project"><bdi>Acme</bdi></p>"#) && !page.contains("demo")
                && !page.contains("<footer>"))
    }

    @Test("The logo has the name as its text, and another image for dark colours")
    func logo() {
        func image(_ id: String) -> BrandImage {
            BrandImage(id: ID(id), header: ImageHeader(stored: .png, width: 200, height: 50))
        }
        var brand = Brand(name: "A & B", logo: image("light"), darkLogo: image("dark"))
        func page(imageDirectory: String?) -> Page {
            .forgotPassword(
                Page.Context(
                    language: .english, projectName: "demo", brand: brand, imageDirectory: imageDirectory))
        }
        let html = page(imageDirectory: "assets/").html
        #expect(
            html.contains(
                #"""
                <p class="project"><picture><source media="(prefers-color-scheme: dark)" srcset="assets/dark">\#
                <img src="assets/light" alt="A &amp; B" width="200" height="50"></picture></p>
                """#))
        #expect(!html.contains("rel=\"icon\""))
        #expect(page(imageDirectory: nil).html.contains(#"<p class="project"><bdi>A &amp; B</bdi></p>"#))
        brand.logo = nil
        #expect(!page(imageDirectory: "assets/").html.contains("<img"), "a dark logo alone is not shown")
    }

    @Test("A rejected form has a summary that is announced, focused and linked to the field, and a title that says so")
    func rejectedForm() {
        let values = Values()
        let rejected = Page.forgotPassword(isInvalid: true, values.context).html
        #expect(rejected.contains("<title>Error: Reset your password – Demo</title>"))
        #expect(
            rejected.contains(
                #"""
                <div id="problem" role="alert" class="problem" tabindex="-1" autofocus><p><a href="#address">
                """#))
        #expect(rejected.matches(of: /autofocus/).count == 1)
        let hostile = Values(projectName: #"" id="problem""#, device: #"" id="problem""#).context
        #expect(Page.forgotPassword(hostile).html.contains("<title>Reset"))
        #expect(Page.forgotPassword(values.context).html.contains(##"<body><a class="skip" href="#content">"##))
    }

    @Test("The verification page offers \"This was not me\" until the address is verified")
    func disavowal() {
        let values = Values()
        for isVerified in [false, true] {
            let page = Page.verifyEmail(
                values.email, of: Self.account(isVerified: isVerified), methods: [], removable: [], .none, values.form,
                values.context)
            #expect(page.html.contains("This was not me") != isVerified)
            #expect(page.html.contains(#"<time datetime="2026-01-01T00:00:00.000Z">1 January 2026, 00:00 UTC</time>"#))
        }
    }

    /// Returns the tags in order, with the names of their attributes.
    static func skeleton(_ text: String) -> [String] {
        text.replacing(#/<style>.*?</style>/#, with: "").matches(of: #/<[^>]*>/#).map {
            String($0.output).replacing(#/="[^"]*"|='[^']*'/#, with: "")
        }
    }
}
