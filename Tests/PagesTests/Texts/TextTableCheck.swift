import Identity

@testable import Pages

/// Compares the texts of an area with its English ones. The folder of the emails' tests has a symbolic link to this
/// file.
enum TextTableCheck {
    /// Returns what is wrong with the texts, one sentence each.
    static func problems<Key: TextKey>(in _: Key.Type) -> [String] {
        Key.allCases.flatMap { key in
            Language.allCases.flatMap { problems(of: "\(key.template(in: $0))", $0, like: "\(key.english)") }
                .map { "\(key), \($0)" }
        }
    }

    private static func problems(of text: String, _ language: Language, like english: String) -> [String] {
        guard let template = MessageTemplate(text), let original = MessageTemplate(english) else {
            return ["\(language): not a valid template: \(text)"]
        }
        var problems: [String] = []
        if Set(template.placeholders) != Set(original.placeholders) { problems.append("\(language): placeholders") }
        if template.plurals.contains(where: { $0 != language.pluralCategories }) {
            problems.append("\(language): plural categories")
        }
        if template.plurals.isEmpty != original.plurals.isEmpty { problems.append("\(language): plurals") }
        // A space follows no sign of full width.
        let isPadded = text.hasSuffix(" ") || "：、".contains { text.last == $0 }
        let isPaddedLikeEnglish = english.hasSuffix(" ") ? isPadded : !text.hasSuffix(" ")
        if text.isEmpty || !isPaddedLikeEnglish || text.contains("  ") { problems.append("\(language): spaces") }
        return problems
    }
}
