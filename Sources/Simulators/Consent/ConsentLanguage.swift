internal import HTTP

/// The language of a consent page.
enum ConsentLanguage: String {
    case english = "en"
    case japanese = "ja"

    /// The first supported language of `Accept-Language` (RFC 9110 §12.5.4); English if there is none. Browsers send
    /// the languages in the order of preference, so the weights are not needed.
    init(of request: Request) {
        let tags = (request.headers["Accept-Language"] ?? "").prefix(1000).split(separator: ",")
        let languages = tags.lazy.map { $0.drop { $0 == " " }.prefix { $0.isLetter }.lowercased() }
        self = languages.compactMap(ConsentLanguage.init(rawValue:)).first ?? .english
    }

    func text(_ english: String, _ japanese: String) -> String {
        switch self {
        case .english: english
        case .japanese: japanese
        }
    }
}
