/// The language of emails and pages. The raw value is an RFC 5646 tag.
public enum Language: String, Codable, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case portuguese = "pt-BR"
    case italian = "it"
    case korean = "ko"
    case simplifiedChinese = "zh-Hans"
    case traditionalChinese = "zh-Hant"
    case arabic = "ar"
    case indonesian = "id"
    /// English with accents, brackets and longer texts. Shows texts that are not translated, or that have too little
    /// space.
    case accentedEnglish = "en-XA"
    /// English written from right to left.
    case mirroredEnglish = "ar-XB"

    /// The languages without the pseudo-locales.
    public static let allCases: [Language] = [
        .english, .japanese, .german, .french, .spanish, .portuguese, .italian, .korean, .simplifiedChinese,
        .traditionalChinese, .arabic, .indonesian,
    ]

    /// Languages for tests of the pages. ``ModeRules`` states whether a request may name them.
    public static let pseudoLocales: [Language] = [.accentedEnglish, .mirroredEnglish]
}

extension Language {
    public var isRightToLeft: Bool { self == .arabic || self == .mirroredEnglish }

    /// Whether the language is one of ``pseudoLocales``.
    public var isPseudoLocale: Bool { Self.pseudoLocales.contains(self) }

    /// - Parameter name: the raw value of one of ``allCases``.
    public init?(name: String) {
        guard let language = Language(rawValue: name), !language.isPseudoLocale else { return nil }
        self = language
    }

    /// Looks a language tag up (RFC 4647 §3.4): the longest beginning of the tag that is a supported language applies.
    /// Chinese without a script has the script of its region (`zh-TW` is `zh-Hant`).
    ///
    /// - Parameters:
    ///   - tag: RFC 5646, also with underscores; at most 35 characters are read (§4.4.1).
    ///   - pseudoLocales: those that the tag may name.
    public init?(tag: String, acceptingPseudoLocales pseudoLocales: [Language] = []) {
        let subtags = tag.prefix(35).split { $0 == "-" || $0 == "_" }.map { $0.lowercased() }
        guard let primary = subtags.first else { return nil }
        let name = subtags.joined(separator: "-")
        let pseudoLocale = pseudoLocales.first { $0.rawValue.lowercased() == name }
        // Extensions, such as a calendar, follow a subtag of one letter.
        let regionAndScript = subtags.dropFirst().prefix { $0.count > 1 }
        guard let language = pseudoLocale ?? Self.language(primary: primary, Set(regionAndScript)) else { return nil }
        self = language
    }

    /// - Parameter others: the subtags after the primary one, in lower case.
    private static func language(primary: String, _ others: Set<String>) -> Language? {
        switch primary {
        case "zh":
            if others.contains("hans") { return .simplifiedChinese }
            return others.isDisjoint(with: ["hant", "tw", "hk", "mo"]) ? .simplifiedChinese : .traditionalChinese
        case "pt": return .portuguese
        // The tag of Indonesian before 1989, which Java still uses.
        case "in": return .indonesian
        default: return allCases.first { $0.rawValue == primary }
        }
    }
}
