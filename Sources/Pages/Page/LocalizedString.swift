internal import Identity

/// A text in English and Japanese. Other languages show the English text.
struct LocalizedString: Sendable {
    let english: String
    let japanese: String

    init(_ english: String, _ japanese: String) {
        self.english = english
        self.japanese = japanese
    }

    func `in`(_ language: Language) -> String {
        language == .japanese ? japanese : english
    }
}
