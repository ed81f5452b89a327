internal import Encoding
internal import Identity

/// A text of a project that replaces a built-in one, in a request or a response. An extension. Not a member of an
/// object, whose name would be converted to camelCase.
struct CustomTextConfig: Codable {
    let key: String
    let language: String
    let text: String

    static func all(_ texts: CustomTexts) -> [CustomTextConfig] {
        texts.all.map { CustomTextConfig(key: $0.key.rawValue, language: $0.language.rawValue, text: $0.text) }
    }
}

extension [CustomTextConfig] {
    /// Replaces all texts, or those that the mask names as `texts.<key>.<language>`, of which the list can lack some.
    func apply(to texts: inout CustomTexts, maskedBy mask: FieldMask) throws(RequestRefusal) {
        guard mask.touches("texts") else { return }
        let new = try customTexts()
        guard !mask.contains("texts") else {
            texts = new
            return
        }
        var values = texts.values
        for key in CustomText.allCases {
            for language in Language.allCases where mask.contains("texts.\(key.rawValue).\(language.rawValue)") {
                values[key, default: [:]][language] = new[key, language]
            }
        }
        texts = CustomTexts(values)
    }

    /// Returns the texts.
    ///
    /// - Throws: ``RequestRefusal`` for an unknown key or language, a repeated text, or one that is not accepted.
    func customTexts() throws(RequestRefusal) -> CustomTexts {
        var texts: [CustomText: [Language: String]] = [:]
        guard count <= CustomText.allCases.count * Language.allCases.count else {
            throw .invalidField("/texts", "must have each key once per language")
        }
        for (index, element) in enumerated() {
            guard let key = CustomText(rawValue: element.key) else {
                throw .invalidField("/texts/\(index)/key", "must be one of \(Self.keys)")
            }
            guard let language = Language(name: element.language) else {
                throw .invalidField("/texts/\(index)/language", "must be one of \(Self.languages)")
            }
            guard texts[key]?[language] == nil else {
                throw .invalidField("/texts/\(index)", "must not repeat a key and language")
            }
            guard key.accepts(element.text) else { throw .invalidField("/texts/\(index)/text", key.rule) }
            texts[key, default: [:]][language] = element.text
        }
        return CustomTexts(texts)
    }

    private static let keys = CustomText.allCases.map(\.rawValue).joined(separator: ", ")
    private static let languages = Language.allCases.map(\.rawValue).joined(separator: ", ")
}
