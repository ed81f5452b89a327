internal import Identity

/// Texts for tests of the pages: what is not changed here is not translated, and what overflows has too little space.
enum PseudoLocale {
    /// Returns the parts of an English text with accents, 40 % longer and in brackets, or from right to left.
    static func parts(_ parts: [Text.Part], _ language: Language) -> [Text.Part] {
        let changed = parts.map { part -> Text.Part in
            guard case .words(let words) = part else { return part }
            return .words(language.isRightToLeft ? mirrored(words) : accented(words))
        }
        let length = parts.map(\.length).reduce(0, +)
        let padding = language.isRightToLeft ? "" : String(repeating: "·", count: (length * 2 + 4) / 5)
        return [.words("[")] + changed + [.words(padding + "]")]
    }

    private static func accented(_ words: String) -> String { String(words.map { accents[$0] ?? $0 }) }

    /// Each word is written from right to left (U+202E begins and U+202C ends an override).
    private static func mirrored(_ words: String) -> String {
        words.split(separator: " ", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "" : "\u{202E}\($0)\u{202C}" }.joined(separator: " ")
    }

    private static let accents = Dictionary(
        uniqueKeysWithValues: zip("AEINOUYaceinosuyzCS", "ÅÉÎÑÖÛÝåçéîñöšûýžÇŠ"))
}

extension Text.Part {
    fileprivate var length: Int {
        switch self {
        case .words(let words): words.count
        case .name: 0
        }
    }
}
