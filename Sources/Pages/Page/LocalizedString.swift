internal import Identity

/// A text in every language of ``Language``.
struct LocalizedString: Sendable {
    let english: String
    let japanese: String

    init(_ english: String, _ japanese: String) {
        self.english = english
        self.japanese = japanese
    }

    func `in`(_ language: Language) -> String {
        switch language {
        case .english: english
        case .japanese: japanese
        }
    }
}
