/// An unverified name, cleaned and truncated, for display only.
public struct PersonName: Hashable, Codable, Sendable {
    /// The maximum length of each part in characters.
    public static let lengthLimit = 100

    public let given: String?
    public let family: String?

    /// - Returns: `nil` if no printable character is left.
    public init?(given: String?, family: String?) {
        self.given = given.flatMap(Self.cleaned)
        self.family = family.flatMap(Self.cleaned)
        guard self.given != nil || self.family != nil else { return nil }
    }

    /// The given name and the family name. The given name comes first, as in Firebase's clients, unless the name is
    /// written in Han, Kana or Hangul.
    public var full: String {
        let parts = [given, family].compactMap { $0 }
        return (Self.isEastAsian(parts.joined()) ? parts.reversed() : parts).joined(separator: " ")
    }
}

/// The characters of names.
extension PersonName {
    /// Replaces control and formatting characters, such as those that change the text direction, by spaces; merges
    /// adjacent spaces; and truncates the text to ``lengthLimit``. Keeps joiners between letters or emoji.
    static func cleaned(_ text: String) -> String? {
        // One character may consist of several scalars.
        let scalars = Array(text.unicodeScalars.prefix(4 * lengthLimit))
        var visible = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            switch scalar.properties.generalCategory {
            case .format where scalar.isJoiner && index > 0 && index + 1 < scalars.count:
                visible.append(scalars[index - 1].isJoinable && scalars[index + 1].isJoinable ? scalar : " ")
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                visible.append(" ")
            default: visible.append(scalar)
            }
        }
        let words = String(visible).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let truncated = String(words.prefix(lengthLimit))
        return truncated.isEmpty ? nil : truncated
    }

    /// Whether all letters of the text belong to Han, Kana or Hangul.
    static func isEastAsian(_ text: String) -> Bool {
        let letters = text.unicodeScalars.filter(\.properties.isAlphabetic)
        return !letters.isEmpty && letters.allSatisfy(\.isEastAsian)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is the zero-width non-joiner or the zero-width joiner. Persian, Indic scripts and emoji need
    /// them (Unicode Standard §23.2).
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }

    /// Whether a joiner beside the scalar can have an effect: a letter, a mark, a variation selector or an emoji.
    fileprivate var isJoinable: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: properties.isAlphabetic || properties.isEmoji && value > 0x7F
        }
    }

    /// Whether the letter belongs to one of the scripts Han, Hiragana, Katakana or Hangul (Unicode Standard Annex 24).
    fileprivate var isEastAsian: Bool {
        if properties.isIdeographic { return true }
        return switch value {
        // Hangul Jamo; Hiragana and Katakana; Hangul Compatibility Jamo; Katakana Phonetic Extensions.
        case 0x1100...0x11FF, 0x3041...0x30FF, 0x3130...0x318F, 0x31F0...0x31FF: true
        // Hangul Jamo Extended-A; Hangul Syllables and Jamo Extended-B; halfwidth Katakana and Hangul.
        case 0xA960...0xA97F, 0xAC00...0xD7FF, 0xFF66...0xFFDC: true
        // The ideographic iteration mark; Kana Extended and Supplement.
        case 0x3005, 0x1AFF0...0x1B16F: true
        default: false
        }
    }
}
