internal import HTML
internal import Identity

extension Language {
    /// The option of a `select`, in the language itself.
    func option(chosen: String) -> Markup {
        Markup(
            .option, [.value(rawValue), .lang(rawValue)] + (rawValue == chosen ? [.selected] : []), text: ownName)
    }

    /// The name of the language in the language itself.
    private var ownName: String {
        switch self {
        case .english, .accentedEnglish, .mirroredEnglish: "English"
        case .japanese: "日本語"
        case .german: "Deutsch"
        case .french: "Français"
        case .spanish: "Español"
        case .portuguese: "Português (Brasil)"
        case .italian: "Italiano"
        case .korean: "한국어"
        case .simplifiedChinese: "简体中文"
        case .traditionalChinese: "繁體中文"
        case .arabic: "العربية"
        case .indonesian: "Bahasa Indonesia"
        }
    }
}
