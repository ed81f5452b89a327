internal import Encoding

/// The languages of emails and pages, as choices of a form.
enum LanguageChoices {
    static let all: [FormField.Choice] = [
        .init("en", "English"), .init("ar", "Arabic"), .init("de", "German"), .init("es", "Spanish"),
        .init("fr", "French"), .init("id", "Indonesian"), .init("it", "Italian"), .init("ja", "Japanese"),
        .init("ko", "Korean"), .init("pt-BR", "Portuguese (Brazil)"), .init("zh-Hans", "Chinese (simplified)"),
        .init("zh-Hant", "Chinese (traditional)"),
    ]

    /// The choices of an account, whose provider can have stated another language.
    ///
    /// - Parameter current: the tag of the account's language; empty if it has none.
    static func all(with current: String) -> [FormField.Choice] {
        let isListed = current.isEmpty || all.contains { $0.value.isExactly(current) }
        return [.init("", "Not set")] + all + (isListed ? [] : [.init(current, name(of: current))])
    }

    /// The name of a language; the tag itself if the language is not listed.
    static func name(of tag: String) -> String { all.first { $0.value.isExactly(tag) }?.label ?? tag }
}
