import Identity
import Testing

@Suite("Languages")
struct LanguageTests {
    @Test(
        "A tag is looked up as in RFC 4647: its longest beginning that is a supported language applies",
        arguments: [
            ("en", .english), ("en-GB", .english), ("EN_us", .english), ("ja-JP", .japanese), ("de-CH-1996", .german),
            ("fr-CA", .french), ("es-419", .spanish), ("pt", .portuguese), ("pt-BR", .portuguese),
            ("pt-PT", .portuguese), ("it", .italian), ("ko-KR", .korean), ("ar-EG", .arabic), ("id", .indonesian),
            ("in-ID", .indonesian), ("zh", .simplifiedChinese), ("zh-CN", .simplifiedChinese),
            ("zh-SG", .simplifiedChinese), ("zh-TW", .traditionalChinese), ("zh_HK", .traditionalChinese),
            ("zh-MO", .traditionalChinese), ("zh-Hant", .traditionalChinese), ("zh-hant-cn", .traditionalChinese),
            ("zh-Hans-TW", .simplifiedChinese), ("zh-u-hc-tw", .simplifiedChinese), ("de-u-co-phonebk", .german),
            ("nl", nil), ("", nil), ("-", nil), ("*", nil), ("english", nil), ("e", nil), ("en-XA", .english),
            ("ar-XB", .arabic), ("xx-ja", nil), (String(repeating: "x", count: 10_000) + "-en", nil),
        ] as [(String, Language?)])
    func lookUp(tag: String, expected: Language?) {
        #expect(Language(tag: tag) == expected)
    }

    @Test("A pseudo-locale is found only where it is accepted, and never by the name of a setting")
    func pseudoLocales() {
        for language in Language.pseudoLocales {
            let tag = language.rawValue
            #expect(Language(tag: tag.lowercased(), acceptingPseudoLocales: Language.pseudoLocales) == language)
            #expect(Language(tag: tag)?.isPseudoLocale == false)
            #expect(Language(name: tag) == nil)
            #expect(!Language.allCases.contains(language))
        }
        #expect(Language.allCases.count == 12)
        #expect(Language.allCases.allSatisfy { Language(name: $0.rawValue) == $0 && Language(tag: $0.rawValue) == $0 })
    }
}
