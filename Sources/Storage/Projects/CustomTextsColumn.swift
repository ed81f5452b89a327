internal import Identity

/// The JSON in the column `realm.texts`: texts by key, then by language. Ignores unknown keys and languages, which a
/// newer release may have written.
struct CustomTextsColumn: Codable {
    private let values: [String: [String: String]]

    init(_ texts: CustomTexts) {
        values = Dictionary(
            uniqueKeysWithValues: texts.values.map { key, texts in
                (key.rawValue, Dictionary(uniqueKeysWithValues: texts.map { ($0.key.rawValue, $0.value) }))
            })
    }

    init(from decoder: any Decoder) throws {
        values = try [String: [String: String]](from: decoder)
    }

    func encode(to encoder: any Encoder) throws {
        try values.encode(to: encoder)
    }

    var texts: CustomTexts {
        var known: [CustomText: [Language: String]] = [:]
        for (key, texts) in values {
            guard let key = CustomText(rawValue: key) else { continue }
            for (language, text) in texts {
                if let language = Language(name: language) { known[key, default: [:]][language] = text }
            }
        }
        return CustomTexts(known)
    }
}
