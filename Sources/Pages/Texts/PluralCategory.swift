public import Identity

/// The plural categories of Unicode's CLDR.
public enum PluralCategory: String, Hashable, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}

extension Language {
    /// The categories of whole numbers below one million. In French, Italian, Portuguese and Spanish, CLDR has a
    /// further category for whole millions (`many`), which no text needs.
    public var pluralCategories: Set<PluralCategory> {
        switch self {
        case .japanese, .korean, .simplifiedChinese, .traditionalChinese, .indonesian: [.other]
        case .english, .accentedEnglish, .mirroredEnglish, .german, .spanish, .italian, .french, .portuguese:
            [.one, .other]
        case .arabic: [.zero, .one, .two, .few, .many, .other]
        }
    }

    /// Returns the category of a number that is not negative (CLDR, plurals.xml, cardinal numbers).
    func pluralCategory(of count: Int) -> PluralCategory {
        switch self {
        case .japanese, .korean, .simplifiedChinese, .traditionalChinese, .indonesian: .other
        case .english, .accentedEnglish, .mirroredEnglish, .german, .spanish, .italian: count == 1 ? .one : .other
        case .french, .portuguese: count <= 1 ? .one : .other
        case .arabic: Self.arabicPluralCategory(of: count)
        }
    }

    private static func arabicPluralCategory(of count: Int) -> PluralCategory {
        switch (count, count % 100) {
        case (0, _): .zero
        case (1, _): .one
        case (2, _): .two
        case (_, 3...10): .few
        case (_, 11...99): .many
        default: .other
        }
    }
}
