import Testing

@Suite("Texts of pages and emails")
struct TextLiteralTests {
    /// Files with words outside the tables, and the reason.
    private static let exceptions = [
        "Sources/Pages/AuthorizationFlows/SDKFrame.swift": "the title of a frame that no user sees"
    ]

    @Test("No page and no email has words outside the tables")
    func literals() throws {
        let words = /(?:text: |\.text\(|Text\(|isolated\()"[^"]*[A-Za-z]{2}[^"]*"/
        let files = try ["Pages", "Email"].flatMap { try Repository.files(in: "Sources/\($0)", ending: ".swift") }
        let found = try files.filter { try Repository.text($0).firstMatch(of: words) != nil }
        #expect(Set(found) == Set(Self.exceptions.keys))
    }

    @Test("Only tables, plural rules, names and styles of languages, and an image of Apple depend on a language")
    func languages() throws {
        let names = /\.(?:japanese|german|french|spanish|portuguese|italian|korean|simplifiedChinese|arabic)\b/
        let files = try ["Pages", "Email", "API"].flatMap {
            try Repository.files(in: "Sources/\($0)", ending: ".swift")
        }
        let found = try files.filter { try Repository.text($0).firstMatch(of: names) != nil }
        #expect(
            Set(found.filter { !$0.hasPrefix("Sources/API/ErrorTexts/") }) == [
                "Sources/Pages/Page/Language+Option.swift", "Sources/Pages/SignIn/ProviderButton.swift",
                "Sources/Pages/Style/LanguageStyle.swift",
                "Sources/Pages/Texts/PluralCategory.swift", "Sources/Pages/Texts/TextKey.swift",
            ])
    }
}
