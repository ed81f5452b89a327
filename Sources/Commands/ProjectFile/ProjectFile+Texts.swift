internal import Identity

extension CustomTexts {
    /// Reads the texts by key, then by language.
    init(_ reader: inout ObjectReader) {
        var texts: [CustomText: [Language: String]] = [:]
        for key in CustomText.allCases {
            let ofKey = reader.nullableObject(key.rawValue) { inner in
                var texts: [Language: String] = [:]
                for language in Language.allCases {
                    guard let text = inner.text(language.rawValue) else { continue }
                    guard key.accepts(text) else {
                        inner.addProblem(language.rawValue, key.rule)
                        continue
                    }
                    texts[language] = text
                }
                return texts
            }
            if case .value(let ofKey) = ofKey { texts[key] = ofKey }
        }
        self.init(texts)
    }
}
