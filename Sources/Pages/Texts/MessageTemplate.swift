/// A text with placeholders, in the subset of ICU's MessageFormat that ``TextKey`` describes. An apostrophe is an
/// ordinary character.
struct MessageTemplate: Equatable {
    indirect enum Piece: Equatable {
        case words(String)
        case value(Placeholder)
        case plural(Placeholder, [PluralCategory: MessageTemplate])
        /// `#` in a form of a plural: the number.
        case number
    }

    let pieces: [Piece]

    /// - Returns: `nil` for a placeholder that ``Placeholder`` does not name, and for other mistakes in the text.
    init?(_ text: String) {
        var rest = text[...]
        guard let pieces = Self.pieces(of: &rest, isForm: false), rest.isEmpty else { return nil }
        self.pieces = pieces
    }

    private init(pieces: [Piece]) {
        self.pieces = pieces
    }

    /// Reads up to the brace that closes the text.
    ///
    /// - Parameter isForm: whether the text is a form of a plural.
    private static func pieces(of rest: inout Substring, isForm: Bool) -> [Piece]? {
        var pieces: [Piece] = []
        while let next = rest.first, next != "}" {
            if next == "{" {
                rest.removeFirst()
                guard let piece = argument(of: &rest) else { return nil }
                pieces.append(piece)
            } else if isForm, next == "#" {
                rest.removeFirst()
                pieces.append(.number)
            } else {
                let words = rest.prefix { $0 != "{" && $0 != "}" && !(isForm && $0 == "#") }
                rest.removeFirst(words.count)
                pieces.append(.words(String(words)))
            }
        }
        return pieces
    }

    /// Reads a placeholder or a plural with the brace that closes it.
    private static func argument(of rest: inout Substring) -> Piece? {
        let name = rest.prefix { $0 != "," && $0 != "}" && $0 != "{" }
        rest.removeFirst(name.count)
        guard let placeholder = Placeholder(rawValue: String(name)) else { return nil }
        guard !rest.skip("}") else { return .value(placeholder) }
        guard rest.skip(", plural,") else { return nil }
        var forms: [PluralCategory: MessageTemplate] = [:]
        while rest.skip(" ") {
            let category = rest.prefix { $0 != " " }
            rest.removeFirst(category.count)
            guard let category = PluralCategory(rawValue: String(category)), rest.skip(" {"),
                let pieces = pieces(of: &rest, isForm: true), rest.skip("}"),
                forms.updateValue(MessageTemplate(pieces: pieces), forKey: category) == nil
            else { return nil }
        }
        return rest.skip("}") && forms[.other] != nil ? .plural(placeholder, forms) : nil
    }
}

extension MessageTemplate {
    /// The placeholders of the text, in the order of their first use.
    var placeholders: [Placeholder] {
        var found: [Placeholder] = []
        for piece in pieces {
            switch piece {
            case .words, .number: break
            case .value(let placeholder): found.append(placeholder)
            case .plural(let placeholder, let forms):
                found.append(placeholder)
                for category in PluralCategory.allCases { found += forms[category]?.placeholders ?? [] }
            }
        }
        return found.enumerated().filter { !found[..<$0.offset].contains($0.element) }.map(\.element)
    }

    /// The categories of each plural of the text.
    var plurals: [Set<PluralCategory>] {
        pieces.compactMap { piece in
            guard case .plural(_, let forms) = piece else { return nil }
            return Set(forms.keys)
        }
    }
}

extension Substring {
    /// Removes `text` from the beginning.
    ///
    /// - Returns: whether the beginning was `text`.
    fileprivate mutating func skip(_ text: String) -> Bool {
        guard hasPrefix(text) else { return false }
        removeFirst(text.count)
        return true
    }
}
