import HTML
import Identity
import Testing

@testable import Pages

@Suite("Templates of texts")
struct MessageTemplateTests {
    @Test(
        "A text with an unknown placeholder, a plural without `other` or a brace too many is rejected",
        arguments: [
            ("plain", true), ("It's {app}.", true), ("# {count}", true), ("", true),
            ("{minutes, plural, one {# minute} other {# minutes}}", true),
            ("{minutes, plural, one {# minute of {app}} other {# minutes of {app}}}", true),
            ("{minutes, plural, one {# minute}}", false), ("{minutes, plural, other {a} other {b}}", false),
            ("{minutes, plural, some {a} other {b}}", false), ("{minutes, select, other {b}}", false),
            ("{nothing}", false), ("{}", false), ("{app", false), ("app}", false), ("{{app}}", false),
        ])
    func parsing(text: String, isValid: Bool) {
        #expect((MessageTemplate(text) != nil) == isValid)
    }

    @Test(
        "The category of a number is that of Unicode's CLDR",
        arguments: [
            (.english, [0: .other, 1: .one, 2: .other]), (.french, [0: .one, 1: .one, 2: .other]),
            (.portuguese, [0: .one, 1: .one, 2: .other]), (.spanish, [0: .other, 1: .one]),
            (.japanese, [0: .other, 1: .other]), (.korean, [1: .other]), (.indonesian, [1: .other]),
            (
                .arabic,
                [
                    0: .zero, 1: .one, 2: .two, 3: .few, 10: .few, 11: .many, 99: .many, 100: .other, 102: .other,
                    103: .few, 111: .many, 200: .other,
                ]
            ),
        ] as [(Language, [Int: PluralCategory])])
    func categories(language: Language, numbers: [Int: PluralCategory]) {
        for (number, category) in numbers {
            #expect(language.pluralCategory(of: number) == category, "\(number)")
            #expect(language.pluralCategories.contains(category))
        }
    }

    enum Key: EnglishAndArabic {
        case link, wait
        var english: StaticString {
            switch self {
            case .link: "Link {email} to {app}"
            case .wait: "Wait {minutes, plural, one {# minute} other {# minutes}}."
            }
        }
        var arabic: StaticString {
            switch self {
            case .link: "ربط {email} مع {app}"
            case .wait: "{minutes, plural, zero {z#} one {o#} two {t#} few {f#} many {m#} other {x#}}"
            }
        }
    }

    @Test("A page isolates each name, and escapes it")
    func markup() {
        let text = Text(Key.link, [.email: .name("a<b"), .app: .name("Demo")])
        #expect(text.markup(in: .english).map(\.html).joined() == "Link <bdi>a&lt;b</bdi> to <bdi>Demo</bdi>")
    }

    @Test("Plain text isolates a name if its direction could change the order, and removes what ends the isolation")
    func plainText() {
        func string(_ name: String, _ language: Language) -> String {
            Text(Key.link, [.email: .name(name), .app: .name("Demo")]).string(in: language)
        }
        #expect(string("Ada", .english) == "Link Ada to Demo")
        #expect(string("عدا", .english) == "Link \u{2068}عدا\u{2069} to Demo")
        #expect(string("Ada", .arabic) == "ربط \u{2068}Ada\u{2069} مع \u{2068}Demo\u{2069}")
        #expect(string("a\u{2069}\u{202E}b", .english) == "Link ab to Demo")
    }

    @Test("A plural has the form of the number")
    func plurals() {
        func string(_ minutes: Int, _ language: Language) -> String {
            Text(Key.wait, [.minutes: .count(minutes)]).string(in: language)
        }
        #expect([1, 5].map { string($0, .english) } == ["Wait 1 minute.", "Wait 5 minutes."])
        #expect([0, 1, 2, 3, 11, 100].map { string($0, .arabic) } == ["z0", "o1", "t2", "f3", "m11", "x100"])
    }

    @Test("A pseudo-locale changes each word but no name, and puts the text in brackets")
    func pseudoLocales() {
        let text = Text(Key.link, [.email: .name("Ada"), .app: .name("Demo")])
        #expect(text.string(in: .accentedEnglish) == "[Lîñk Ada tö Demo····]")
        #expect(text.string(in: .mirroredEnglish).contains("\u{202E}Link\u{202C}"))
    }
}

/// Texts in English and Arabic; other languages have the English ones.
protocol EnglishAndArabic: TextKey {}

extension EnglishAndArabic {
    public var japanese: StaticString { english }
    public var german: StaticString { english }
    public var french: StaticString { english }
    public var spanish: StaticString { english }
    public var portuguese: StaticString { english }
    public var italian: StaticString { english }
    public var korean: StaticString { english }
    public var simplifiedChinese: StaticString { english }
    public var traditionalChinese: StaticString { english }
    public var indonesian: StaticString { english }
}
