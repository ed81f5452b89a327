public import HTML
public import Identity

/// A text with the values of its placeholders, before a language is chosen.
public struct Text: Sendable {
    let key: any TextKey
    var values: [Placeholder: TextValue]
    /// The texts of the project, which replace built-in ones.
    var customTexts: CustomTexts

    public init(
        _ key: any TextKey, _ values: [Placeholder: TextValue] = [:], customTexts: CustomTexts = CustomTexts()
    ) {
        self.key = key
        self.values = values
        self.customTexts = customTexts
    }
}

/// The names of placeholders.
public enum Placeholder: String, Hashable, Sendable, CaseIterable {
    /// The name of the project, or "the app".
    case app
    /// The name of a provider.
    case provider
    /// The names of one sign-in method, and of several.
    case method, methods
    case email
    /// The name or address of a user.
    case name
    /// A role in the console, and the ID of a project.
    case role, project
    case device, product
    /// The text of a blocking function.
    case message
    case year, month, day, time, zone
    /// How long something lasts, with its unit.
    case duration
    case count, minutes, hours
}

/// The value of a placeholder.
public enum TextValue: Sendable {
    /// A text that a person, an operator or a provider chose. Its direction does not change the texts around it.
    case name(String)
    case text(Text)
    /// Texts with separators between them.
    case list([Text])
    case count(Int)
    /// A text of the gateway that is the same in every language, such as a time or the name of a browser.
    case literal(String)
}

extension Text {
    /// A part of a filled text.
    enum Part: Equatable {
        case words(String)
        case name(String)

        var markup: Markup {
            switch self {
            case .words(let words): .text(words)
            case .name(let name): .isolated(name)
            }
        }
    }

    /// Returns the text in `language` for a page, with each name in a `bdi` element.
    public func markup(in language: Language) -> [Markup] { parts(in: language).map(\.markup) }

    /// Returns the text in `language` for an attribute, a title, a subject or an email as plain text. Each name whose
    /// direction could change the order of the text is between U+2068 and U+2069 (UAX #9 §2.4.2).
    public func string(in language: Language) -> String {
        parts(in: language).map { part in
            switch part {
            case .words(let words): words
            case .name(let name): name.isolated(in: language)
            }
        }.joined()
    }

    /// Fills the placeholders. Escapes nothing, because ``Markup`` does.
    func parts(in language: Language) -> [Part] {
        let template = key.custom.flatMap { customTexts[$0, language] } ?? "\(key.template(in: language))"
        let parts = MessageTemplate(template)?.parts(language, values) ?? [.words(template)]
        return language.isPseudoLocale ? PseudoLocale.parts(parts, language) : parts
    }
}

extension MessageTemplate {
    func parts(_ language: Language, _ values: [Placeholder: TextValue], count: Int? = nil) -> [Text.Part] {
        pieces.flatMap { piece -> [Text.Part] in
            switch piece {
            case .words(let words): return [.words(words)]
            case .number: return [.words(count.map(String.init) ?? "")]
            case .value(let placeholder): return values[placeholder].map { $0.parts(in: language) } ?? []
            case .plural(let placeholder, let forms):
                guard case .count(let count) = values[placeholder] else { return [] }
                let form = forms[language.pluralCategory(of: count)] ?? forms[.other]
                return form?.parts(language, values, count: count) ?? []
            }
        }
    }
}

extension TextValue {
    fileprivate func parts(in language: Language) -> [Text.Part] {
        switch self {
        case .name(let name): [.name(name)]
        case .text(let text): text.parts(in: language)
        case .list(let texts):
            Array(texts.map { $0.parts(in: language) }.joined(separator: Text.page(.listSeparator).parts(in: language)))
        case .count(let count): [.words(String(count))]
        case .literal(let literal): [.words(literal)]
        }
    }
}

extension String {
    /// Isolates the text if a right-to-left text could begin in it or around it. Removes the characters that would end
    /// the isolation.
    fileprivate func isolated(in language: Language) -> String {
        let scalars = unicodeScalars.filter { !$0.controlsDirection }
        guard language.isRightToLeft || scalars.contains(where: \.mayBeRightToLeft) else {
            return String(String.UnicodeScalarView(scalars))
        }
        return "\u{2068}\(String.UnicodeScalarView(scalars))\u{2069}"
    }
}

extension Unicode.Scalar {
    /// Embeddings, overrides, isolates and marks of the bidirectional algorithm (UAX #9 §2).
    fileprivate var controlsDirection: Bool {
        switch value {
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether the character is in a block of scripts that are written from right to left.
    fileprivate var mayBeRightToLeft: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
